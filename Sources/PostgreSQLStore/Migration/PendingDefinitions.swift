import ErrorReporting
import ManagedModel
import PostgreSQL

/// The definitions that a migration has left, which the store records until they are made; see ``LateDefinition``.
///
/// The next program that opens the store for writing makes those that an interrupted program has left.
struct PendingDefinitions {
  /// Keeps the lock.
  private let connection: Connection
  private let options: ServerOptions
  private let lock: String

  init(_ connection: Connection, _ options: ServerOptions) {
    self.connection = connection
    self.options = options
    lock = AdvisoryLock.number("SwiftData \(options.schema) pending")
  }

  /// Makes the definitions outside of a transaction, unless another program is doing so.
  ///
  /// Waits for locks about as long as the deadline. Behind a pooler, the server's own limits apply to indexes. Leaves blocked definitions
  /// to the next program.
  func make() throws {
    guard !connection.isInTransaction else { return }
    // A transaction keeps the lock, since a pooler may share the sessions themselves.
    try connection.transaction(with: .lasting) {
      // A plain query leaves no snapshot behind, for whose end the making of an index would wait.
      let attempt = try connection.execute("SELECT pg_try_advisory_xact_lock(\(lock))")
      if attempt.text(0, 0) == "t" { try makeAll(over: workingConnection()) }
    }
  }

  /// A statement may run long. It waits for locks and old transactions only until the deadline, because the opening program waits for it.
  private var limits: ServerSettings { .unlimited + .lockWait(milliseconds: options.wholeMilliseconds) }

  /// A connection for statements outside of transactions, which have the settings of its session. It ends with the work.
  private func workingConnection() throws -> Connection {
    let working = try options.connect(connection.address)
    working.log = connection.log
    // A pooler would give the session, with its settings, to others.
    if !options.sharesSessions { try working.set(limits, for: .session) }
    return working
  }

  private func makeAll(over working: Connection) throws {
    let records = StoreRecords(connection: working, options: options)
    guard let names = try records.read()?.pending, !names.isEmpty, let model = try records.currentModel() else {
      return
    }
    let layout = try LayoutBuilder.layout(model, schema: options.schema, rule: options.naming)
    for name in names {
      do {
        for definition in LateDefinition.all(named: name, in: layout) { try make(definition, over: working) }
        try records.removePending(name)
      } catch let error as PostgreSQLError where !error.isConnectionLost {
        // This definition stays recorded, and the others are made.
        ServerLog.warn(
          UnmetDefinition(name, of: layout, after: error, over: working)?.fullMessage
            ?? "\(connection.address): \(name) is left for the next program that opens the store: \(error)")
        // An old transaction that blocks one index also blocks the others.
        if error.state == .lockNotAvailable { return }
      }
    }
  }

  private func make(_ definition: LateDefinition, over working: Connection) throws {
    for statement in definition.statements {
      if definition.isConcurrent {
        do { try working.execute(statement) } catch let error as PostgreSQLError where error.state == .lockNotAvailable
        {
          // Drops the invalid index: no query would use it, but every write would maintain it.
          if let leftover = definition.leftover {
            try? working.transaction(with: limits) { _ = try working.execute("DROP INDEX IF EXISTS \(leftover)") }
          }
          throw error
        }
      } else {
        try working.transaction(with: limits) { _ = try working.execute(statement) }
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
