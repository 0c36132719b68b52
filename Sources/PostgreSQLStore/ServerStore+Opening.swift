import ErrorReporting
package import Foundation
package import ManagedModel
import PostgreSQL
import StoreRequests

/// How a store is opened.
package struct ServerOptions: Sendable, Hashable {
  /// The schema of the database that has the tables; made if it does not exist.
  package var schema = "public"
  package var naming = NamingRule.snakeCase
  /// The largest number of connections.
  package var connectionLimit = 8
  /// The seconds that an attempt to connect, and the wait for a connection of the pool, may take.
  package var deadline: TimeInterval = 10
  package var isReadOnly = false

  package init() {}
}

extension ServerStore {
  /// Opens the store of a database's schema; makes its tables if the schema has none.
  ///
  /// - Parameter log: called with each statement before it runs; for tests and logs.
  /// - Throws: ``StoreProblem``, or ``PostgreSQLError`` from the server.
  package static func open(
    _ address: String, options: ServerOptions, model: ModelDescription, log: (@Sendable (String) -> Void)? = nil
  ) throws -> ServerStore {
    guard !options.schema.isEmpty, options.schema.utf8.count <= Identifier.longestName, !options.schema.hasNUL
    else {
      throw StoreProblem(
        "the name of the schema \(quoted(options.schema)) is empty, too long, or has a NUL character",
        remedy: "choose a name of at most \(Identifier.longestName) bytes")
    }
    let layout = try LayoutBuilder.layout(model, schema: options.schema, rule: options.naming)
    let pool = ConnectionPool(
      try ServerAddress(address), size: options.connectionLimit, deadline: options.deadline, log: log)
    let identifier = try pool.withConnection { connection in
      try StoreOpening(connection: connection, layout: layout, hashes: VersionHashes(model), options: options).run()
    }
    return ServerStore(identifier: identifier, layout: layout, pool: pool, isReadOnly: options.isReadOnly)
  }
}

/// Finds, checks or makes the tables of a store.
private struct StoreOpening {
  let connection: Connection
  let layout: StoreLayout
  let hashes: VersionHashes
  let options: ServerOptions

  private static let layoutVersion: Int64 = 1
  private static let leastServerVersion = 140_000

  func run() throws -> UUID {
    guard connection.serverVersion >= Self.leastServerVersion else {
      throw problem(
        "the server has version \(connection.serverVersion / 10_000)",
        remedy: "use PostgreSQL \(Self.leastServerVersion / 10_000) or later")
    }
    guard connection.setting("server_encoding") == "UTF8" else {
      throw problem(
        "the database's texts have the encoding \(connection.setting("server_encoding") ?? "?")",
        remedy: "make a database with ENCODING 'UTF8'")
    }
    if let identifier = try existingStore() { return identifier }
    guard !options.isReadOnly else {
      throw problem("the schema \(quoted(options.schema)) has no store", remedy: "open it for writing once")
    }
    return try connection.transaction {
      // Two programs may open a new store at the same time.
      _ = try connection.run(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [.text("SwiftData \(options.schema)")])
      if let identifier = try existingStore() { return identifier }
      return try makeStore()
    }
  }

  private func problem(_ text: String, remedy: String) -> StoreProblem {
    StoreProblem("\(connection.address): \(text)", remedy: remedy)
  }

  /// Whether the schema has a table.
  ///
  /// A query reads the catalogue as it is after the lock. `to_regclass` may read an older copy of it.
  private func exists(_ table: Identifier) throws -> Bool {
    let sql =
      "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2"
    return try connection.run(sql, [.text(layout.schema.name), .text(table.name)]).rowCount > 0
  }

