import ManagedModel
import PostgreSQL

/// The definitions that a migration has left, which the store records until they are made; see ``LateDefinition``.
///
/// The next program that opens the store for writing makes those that an interrupted program has left.
struct PendingDefinitions {
  private let connection: Connection
  private let options: ServerOptions
  private let records: StoreRecords
  private let lock: Parameter

  init(_ connection: Connection, _ options: ServerOptions) {
    self.connection = connection
    self.options = options
    records = StoreRecords(connection: connection, options: options)
    lock = .text("SwiftData \(options.schema) pending")
  }

  /// Makes the definitions outside of a transaction, unless another program is doing so.
  func make() throws {
    let attempt = try connection.run("SELECT pg_try_advisory_lock(hashtextextended($1, 0))", [lock])
    guard attempt.rowCount == 1, attempt.integer(0, 0) == 1 else { return }
    defer { _ = try? connection.run("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [lock]) }
    guard let names = try records.read()?.pending, !names.isEmpty, let model = try records.currentModel() else {
      return
    }
    let layout = try LayoutBuilder.layout(model, schema: options.schema, rule: options.naming)
    for name in names {
      do {
        for definition in LateDefinition.all(named: name, in: layout) {
          for statement in definition.statements { try connection.execute(statement) }
        }
        try records.removePending(name)
      } catch let error as PostgreSQLError where !error.isConnectionLost {
        // This definition stays recorded, and the others are made.
      }
    }
  }

  /// Makes definitions in the present transaction.
  static func make(_ names: [String], of layout: StoreLayout, inTransactionOf connection: Connection) throws {
    for definition in names.flatMap({ LateDefinition.all(named: $0, in: layout) }) {
      for statement in definition.statementsInTransaction { try connection.execute(statement) }
    }
  }
}
