/// Inserts a detached object into the context of an object that one of its relationships now leads to.
///
/// Only a relationship with an inverse does this: the other object's inverse shows the new object at once, so it must
/// be in the context. If the other objects are in no context either, this happens when one of them is inserted.
///
/// Called after every assignment to a relationship, inside initializers too. There Swift calls a property's setter once all
/// stored properties have values. A model class without a superclass has these values from the start.
func join(_ object: any PersistentModel, at property: Int, contextOf targets: [any PersistentModel]) {
  guard object._$state.status == .detached else { return }
  guard let context = targets.lazy.compactMap({ $0._$state._isAttached ? $0._$state.owner : nil }).first else {
    for target in targets where target._$state.status == .detached {
      target._$state.needExtras().referrers.add(object, at: property)
    }
    return
  }
  guard context.hasInverse(property, of: object) else { return }
  context.insert(object)
}

extension ContextCore {
  /// The detached objects that are related to an object and enter the context with it.
  func takeReferrers(of object: any PersistentModel) -> [any PersistentModel] {
    guard let extras = object._$state.extras else { return [] }
    return extras.referrers.take().compactMap { referrer, property in
      guard referrer._$state.status == .detached, hasInverse(property, of: referrer),
        // The program may have related it to another object since.
        linked(referrer, property).contains(where: { $0 === object })
      else { return nil }
      return referrer
    }
  }

  fileprivate func hasInverse(_ property: Int, of object: any PersistentModel) -> Bool {
    container.binding(of: type(of: object))?.properties[property].relationship?.inverse != nil
  }
}
