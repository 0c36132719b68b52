internal import ErrorReporting

extension ModelContext {
  /// Inserts an object, and all objects that its relationships reach, into one store of the container; the next save writes them.
  ///
  ///     let archive = ModelConfiguration("archive", schema: schema, url: url)
  ///     let container = try ModelContainer(for: schema, configurations: recent, archive)
  ///     try context.insert(note, into: archive)
  ///
  /// If several stores keep objects of the class, ``insert(_:)`` chooses the store of a related object, else the first store that
  /// allows saving. An object that is in the wanted store already stays there. The save throws if the store does not have the class of
  /// an object that the relationships reach. Not in Apple's framework.
  ///
  /// - Parameters:
  ///   - model: the object to insert.
  ///   - configuration: one of the container's configurations.
  /// - Throws: ``SwiftDataError``, and inserts nothing: `unknownSchema` if the store has no objects of the class; `storeFailure` if the
  ///   container has no store of the configuration, or the store is read-only; `modelValidationFailure` for an object that is in
  ///   another store or in another context.
  public func insert<T: PersistentModel>(_ model: T, into configuration: any DataStoreConfiguration) throws {
    try core.place(model, in: core.container.store(of: configuration))
  }
}

extension ContextCore {
  fileprivate func place(_ object: any PersistentModel, in store: OpenStore) throws {
    let type = type(of: object)
    guard container.binding(of: type, in: store) != nil else {
      throw SwiftDataError(
        .unknownSchema,
        """
        The store \(store.configuration.debugDescription) keeps no objects of class \(type): name another configuration, or give \
        this one a schema with the class.
        """)
    }
    guard store.configuration.allowsSave else { throw SwiftDataError.readOnly(store) }
    guard object._$state.status != .orphaned || object._$state.hasRowValues else {
      throw SwiftDataError(
        .modelValidationFailure,
        "\(object.persistentModelID) is deleted, and its values were never read: make a new object.")
    }
    if object._$state._isAttached {
      guard object._$state.owner === self, EntityTag.store(object._$state.entity) == store.index else {
        throw SwiftDataError(
          .modelValidationFailure,
          """
          \(object.persistentModelID) is in another store or another context, and cannot be inserted into the store \
          \(store.configuration.debugDescription): insert a copy.
          """)
      }
    }
    insert(object, into: store)
  }
}

extension ContainerCore {
  /// The store of one of the container's configurations.
  fileprivate func store(of configuration: any DataStoreConfiguration) throws -> OpenStore {
    if let store = stores.first(where: { $0.configuration.describes(configuration) }) { return store }
    throw SwiftDataError(
      .storeFailure,
      """
      The container has no store of the configuration \(quoted(configuration.name)): it has \
      \(abbreviatedList(stores.map { quoted($0.configuration.name) })).
      """)
  }
}
