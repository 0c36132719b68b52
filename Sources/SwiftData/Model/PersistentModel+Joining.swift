/// Inserts an object that is in no context into the context of an object that it has come to lead to.
///
/// Only a relationship with an inverse does so: the other side shows the new object at once, so that it has to be in the context.
/// Called after every assignment to a relationship, inside initializers too: Swift calls a property's setter there once all stored
/// properties have values, which those of a model class that is no subclass have from the start.
func join(_ object: any PersistentModel, at property: Int, contextOf targets: [any PersistentModel]) {
  guard object._$state.status == .detached,
    let context = targets.lazy.compactMap({ $0._$state._isAttached ? $0._$state.owner : nil }).first,
    let relationship = context.container.binding(of: type(of: object))?.properties[property].relationship,
    relationship.inverse != nil
  else { return }
  context.insert(object)
}
