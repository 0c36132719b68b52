/// Inserts a detached object into the context of an object that one of its relationships now leads to.
///
/// Only a relationship with an inverse does this: the other object's inverse shows the new object at once, so it must
/// be in the context. Called after every assignment to a relationship, inside initializers too. There Swift calls a
/// property's setter once all stored properties have values. A model class without a superclass has these values from
/// the start.
func join(_ object: any PersistentModel, at property: Int, contextOf targets: [any PersistentModel]) {
  guard object._$state.status == .detached,
    let context = targets.lazy.compactMap({ $0._$state._isAttached ? $0._$state.owner : nil }).first,
    let relationship = context.container.binding(of: type(of: object))?.properties[property].relationship,
    relationship.inverse != nil
  else { return }
  context.insert(object)
}
