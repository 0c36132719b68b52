import Foundation
import ManagedModel
import PostgreSQL
package import StoreRequests

/// Migrates the store in a schema of a PostgreSQL database.
package struct ServerMigrator: StoreMigrator {
  let address: ServerAddress
  let options: ServerOptions
  /// Called with each statement before it runs.
  let log: (@Sendable (String) -> Void)?

  /// A migration that meets others' locks for too long, or a deadlock, begins anew, this many times in all.
  private static let attempts = 3

  /// - Throws: ``PostgreSQLError`` for a text that is no address.
  package init(_ address: String, options: ServerOptions, log: (@Sendable (String) -> Void)? = nil) throws {
    self.address = try ServerAddress(address)
    try options.check(self.address)
    self.options = options
    self.log = log
  }

  func connect() throws -> Connection {
    let connection = try options.connect(address)
    connection.log = log
    return connection
  }

  /// Whether a pooler stands before the server. It may share the sessions. Cost: one connection and one query.
  package func isBehindPooler() throws -> Bool { try connect().isBehindPooler() }

  /// The version of the store; `nil` if the schema has none.
  package func version() throws -> StoredVersion? {
    let records = StoreRecords(connection: try connect(), options: options)
    try records.checkServer()
    return try records.read() == nil ? nil : records.version(formerModels: true)
  }

  package func version(of store: any StoreEngine) throws -> StoredVersion {
    try StoreRecords(connection: connect(), options: options).version()
  }

  /// The rule by which the store's tables are named; `nil` if the schema has no store.
  package func naming() throws -> NamingRule? {
    try StoreRecords(connection: try connect(), options: options).readOfAnyNaming()?.naming
  }

  /// Takes the store through steps in one transaction. The store's advisory lock keeps other migrators away until the end.
  package func migrate(
    _ steps: (StoredVersion) throws -> [MigrationStep], progress: (Int) -> Void
  ) throws -> Bool {
    let connection = try connect()
    try StoreRecords(connection: connection, options: options).checkServer()
    var attempt = 1
    let (isChanged, warnings): (Bool, [String])
    while true {
      do {
        (isChanged, warnings) = try run(steps, progress, over: connection)
        break
      } catch let error as PostgreSQLError {
        guard attempt < Self.attempts, let state = error.state, state.isTransient || state == .lockNotAvailable else {
          throw error
        }
        Thread.sleep(forTimeInterval: Double(attempt) * 0.05)
        attempt += 1
      }
    }
    for warning in warnings { ServerLog.warn("\(address): \(warning)") }
    // The rows are migrated: what fails here is done when the store is opened next.
    ServerLog.reporting("\(address): the definitions that the migration has left") {
      try PendingDefinitions(connection, options).make()
    }
    return isChanged
  }

  private func run(
    _ steps: (StoredVersion) throws -> [MigrationStep], _ progress: (Int) -> Void, over connection: Connection
  ) throws -> (isChanged: Bool, warnings: [String]) {
    // Each statement sees what others have committed, also while this migrator waited for the lock.
    try connection.transaction(with: .unlimited + .exact) {
      let records = StoreRecords(connection: connection, options: options)
      return try MigrationLock.withLock(records) {
        let transaction = try ServerMigration(connection, options)
        defer { transaction.end() }
        for (index, step) in try steps(transaction.version).enumerated() {
          progress(index)
          do { try transaction.run(step) } catch let error as PostgreSQLError where error.isOfHiddenRows {
            throw error.advising(
              "migrate as a role with BYPASSRLS, or let the owner run ALTER TABLE … NO FORCE ROW LEVEL SECURITY before: the migration needs all rows"
            )
          }
        }
        return (try transaction.finish(), transaction.warnings)
      }
    }
  }
}
