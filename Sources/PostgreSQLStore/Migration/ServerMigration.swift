import ErrorReporting
import Foundation
import ManagedModel
import PostgreSQL
import StoreRequests

/// The transaction of a migration.
final class ServerMigration {
  private let connection: Connection
  private let options: ServerOptions
  private let records: StoreRecords
  private let record: StoreRecord
  private(set) var version: StoredVersion
  private var model: ModelDescription
  private var isChanged = false
  /// The names of the definitions that are left for the time after the commit.
  private var pending: [String] = []
  private var pools: [ConnectionPool] = []
  /// `nil` before the first change.
  private var statistics: TableStatistics?
  /// What others have added to tables and the migration cannot keep, in words.
  private(set) var warnings: [String] = []

  init(_ connection: Connection, _ options: ServerOptions) throws {
    self.connection = connection
    self.options = options
    records = StoreRecords(connection: connection, options: options)
    guard let record = try records.read(), case let version = try records.version(formerModels: true),
      let model = version.model
    else {
      throw records.problem(
        "the schema \(options.schema) has no store", remedy: "open the store again, so that it is made")
    }
    self.record = record
    (self.version, self.model) = (version, model)
  }

  /// Runs the program's code and statements, and infers the changes between.
  func run(_ step: MigrationStep) throws {
    try execute(step.statementsBefore)
    if let code = step.codeBefore { try running { try code(engine(step.source ?? model)) } }
    if let code = step.codeBeside {
      try running {
        try withCopy(step.source ?? model) { old in
          try infer(step)
          try code(old, engine(step.model))
        }
      }
    } else {
      try infer(step)
    }
    if let code = step.codeAfter { try running { try code(engine(step.model)) } }
    try execute(step.statementsAfter)
  }

  /// Runs code of the program, whose engines end with it.
  ///
  /// A program may keep objects. A statement that reads them from tables of another version would fail, and abort the transaction.
  private func running(_ code: () throws -> Void) rethrows {
    defer { end() }
    try code()
  }

  /// Infers the changes of the rows to a step's model, and makes them.
  private func infer(_ step: MigrationStep) throws {
    let (model, keepsOtherEntities) = (step.model, step.keepsOtherEntities)
    let next = (keepsOtherEntities ? model.keepingOtherEntities(of: self.model) : model).keepingContents(of: self.model)
    let isNamedSo = keepsOtherEntities || Set(version.versionIdentifiers) == Set(model.versionIdentifiers)
    if isNamedSo, try version.hashes == VersionHashes(next), try records.definesSameTables(next, as: self.model) {
      return
    }
    try begin()
    try makePending()
    try updateStatistics()
    let old = try layout(self.model)
    let planner = MigrationPlanner(
      from: old, to: try layout(next), mergesDuplicates: options.duplicates != .fail, convertsKinds: step.convertsKinds,
      former: try FormerTablesReader(connection: connection, layout: old).read())
    let script = try planner.script(removesEntities: !keepsOtherEntities)
    try script.run(on: connection)
    warnings += script.warnings
    try planner.completeTexts(over: connection)
    let state = StoreState(identifier: record.identifier.uuidString, version: record.version)
    let duplicates = DuplicateRows(
      connection: connection, layout: planner.new, state: state, policy: options.duplicates)
    for constraint in script.merges { try duplicates.merge(constraint) }
    try connection.forgetStatements()
    pending = script.pending.map(\.name.name)
    self.model = next
    version = StoredVersion(
      hashes: try VersionHashes(next), versionIdentifiers: next.versionIdentifiers, model: next)
  }

  /// Runs statements of the program.
  private func execute(_ statements: [String]) throws {
    guard !statements.isEmpty else { return }
    try begin()
    for statement in statements {
      // A block runs no command that ends the transaction: half of the migration would stay.
      let block = "BEGIN EXECUTE \(sqlLiteral(statement)); END"
      do { try connection.execute("DO \(sqlLiteral(block))") } catch let error as PostgreSQLError
        where error.state == .featureNotSupported
      {
        throw StoreProblem(
          "\(connection.address): the statement \(quoted(onOneLine(statement, limit: 200))) of a stage cannot run: \(error.message)",
          remedy: "leave COMMIT, ROLLBACK and BEGIN out: all stages run in one transaction")
      }
    }
  }

  /// An engine that reads and writes in the transaction, until the end of the code that it is for.
  ///
  /// - Parameter model: the model of the store at this point.
  private func engine(_ model: ModelDescription) throws -> any StoreEngine {
    try begin()
    try updateStatistics()
    return try engine(model.keepingOtherEntities(of: self.model).keepingContents(of: self.model), in: options.schema)
  }

