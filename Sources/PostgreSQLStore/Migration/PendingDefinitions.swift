import ManagedModel
import PostgreSQL

/// The definitions that a migration has left, which the store records until they are made; see ``LateDefinition``.
///
/// The next program that opens the store for writing makes those that an interrupted program has left.
struct PendingDefinitions {
  private let connection: Connection
  private let options: ServerOptions
  private let records: StoreRecords
  private let lock: String

  init(_ connection: Connection, _ options: ServerOptions) {
    self.connection = connection
    self.options = options
    records = StoreRecords(connection: connection, options: options)
    lock = sqlLiteral("SwiftData \(options.schema) pending")
  }

  /// Makes the definitions outside of a transaction, unless another program is doing so.
  func make() throws {
    // A transaction of another connection keeps the lock, since a pooler may share the sessions themselves.
    let locking = try options.connect(connection.address)
    try locking.transaction {
      // A plain query leaves no snapshot behind, for whose end the making of an index would wait.
      let attempt = try locking.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(\(lock), 0))")
      if attempt.text(0, 0) == "t" { try makeAll() }
    }
  }

  private func makeAll() throws {
    guard let names = try records.read()?.pending, !names.isEmpty, let model = try records.currentModel() else {
      return
    }
    let layout = try LayoutBuilder.layout(model, schema: options.schema, rule: options.naming)
    for name in names {
      do {
        for definition in LateDefinition.all(named: name, in: layout) { try make(definition) }
        try records.removePending(name)
      } catch let error as PostgreSQLError where !error.isConnectionLost {
        // This definition stays recorded, and the others are made.
        ServerLog.warn("\(connection.address): \(name) is left for the next program that opens the store: \(error)")
      }
    }
  }

  private func make(_ definition: LateDefinition) throws {
    for statement in definition.statements {
      guard !definition.isConcurrent else {
        try connection.execute(statement)
        continue
      }
      try connection.transaction {
        // Others wait behind a statement that waits for a table, so it does not wait long.
        try connection.execute("SET LOCAL lock_timeout = \(options.wholeMilliseconds)")
        try connection.execute("SET LOCAL statement_timeout = 0")
        try connection.execute(statement)
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