  /// The identifier of the store; `nil` if there is none.
  private func existingStore() throws -> UUID? {
    guard try exists(StoreDefinitions.store) else { return nil }
    let store = try connection.run(
      "SELECT identifier::text, layout FROM \(layout.qualified(StoreDefinitions.store))")
    guard store.rowCount == 1, let identifier = store.text(0, 0).flatMap({ UUID(uuidString: $0) }) else {
      throw problem(
        "the table \(layout.qualified(StoreDefinitions.store)) has not exactly one row",
        remedy: "restore the database from a copy")
    }
    guard store.integer(0, 1) == Self.layoutVersion else {
      throw problem(
        "the tables of the schema \(quoted(options.schema)) have the layout \(store.integer(0, 1)), not \(Self.layoutVersion)",
        remedy: "use the version of the package that made them")
    }
    try checkModel()
    try checkColumns()
    return identifier
  }

  private func checkModel() throws {
    let rows = try connection.run("SELECT name, version_hash FROM \(layout.qualified(StoreDefinitions.storeEntities))")
    var stored: [String: Data] = [:]
    for row in 0..<rows.rowCount {
      if let name = rows.text(row, 0), let hash = rows.bytes(row, 1) { stored[name] = Data(hash) }
    }
    let differing = hashes.differingEntities(from: VersionHashes(hashes: stored))
    guard differing.isEmpty else {
      throw problem(
        "the schema \(quoted(options.schema)) has the tables of another version of the model; these entities differ: "
          + abbreviatedList(differing.map(quoted)),
        remedy:
          "open it with the classes that made it, or choose another schema: PostgreSQL stores are not migrated yet")
    }
  }

  /// Checks that no table was changed by hand in a way that would make statements fail.
  private func checkColumns() throws {
    let rows = try connection.run(
      """
      SELECT c.relname::text, a.attname::text, a.atttypid::bigint FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE n.nspname = $1 AND a.attnum > 0 AND NOT a.attisdropped
      """, [.text(options.schema)])
    var types: [String: [String: Int64]] = [:]
    for row in 0..<rows.rowCount {
      types[rows.text(row, 0) ?? "", default: [:]][rows.text(row, 1) ?? ""] = rows.integer(row, 2)
    }
    func check(_ table: Identifier, _ column: Identifier, _ type: DataType) throws {
      guard let found = types[table.name]?[column.name] else {
        throw problem(
          "the table \(quoted(table.name)) has no column \(quoted(column.name))", remedy: "undo the change of the table"
        )
      }
      guard found == Int64(type.rawValue) else {
        throw problem(
          "the column \(quoted(column.name)) of the table \(quoted(table.name)) is not of the type \(type.sql)",
          remedy: "undo the change of the table")
      }
    }
    for table in layout.tables {
      try check(table.name, TableLayout.key, .integer64)
      try check(table.name, TableLayout.version, .integer64)
      if table.hasKinds { try check(table.name, TableLayout.kind, .text) }
      for column in table.columns { try check(table.name, column.name, column.type) }
    }
    for table in layout.joinTables {
      for column in [table.own, table.other, table.order, table.inverseOrder].compactMap(\.self) {
        try check(table.name, column, .integer64)
      }
    }
  }

  private func makeStore() throws -> UUID {
    let found = try connection.run("SELECT 1 FROM pg_namespace WHERE nspname = $1", [.text(options.schema)])
    if found.rowCount == 0 { try connection.execute("CREATE SCHEMA \(layout.schema)") }
    let names = layout.tables.map(\.name) + layout.joinTables.map(\.name)
    for name in names where try exists(name) {
      throw problem(
        "the schema \(quoted(options.schema)) already has a table \(quoted(name.name)), which no SwiftData store made",
        remedy: "choose another schema, or rename the table")
    }
    for statement in StoreDefinitions(layout: layout).statements { try connection.execute(statement) }
    let identifier = UUID()
    _ = try connection.run(
      "INSERT INTO \(layout.qualified(StoreDefinitions.store)) (identifier, layout) VALUES ($1, $2)",
      [.uuid(identifier), Parameter(.integer32, [0, 0, 0, UInt8(Self.layoutVersion)])])
    for (name, hash) in hashes.hashes.sorted(by: { $0.key < $1.key }) {
      _ = try connection.run(
        "INSERT INTO \(layout.qualified(StoreDefinitions.storeEntities)) VALUES ($1, $2)",
        [.text(name), .bytes(hash)])
    }
    return identifier
  }
}
