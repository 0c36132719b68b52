extension ContextCore {
  /// Where an object belongs that this context cannot use, and the remedy: the end of an error's sentence.
  func belonging(of object: any PersistentModel) -> String {
    let (key, identifier) = (object._$state.key, object.persistentModelID)
    if key == 0, object._$state.owner?.container === container {
      return "belongs to another context, which has not saved it: save it there, then get it here with model(for:)"
    }
    if key != 0, container.stores.contains(where: { $0.object(of: identifier) != nil }) {
      return "belongs to another context: get it from this context with model(for:)"
    }
    return "belongs to another container: make a new object with its values"
  }
}
