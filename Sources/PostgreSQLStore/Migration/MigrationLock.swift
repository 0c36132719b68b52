import ErrorReporting
import PostgreSQL

/// The stores that the task migrates.
///
/// Each has an advisory lock, for which all other connections wait until the stages end. A stage that opens its own store would wait for
/// itself.
enum MigrationLock {
  private struct Store: Hashable {
    let address: ServerAddress
    let schema: String
  }

  /// The connections that migrate, by store.
  @TaskLocal private static var own: [Store: ObjectIdentifier] = [:]

  /// Takes the store's lock, and runs the body, which may use it on this connection only.
  static func withLock<Result>(_ records: StoreRecords, _ body: () throws -> Result) throws -> Result {
    try records.lock()
    var stores = own
    stores[store(of: records)] = ObjectIdentifier(records.connection)
    return try $own.withValue(stores, operation: body)
  }

  /// - Throws: ``StoreProblem`` if another connection of the task migrates the store.
  static func check(_ records: StoreRecords) throws {
    guard let holder = own[store(of: records)], holder != ObjectIdentifier(records.connection) else { return }
    throw records.problem(
      "the store of the schema \(quoted(records.options.schema)) is being migrated by the stage that opens it",
      remedy: "use the stage's context")
  }

  private static func store(of records: StoreRecords) -> Store {
    Store(address: records.connection.address, schema: records.options.schema)
  }
}
