import ErrorReporting
package import Foundation
import Logging
package import ManagedModel
import SQLite
package import StoreRequests

extension PersistentStore {
  /// - Parameter keepsOtherEntities: whether entities that a model does not mention stay in the store.
  @discardableResult
  package static func migrate(
    at url: URL, through models: [ModelDescription], from source: ModelDescription? = nil,
    keepsOtherEntities: Bool = false, duplicates: ChangeSet.DuplicatePolicy = .fail,
    options: StoreOptions = StoreOptions()
  ) throws -> Bool {
    try migrate(
      at: url, through: models.map { MigrationStep($0, keepsOtherEntities: keepsOtherEntities) }, from: source,
      duplicates: duplicates, options: options)
  }

  /// Migrates a store to a model, or through several models to the last one, in one transaction.
  ///
  /// The rows, their keys and versions, the store's identifier, history, other programs' tables and metadata stay. If anything
  /// fails, or the process ends, the store is as it was. Cost: each row of a changed table is written once per step.
  /// - Parameters:
  ///   - steps: the models to pass through, in order, with the program's own statements. Their code does not run.
  ///   - source: the store's model, if the store has none in itself.
  ///   - duplicates: the treatment of rows that a new uniqueness constraint finds with equal values.
  ///   - progress: is called with the index of each step before it.
  /// - Returns: whether the store had another model.
  /// - Throws: ``MigrationError`` with the rows in the way; ``StoreError``, among them ``StoreError/Kind/migrated`` if another
  ///   process has migrated the store meanwhile.
  @discardableResult
  package static func migrate(
    at url: URL, through steps: [MigrationStep], from source: ModelDescription? = nil,
    duplicates: ChangeSet.DuplicatePolicy = .fail, options: StoreOptions = StoreOptions(),
    progress: (Int) -> Void = { _ in }
  ) throws -> Bool {
    AbandonedDraft.sweep(url)
    let hasModel = (try? StoreModel.read(url)) != nil
    let store = try open(
      at: url, options: StoreOptions(isReadOnly: false, createsIfMissing: false, busyTimeout: options.busyTimeout),
      model: hasModel ? nil : source)
    defer { store.close() }
    return try store.migrate(through: steps, duplicates: duplicates, progress: progress)
  }

  private func migrate(
    through steps: [MigrationStep], duplicates: ChangeSet.DuplicatePolicy, progress: (Int) -> Void
  ) throws -> Bool {
    guard let last = steps.last, try planning({ try !StoredVersion(metadata).has(last) }) else { return false }
    let files = MigratedFiles()
    defer { files.settle() }
    return try write { connection in
      try files.begin(self, connection)
      try connection.setPragma("legacy_alter_table", "ON")
      defer { _ = try? connection.setPragma("legacy_alter_table", "OFF") }
      var model = layout.model
      for (index, step) in steps.enumerated() {
        progress(index)
        try step.runStatementsBefore(on: connection)
        let next = step.keepsOtherEntities ? step.model.keepingOtherEntities(of: model) : step.model
        let catalogue = try Catalogue(connection)
        let script = try planning {
          let numbers = try PrimaryKeys(connection).numbers
          let old = try StoreLayout(
            model: model, entityNames: entityNames(of: model), catalogue: catalogue, numbers: numbers)
          return try MigrationPlanner(
            from: old, to: next, catalogue: catalogue, mergesDuplicates: duplicates != .fail,
            convertsKinds: step.convertsKinds
          ).script(removesEntities: !step.keepsOtherEntities)
        }
        try script.run(on: connection)
        try makeUnique(script, next, duplicates, connection)
        for warning in script.warnings {
          Logger(label: "CoreDataStore").warning("Migrating \(url?.path ?? "a store in memory"): \(warning).")
        }
        try write(next, to: connection)
        try step.runStatementsAfter(
          on: connection,
          in: try planning {
            try StoreLayout(
              model: next, catalogue: try Catalogue(connection), numbers: try PrimaryKeys(connection).numbers)
          })
        model = next
      }
      try files.prepareCommit(on: connection)
      return true
    }
  }

