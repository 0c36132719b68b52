import ErrorReporting
import Foundation
import ManagedModel
import ModelArchive
import PostgreSQL
import StoreRequests

/// The row that a store has of itself.
struct StoreRecord {
  let identifier: UUID
  /// Grows with each migration.
  let version: Int64
  /// The names of the definitions that the last migration left for the time after its commit, see ``LateDefinition``.
  let pending: [String]
  let naming: NamingRule
}

/// Reads and writes a store's records about itself: its identifier, its version, and its models, former ones included.
///
/// A model is kept as an archive, in the form in which a Core Data store keeps its own.
struct StoreRecords {
  let connection: Connection
  let options: ServerOptions

  private static let layoutVersion: Int64 = 2
  private static let leastServerVersion = 140_000

  private var schema: Identifier { Identifier(options.schema) }

  private func table(_ name: Identifier) -> String { "\(schema).\(name)" }

  func problem(_ text: String, remedy: String) -> StoreProblem {
    StoreProblem("\(connection.address): \(text)", remedy: remedy)
  }

  /// Checks the server, the database and the name of the schema.
  ///
  /// - Throws: ``StoreProblem``: the server is too old, the texts of the database are not in UTF-8, or the server uses the schema itself.
  func checkServer() throws {
    guard options.schema != "information_schema", !options.schema.hasPrefix("pg_") else {
      throw problem(
        "the schema \(quoted(options.schema)) is the server's own",
        remedy: "name another schema; it is made if it is new")
    }
    let refusal = Self.refusal(ofVersion: connection.serverVersion, encoding: connection.setting("server_encoding"))
    if let refusal { throw problem(refusal.problem, remedy: refusal.remedy) }
  }

  /// The reason why a server cannot have a store; `nil` if it can.
  static func refusal(ofVersion version: Int, encoding: String?) -> (problem: String, remedy: String)? {
    if version < leastServerVersion {
      return (
        "the server has version \(version / 10_000)", "use PostgreSQL \(leastServerVersion / 10_000) or later"
      )
    }
    if encoding != "UTF8" {
      return ("the database's texts have the encoding \(encoding ?? "?")", "make a database with ENCODING 'UTF8'")
    }
    return nil
  }

  /// Waits for the end of others that make or migrate the store, as long as the settings of the transaction allow. The lock ends with it.
  ///
  /// - Throws: ``StoreProblem`` if a stage of a migration opens its own store, for whose end it would wait.
  func lock() throws {
    try MigrationLock.check(self)
    try connection.execute("SELECT pg_advisory_xact_lock(\(AdvisoryLock.number("SwiftData \(options.schema)")))")
  }

  /// Whether the schema has a table.
  func exists(_ table: Identifier) throws -> Bool { try connection.hasTable(table, in: options.schema) }

  // MARK: Reading

  /// `nil` if the schema has no store.
  ///
  /// - Throws: ``StoreProblem`` for a store whose names follow another rule than the options'.
  func read() throws -> StoreRecord? {
    guard let record = try readOfAnyNaming() else { return nil }
    guard record.naming == options.naming else {
      throw problem(
        "the tables of the schema \(quoted(options.schema)) are named by the rule \(quoted(record.naming.rawValue)), not by \(quoted(options.naming.rawValue))",
        remedy: "give the configuration that rule")
    }
    return record
  }

