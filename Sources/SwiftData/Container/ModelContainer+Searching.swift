internal import ErrorReporting
internal import StoreRequests

extension ModelContainer {
  /// Makes a full-text index of some text properties of a class and its subclasses, for ``FetchDescriptor/search``.
  ///
  ///     let container = try ModelContainer(for: Book.self)
  ///     try container.makeSearchIndex(for: Book.self, on: [\.title, \.summary])
  ///
  /// Call it after each opening: it does nothing if the store has this index. It replaces an index of other properties, and an index
  /// that another program has left incomplete. Each save of any program updates the index, because triggers of the store do it, and
  /// generated columns on a server.
  /// The model and its version hashes do not change, so Core Data opens the store as before and ignores the index. A migration by
  /// this framework makes the index anew; Core Data's own migrations may drop its triggers, and a search then throws until the next
  /// call.
  ///
  /// The index is a table of SQLite's FTS5: a program whose SQLite lacks FTS5 can read the store, but not save to it. Over PostgreSQL it is
  /// a column of the class's table, and only the owner of the table can make it.
  ///
  /// Cost: one query; to make the index, reads all objects of the class once in SQL. Each later save of such an object writes its words,
  /// which takes several times as long as the object's row. Before the import of many objects, remove the index, and make it afterwards.
  /// The index takes less space than its texts. Not in Apple's framework.
  /// - Parameters:
  ///   - type: the class of the objects.
  ///   - properties: stored strings of the class, optional or not, and not derived.
  /// - Throws: ``SwiftDataError``: `unsupportedKeyPath` for another property; `unknownSchema`; `storeFailure` for a store that
  ///   is open for reading only, has no full-text search (custom stores), or cannot be written.
  public func makeSearchIndex<T: PersistentModel>(for type: T.Type, on properties: [PartialKeyPath<T>]) throws {
    try core.forEachSearchEngine(of: type) { engine, entityName, store in
      let resolver = StoreResolver(store: store)
      let names = try properties.map { try resolver.searchedProperty($0, of: type) }
      _ = try store.reporting { _ in try engine.makeSearchIndex(on: names, of: entityName) }
    }
  }

  /// Removes the full-text index of a class. The store is then as it was before the index.
  ///
  /// - Returns: whether there was an index.
  /// - Throws: ``SwiftDataError``: `unknownSchema`, `storeFailure`.
  @discardableResult
  public func removeSearchIndex<T: PersistentModel>(for type: T.Type) throws -> Bool {
    var isRemoved = false
    try core.forEachSearchEngine(of: type) { engine, entityName, store in
      if try store.reporting({ _ in try engine.removeSearchIndex(of: entityName) }) { isRemoved = true }
    }
    return isRemoved
  }
}

extension ContainerCore {
  /// Calls a closure for each store of a class.
  fileprivate func forEachSearchEngine(
    of type: any PersistentModel.Type,
    _ body: (_ engine: any SearchEngine, _ entityName: String, _ store: OpenStore) throws -> Void
  ) throws {
    for binding in try existingBindings(of: type) {
      let store = stores[EntityTag.store(binding.tag)]
      guard store.configuration.allowsSave else { throw SwiftDataError.readOnly(store) }
      guard let engine = store.engine as? any SearchEngine else {
        throw SwiftDataError(
          .storeFailure, "The store of \(binding.name) has no full-text search: filter with a predicate instead.")
      }
      try body(engine, binding.name, store)
    }
  }
}