  /// Merges rows with equal values, and adds the uniqueness constraints of a script that has run.
  func makeUnique(
    _ script: MigrationScript, _ model: ModelDescription, _ policy: ChangeSet.DuplicatePolicy, _ connection: Connection
  ) throws {
    guard !script.uniqueness.isEmpty else { return }
    let layout = try planning {
      try StoreLayout(
        model: model, catalogue: try Catalogue(connection), numbers: try PrimaryKeys(connection).numbers)
    }
    let rows = DuplicateRows(connection: connection, layout: layout, files: externalDataWriter, policy: policy)
    for uniqueness in script.uniqueness {
      let count = try rows.merge(uniqueness)
      try connection.execute(uniqueness.definition)
      guard count > 0 else { continue }
      Logger(label: "CoreDataStore").warning(
        "Migrating \(url?.path ?? "a store in memory"): merged \(counted(count, "row")) of entity \(uniqueness.entity), which had the \(uniqueness.constraint.joined(separator: ", ")) of another."
      )
    }
  }

  private func entityNames(of model: ModelDescription) -> Set<String>? {
    model == layout.model ? layout.entityNames : nil
  }

  private func planning<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as LayoutError {
      throw StoreError(path: url?.path, unusableModel: error)
    } catch let error as VersionHashError {
      throw StoreError(path: url?.path, unusableModel: error)
    }
  }

  /// Writes the metadata and the cached model (CD-1.3, CD-1.4). Other entries of the metadata stay.
  private func write(_ model: ModelDescription, to connection: Connection) throws {
    let metadata = try StoreMetadata(connection)
    let hashes = try planning { try VersionHashes(model) }
    var entries: [String: (any Sendable)?] = [
      StoreMetadata.Key.hashes: hashes.hashes,
      StoreMetadata.Key.versionIdentifiers: model.versionIdentifiers,
    ]
    if metadata.digest != nil { entries[StoreMetadata.Key.digest] = hashes.digest }
    if metadata.checksum != nil { entries[StoreMetadata.Key.checksum] = hashes.checksum }
    let row = try StoreMetadata(
      identifier: metadata.identifier, propertyList: metadata.propertyList(setting: entries))
    try row.write(to: connection)
    // A new table changes the schema version, by which open stores notice every migration.
    try connection.execute("DROP TABLE IF EXISTS Z_MODELCACHE")
    try connection.execute("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
    try ModelCache.write(model, to: connection)
  }
}

extension MigrationScript {
  /// Runs the script in the caller's transaction.
  ///
  /// - Throws: ``MigrationError``, `SQLiteError`
  func run(on connection: Connection, progress: StatementProgress? = .current) throws {
    let bitmaps = bitmaps
    try connection.registerFunction(MigrationPlanner.bitmapFunction, argumentCount: 2) { arguments in
      guard let bytes = arguments.blob(1),
        let migrated = bitmaps[Int(arguments.integer(0))]?.migrated(bytes)
      else { return .null }
      return .blob(migrated)
    }
    for (position, step) in steps.enumerated() {
      try progress?.report(Double(position) / Double(steps.count))
      switch step {
      case .check: if let error = try step.obstacle(on: connection) { throw error }
      case .run(let sql): try connection.execute(sql)
      case .attempt(let sql):
        // The text comes from the store, so it may be one statement only, and define one thing.
        guard sql.isDefinition else { continue }
        do { try connection.savepoint { try connection.prepare(sql).run() } } catch let error as SQLiteError
          where error.code == .error || error.code == .misuse
        { continue }
      }
    }
  }
}

extension MigrationScript.Step {
  /// The obstacle that a check finds.
  func obstacle(on connection: Connection) throws -> MigrationError? {
    guard case .check(let sql, let obstacle, let example) = self, let count = try connection.integer(sql), count != 0
    else { return nil }
    return MigrationError(
      obstacle: obstacle, rowCount: count, example: try example.flatMap { try connection.text($0) })
  }
}

extension String {
  /// Whether the text begins as the definition of an index or a trigger.
  fileprivate var isDefinition: Bool {
    let words = prefix(80).uppercased().split(whereSeparator: \.isWhitespace)
    guard words.first == "CREATE" else { return false }
    return words.dropFirst().first.map { ["INDEX", "UNIQUE", "TRIGGER"].contains($0) } ?? false
  }
}