  /// `nil` if the schema has no store.
  func readOfAnyNaming() throws -> StoreRecord? {
    guard try exists(StoreDefinitions.store) else { return nil }
    let name = table(StoreDefinitions.store)
    // Texts, so that a table of another layout gives an error in words.
    let columns: QueryResult
    do { columns = try connection.run("SELECT to_jsonb(s)::text FROM \(name) s") } catch let error as PostgreSQLError {
      throw error.namingRights(in: options.schema, isReadOnly: options.isReadOnly)
    }
    guard columns.rowCount == 1, let text = columns.text(0, 0),
      let row = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
      let identifier = (row["identifier"] as? String).flatMap({ UUID(uuidString: $0) })
    else {
      throw problem(
        "the table \(name) has not exactly one row", remedy: "restore the database from a copy")
    }
    let layoutVersion = (row["layout"] as? NSNumber)?.int64Value ?? 0
    guard layoutVersion == Self.layoutVersion, let version = (row["version"] as? NSNumber)?.int64Value else {
      throw problem(
        "the tables of the schema \(quoted(options.schema)) have the layout \(layoutVersion), not \(Self.layoutVersion)",
        remedy: "use the version of the package that made them")
    }
    guard let naming = NamingRule(rawValue: row["naming"] as? String ?? "") else {
      throw problem(
        "the tables of the schema \(quoted(options.schema)) are named by the unknown rule \(quoted(row["naming"] as? String ?? ""))",
        remedy: "use the version of the package that made them")
    }
    return StoreRecord(
      identifier: identifier, version: version, pending: row["pending"] as? [String] ?? [], naming: naming)
  }

  /// The hashes of the present version's entities.
  func hashes() throws -> VersionHashes {
    let rows = try connection.run("SELECT name, version_hash FROM \(table(StoreDefinitions.storeEntities))")
    var hashes: [String: Data] = [:]
    for row in 0..<rows.rowCount {
      if let name = rows.text(row, 0), let hash = rows.bytes(row, 1) { hashes[name] = Data(hash) }
    }
    return VersionHashes(hashes: hashes)
  }

  /// The present version.
  ///
  /// - Parameter formerModels: whether to read the models of the versions before, too.
  func version(formerModels: Bool = false) throws -> StoredVersion {
    let models = try models(last: !formerModels)
    return StoredVersion(
      hashes: try hashes(), versionIdentifiers: models.last?.versionIdentifiers ?? [], model: models.last,
      formerModels: models.dropLast())
  }

  func currentModel() throws -> ModelDescription? { try models(last: true).first }

  /// The models of all versions, the first one first; or the last one only.
  func models(last: Bool = false) throws -> [ModelDescription] {
    let rows = try connection.run(
      "SELECT model FROM \(table(StoreDefinitions.storeVersions)) ORDER BY number \(last ? "DESC LIMIT 1" : "")")
    return try (0..<rows.rowCount).compactMap { row in
      guard let bytes = rows.bytes(row, 0) else { return nil }
      do { return try ModelArchive.decode(Data(bytes)).readingContents() } catch {
        throw problem(
          "the model in \(table(StoreDefinitions.storeVersions)) cannot be read: \(error)",
          remedy: "restore the database from a copy")
      }
    }
  }

  /// Whether the tables of a model are defined as those of the model that the store keeps.
  ///
  /// Models with equal hashes may differ in names of structures, in delete rules and in indexes.
  func definesSameTables(_ model: ModelDescription, as stored: ModelDescription) throws -> Bool {
    func definitions(_ model: ModelDescription) throws -> [[UInt8]] {
      StoreDefinitions(layout: try LayoutBuilder.layout(model, schema: options.schema, rule: options.naming)).statements
        .map { Array($0.utf8) }
    }
    if model.hasNamesInASCII, model.recordingContents() == stored.recordingContents() { return true }
    // An archive may lack a part of a model, on which no definition may depend then.
    let kept = try ModelArchive.decode(try archive(model)).readingContents()
    return try definitions(kept) == definitions(stored)
  }

  private func archive(_ model: ModelDescription) throws -> Data {
    do { return try ModelArchive.encode(model.recordingContents()) } catch {
      throw problem("the model cannot be kept in the store: \(error)", remedy: "leave out the named part of the model")
    }
  }

  // MARK: Writing

