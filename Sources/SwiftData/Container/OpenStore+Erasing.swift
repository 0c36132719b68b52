internal import ErrorReporting
internal import StoreRequests

extension OpenStore {
  /// Deletes all objects of the store's classes, without delete rules, by one request if the engine has one.
  ///
  /// - Returns: the change to announce.
  func erase() throws -> SavedChanges {
    guard configuration.allowsSave else { throw SwiftDataError.readOnly(self) }
    var erased = SavedChanges()
    if let objects = try reporting({ _ in try descriptorEngine?.eraseAll() }) {
      erased.deleted = objects.compactMap(identifier)
      erased.transactions[index] = .some(nil)
      erased.erasedStores = [index]
      return erased
    }
    let (deleted, result) = try reporting { engine in
      let names = boundEntityNames
      var changes = ChangeSet()
      if engine.capabilities.contains(.batch) {
        changes.batches = [.empty(names)]
        do {
          let result = try engine.save(changes)
          return (result.batchDeleted, result)
        } catch BatchRefusal.required(let entity, let relationship) {
          throw SwiftDataError(
            .modelValidationFailure,
            "Objects of entity \(quoted(entity)), which the schema leaves out, require objects of the schema by \(quoted(relationship)): add the class to the schema, or delete its objects before. Nothing was erased."
          )
        }
      }
      let objects = try names.flatMap { try engine.keys(FetchRequest(entityName: $0, includesSubentities: false)) }
      changes.deletions = objects.map { ChangeSet.Deletion(object: $0, version: nil) }
      return (objects, try engine.save(changes))
    }
    erased.deleted = deleted.compactMap(identifier)
    erased.transactions[index] = .some(result.transaction)
    erased.tokens[index] = result.position as? any HistoryToken
    return erased
  }
}
