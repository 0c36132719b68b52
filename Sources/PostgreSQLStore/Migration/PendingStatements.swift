import PostgreSQL

/// Statements of a migration that run after its commit: they read whole tables, and hinder nobody's reading and writing meanwhile.
///
/// The store keeps them until they have succeeded. Whoever opens the store for writing next carries out what an interrupted program has left.
struct PendingStatements {
  private let connection: Connection
  private let records: StoreRecords
  private let name: Parameter

  init(_ connection: Connection, _ options: ServerOptions) {
    self.connection = connection
    records = StoreRecords(connection: connection, options: options)
    name = .text("SwiftData \(options.schema) pending")
  }

  /// Another program that carries them out already is left alone.
  func run() throws {
    let lock = try connection.run("SELECT pg_try_advisory_lock(hashtextextended($1, 0))", [name])
    guard lock.rowCount == 1, lock.integer(0, 0) == 1 else { return }
    defer { _ = try? connection.run("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [name]) }
    for item in try records.read()?.pending ?? [] {
      do {
        for statement in item.split(separator: Self.separator) { try connection.execute(String(statement)) }
        try records.removePending(item)
      } catch let error as PostgreSQLError where !error.isConnectionLost {
        // It stays for the next time, and the others do not wait for it.
      }
    }
  }

  /// Carries out what an earlier migration has left, inside the present transaction.
  static func runInTransaction(_ items: [String], over connection: Connection) throws {
    for statement in items.flatMap({ $0.split(separator: separator) }) {
      // A transaction waits for nobody else in the middle of a statement.
      try connection.execute(String(statement).replacing(" INDEX CONCURRENTLY ", with: " INDEX ", maxReplacements: 1))
    }
  }

  private static let separator: Character = "\u{1}"

  /// Makes an index, also after an attempt that was interrupted and has left an invalid index.
  static func index(_ name: Identifier, _ columns: [Identifier], on table: TableLayout, _ schema: Identifier) -> String
  {
    "DROP INDEX CONCURRENTLY IF EXISTS \(schema).\(name)\(separator)CREATE INDEX CONCURRENTLY \(name) ON \(table.sql) (\(columns.map(\.description).joined(separator: ", ")))"
  }

  /// The statements in the form in which they run.
  static func statements(_ items: [String]) -> [String] {
    items.flatMap { $0.split(separator: separator).map(String.init) }
  }
}