  func insert(_ model: ModelDescription, identifier: UUID = UUID()) throws -> StoreRecord {
    let record = StoreRecord(identifier: identifier, version: 1, pending: [], naming: options.naming)
    _ = try connection.run(
      "INSERT INTO \(table(StoreDefinitions.store)) (identifier, layout, naming) VALUES ($1, $2::bigint, $3)",
      [.uuid(record.identifier), .integer(Self.layoutVersion), .text(options.naming.rawValue)])
    try add(model, version: 1)
    return record
  }

  /// Makes a model that of the store's present version.
  func add(_ model: ModelDescription, version: Int64) throws {
    let archive = try archive(model)
    _ = try connection.run(
      "INSERT INTO \(table(StoreDefinitions.storeVersions)) (number, model) VALUES ($1, $2)",
      [.integer(version), .bytes(archive)])
    let entities = table(StoreDefinitions.storeEntities)
    try connection.execute("DELETE FROM \(entities)")
    for (name, hash) in try VersionHashes(model).hashes.sorted(by: { $0.key < $1.key }) {
      _ = try connection.run("INSERT INTO \(entities) VALUES ($1, $2)", [.text(name), .bytes(hash)])
    }
  }

  /// Records a migration, and notifies all listening programs.
  ///
  /// - Parameter pending: the names of all definitions that are left for the time after the commit.
  func change(to model: ModelDescription, from record: StoreRecord, pending: [String]) throws {
    _ = try connection.run(
      "UPDATE \(table(StoreDefinitions.store)) SET version = $1, pending = $2",
      [.integer(record.version + 1), .texts(pending)])
    try add(model, version: record.version + 1)
    _ = try connection.run("SELECT pg_notify($1, '')", [.text(NotificationChannel.name(schema: options.schema))])
  }

  /// Adds the definitions that a store of an earlier version lacks: the tables of the history's readers and gap at once, indexes
  /// later.
  ///
  /// - Returns: whether anything was missing.
  func addMissingDefinitions(_ layout: StoreLayout) throws -> Bool {
    guard !connection.isInTransaction else { return false }
    func isComplete() throws -> Bool {
      try exists(StoreDefinitions.readers) && exists(StoreDefinitions.gap) && missingIndexes(layout).isEmpty
    }
    if try isComplete() { return false }
    return try connection.transaction(with: .unlimited) {
      try lock()
      var missing = try missingIndexes(layout)
      let hasGap = try exists(StoreDefinitions.gap)
      if !hasGap { try connection.execute(StoreDefinitions(layout: layout).gapTable) }
      if try !exists(StoreDefinitions.readers) {
        try connection.execute(StoreDefinitions(layout: layout).readersTable)
        missing.append(StoreDefinitions.committedIndex.name)
      }
      guard !missing.isEmpty else { return !hasGap }
      _ = try connection.run(
        "UPDATE \(table(StoreDefinitions.store)) SET pending = pending || $1", [.texts(missing)])
      return true
    }
  }

  /// The names of the indexes of strings that are still to be made. An index in the order of bytes counts as missing; one that is left
  /// for later already does not.
  private func missingIndexes(_ layout: StoreLayout) throws -> [String] {
    let names = layout.tables.flatMap { table in table.indexes.filter(table.isComposed).map(\.name.name) }
    if names.isEmpty { return [] }
    let found = try connection.run(
      """
      SELECT c.relname::text FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
      WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1::name) AND c.relname = ANY ($2::name[])
        AND i.indexprs IS NOT NULL AND i.indisvalid
      UNION SELECT unnest(pending) FROM \(table(StoreDefinitions.store))
      """, [.text(options.schema), .texts(names)])
    let known = Set((0..<found.rowCount).compactMap { found.text($0, 0) })
    return names.filter { !known.contains($0) }
  }

  func removePending(_ name: String) throws {
    _ = try connection.run(
      "UPDATE \(table(StoreDefinitions.store)) SET pending = array_remove(pending, $1)", [.text(name)])
  }
}