  /// Runs a closure with an engine over a copy of the rows as they were before the changes that the closure makes.
  ///
  /// The copy is another schema, which goes at the end. Cost: each row is written once.
  private func withCopy(_ model: ModelDescription, _ body: (any StoreEngine) throws -> Void) throws {
    try begin()
    let name = "_migrating_\(UUID().uuidString.lowercased().prefix(8))"
    let (layout, copy) = (
      try layout(self.model), try LayoutBuilder.layout(self.model, schema: name, rule: options.naming)
    )
    do { try connection.execute("CREATE SCHEMA \(copy.schema)") } catch let error as PostgreSQLError
      where error.state == .insufficientPrivilege
    {
      throw error.advising(
        "the stage keeps the old rows in a schema of its own: let an administrator run GRANT CREATE ON DATABASE \(Identifier(connection.database)) TO \(Identifier(connection.user))"
      )
    }
    // Rows of a store of an earlier version, or of a lenient copy, may lack values that the model requires.
    for statement in StoreDefinitions(layout: copy, requiresValues: false).tables { try connection.execute(statement) }
    func fill(_ table: Identifier, _ columns: [Identifier]) throws {
      let list = columns.map(\.description).joined(separator: ", ")
      try connection.execute(
        "INSERT INTO \(copy.qualified(table)) (\(list)) SELECT \(list) FROM \(layout.qualified(table))")
    }
    try fill(StoreDefinitions.store, ["identifier", "layout", "naming", "version", "last_transaction"])
    for table in layout.tables {
      let own = [TableLayout.key, TableLayout.version] + (table.hasKinds ? [TableLayout.kind] : [])
      try fill(table.name, own + table.columns.map(\.name))
    }
    for table in layout.joinTables {
      try fill(table.name, [table.own, table.other] + [table.order, table.inverseOrder].compactMap(\.self))
    }
    try statistics?.update(schema: copy.schema)
    try body(try engine(model.keepingOtherEntities(of: self.model).keepingContents(of: self.model), in: name))
    try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    try connection.execute("DROP SCHEMA \(copy.schema) CASCADE")
  }

  private func engine(_ model: ModelDescription, in schema: String) throws -> ServerStore {
    let pool = ConnectionPool(lending: connection)
    pools.append(pool)
    return ServerStore(
      identifier: record.identifier, version: record.version,
      layout: try LayoutBuilder.layout(model, schema: schema, rule: options.naming), pool: pool, isReadOnly: false)
  }

  private func layout(_ model: ModelDescription) throws -> StoreLayout {
    try LayoutBuilder.layout(model, schema: options.schema, rule: options.naming)
  }

  /// Keeps writers away from the store's tables, before the first change. Readers wait only for tables that are changed.
  private func begin() throws {
    guard !isChanged else { return }
    let layout = try layout(model)
    // Other connections queue behind a migration that waits for a lock, so it does not wait long.
    try connection.set(.lockWait(milliseconds: options.wholeMilliseconds), for: .transaction)
    // A policy would hide rows from the migration, and they would be lost. Now a statement that it concerns fails.
    try connection.execute("SET LOCAL row_security = off")
    // Plain names in a program's own statements are those of the store's tables.
    try connection.execute("SET LOCAL search_path = \(layout.schema), public")
    // A table with checks that wait for the end of the transaction cannot be changed.
    try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    let tables = layout.tables.map(\.sql) + layout.joinTables.map(\.sql)
    if !tables.isEmpty {
      // Saves that have read a row would wait for these locks, and the changes of the tables for the saves.
      try connection.execute(AdvisoryLock.ofSaves(in: Identifier(options.schema), isExclusive: true))
      try connection.execute("LOCK TABLE \(tables.joined(separator: ", ")) IN SHARE ROW EXCLUSIVE MODE")
    }
    pending = record.pending
    statistics = try TableStatistics(connection, schema: layout.schema)
    isChanged = true
  }

  private func updateStatistics() throws { try statistics?.update(schema: Identifier(options.schema)) }

  private func makePending() throws {
    try PendingDefinitions.make(pending, of: layout(model), inTransactionOf: connection)
    pending = []
  }

  /// Records the new version.
  ///
  /// - Returns: whether anything was done.
  func finish() throws -> Bool {
    if isChanged {
      try records.change(to: model, from: record, pending: pending)
      try updateStatistics()
    }
    return isChanged
  }

  /// Ends the use of the engines, whose contexts a program may have kept.
  func end() {
    for pool in pools { pool.close() }
    pools = []
  }
}
