internal import StoreRequests

// Links that a deletion leaves as they are, because no delete rule clears them. They read as nil once the deletion is saved.
extension ContextCore {
  /// A to-one relationship of a registered object that leads to a deleted one.
  struct LeftLink {
    let owner: any PersistentModel
    let property: Int
    let destination: any PersistentModel
  }

  /// The unchanged to-one relationships of registered objects that lead to some deleted objects, and that no delete rule clears.
  ///
  /// Cost: a look at each registered object.
  func linksLeft(by deleted: [any PersistentModel]) -> [LeftLink] {
    var rows: [DeletedObjects.Row: any PersistentModel] = [:]
    for object in deleted where mayLeaveLinks(object) {
      if let row = row(of: object) { rows[row] = object }
    }
    guard !rows.isEmpty else { return [] }
    var properties: [Int32: [Int]] = [:]
    var links: [LeftLink] = []
    identityMap.forEach { owner in
      let tag = owner._$state.entity
      let own = properties[tag] ?? binding(of: owner).map(linksWithoutRule) ?? []
      properties[tag] = own
      for property in own {
        var reader = LinkReader()
        owner._$visit(property, &reader)
        guard case .key(let key) = reader.content, let row = row(of: key, besides: owner), let destination = rows[row]
        else { continue }
        links.append(LeftLink(owner: owner, property: property, destination: destination))
      }
    }
    return links
  }

  /// The row that an object has, or had before its deletion was saved.
  func row(of object: any PersistentModel) -> DeletedObjects.Row? {
    guard object._$state.key != 0, let table = binding(of: object)?.table else { return nil }
    return .init(table: table, key: object._$state.key)
  }

  /// The row of a foreign key that an object has.
  func row(of key: ObjectKey, besides object: any PersistentModel) -> DeletedObjects.Row? {
    let tag = EntityTag.make(entity: key.entity, besides: object._$state.entity)
    return binding(tag).map { .init(table: $0.table, key: key.key) }
  }
}
