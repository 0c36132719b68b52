extension ContextCore {
  /// Takes the links back that this context gave an object.
  func takeBackGivenLinks(of object: any PersistentModel) {
    guard let extras = object._$state.extras, !extras.given.isEmpty else { return }
    let given = extras.given
    extras.given.removeAll()
    for (property, destination) in given.destinations {
      guard linked(object, property).first === destination else { continue }
      let original = extras.originals[property]
      notifying(object, at: property) { object in
        if object._$state.key != 0, let original {
          var restorer = StorageRestorer(original: original)
          object._$visit(property, &restorer)
        } else {
          var setter = ToOneSetter(nil)
          object._$visit(property, &setter)
        }
      }
    }
    for (property, members) in given.members where !members.isEmpty {
      var filter = MemberFilter(excluded: Set(members.map { ObjectIdentifier($0) }))
      notifying(object, at: property) { $0._$visit(property, &filter) }
    }
  }
}
