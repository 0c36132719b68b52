package import Foundation
package import ManagedModel
import SQLite
import StoreRequests

/// The result of a migration.
package struct MigrationReport: Sendable {
  /// The changes of each step, in words.
  package let changes: [ModelChange]
  /// The SQL that was run.
  package let statements: [String]
  /// Whether the store had the last model already, so that nothing was written.
  package let wasUpToDate: Bool
}

extension PersistentStore {
  /// Migrates a store to a model, or through several models to the last one, in one transaction.
  ///
  /// The rows, their keys and versions, the store's identifier, history, other programs' tables and metadata stay. If anything
  /// fails, or the process ends, the store is as it was. A second process that migrates the same store waits, and then finds it
  /// migrated. Cost: each row of a changed table is written once per step.
  /// - Parameters:
  ///   - models: the models to pass through, in order.
  ///   - source: the store's model, if the store has none in itself.
  /// - Throws: ``MigrationError`` with the rows in the way; ``StoreError``.
  @discardableResult
  package static func migrate(
    at url: URL, through models: [ModelDescription], from source: ModelDescription? = nil,
    options: StoreOptions = StoreOptions()
  ) throws -> MigrationReport {
    let hasModel = (try? StoreModel.read(url)) != nil
    let store = try open(
      at: url, options: StoreOptions(isReadOnly: false, createsIfMissing: false, busyTimeout: options.busyTimeout),
      model: hasModel ? nil : source)
    defer { store.close() }
    return try store.migrate(through: models)
  }

  /// The scripts of a migration, without running them.
  ///
  /// - Throws: ``MigrationError``, ``StoreError``
  package func migrationScript(to model: ModelDescription) throws -> MigrationScript {
    let catalogue = try read { try Catalogue($0) }
    return try planning { try MigrationPlanner(from: layout, to: model, catalogue: catalogue).script() }
  }

  private func migrate(through models: [ModelDescription]) throws -> MigrationReport {
    guard let last = models.last else { return MigrationReport(changes: [], statements: [], wasUpToDate: true) }
    let wanted = try planning { try VersionHashes(last) }
    return try write { connection in
      let metadata = try StoreMetadata(connection)
      // Another process may have migrated the store since it was opened.
      if metadata.hashes == wanted { return MigrationReport(changes: [], statements: [], wasUpToDate: true) }
      guard metadata.hashes == self.metadata.hashes else { throw StoreError(path: url?.path, .replaced) }
      try connection.setPragma("legacy_alter_table", "ON")
      defer { _ = try? connection.setPragma("legacy_alter_table", "OFF") }
      var (changes, statements): ([ModelChange], [String]) = ([], [])
      var model = layout.model
      for next in models {
        let catalogue = try Catalogue(connection)
        let script = try planning {
          let numbers = try PrimaryKeys(connection).numbers
          let old = try StoreLayout(
            model: model, entityNames: entityNames(of: model), catalogue: catalogue, numbers: numbers)
          return try MigrationPlanner(from: old, to: next, catalogue: catalogue).script()
        }
        try script.run(on: connection)
        try write(next, to: connection)
        changes += script.changes
        statements += script.statements
        model = next
      }
      return MigrationReport(changes: changes, statements: statements, wasUpToDate: false)
    }
  }

  private func entityNames(of model: ModelDescription) -> Set<String>? {
    model == layout.model ? layout.entityNames : nil
  }

  private func planning<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as LayoutError {
      throw StoreError(path: url?.path, .unusableModel(reason: "\(error)"))
    } catch let error as VersionHashError {
      throw StoreError(path: url?.path, .unusableModel(reason: "\(error)"))
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
    if try Catalogue(connection).has("Z_MODELCACHE") {
      try connection.execute("DELETE FROM Z_MODELCACHE")
    } else {
      try connection.execute("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
    }
    try ModelCache.write(model, to: connection)
  }
}

extension MigrationScript {
  /// Runs the script in the caller's transaction.
  ///
  /// - Throws: ``MigrationError``, `SQLiteError`
  func run(on connection: Connection) throws {
    let bitmaps = bitmaps
    try connection.registerFunction(MigrationPlanner.bitmapFunction, argumentCount: 2) { arguments in
      guard let bytes = arguments.blob(1),
        let migrated = bitmaps[Int(arguments.integer(0))]?.migrated(bytes)
      else { return .null }
      return .blob(migrated)
    }
    for step in steps {
      switch step {
      case .check(let sql, let obstacle):
        let count = try connection.integer(sql) ?? 0
        guard count == 0 else { throw MigrationError(obstacle: obstacle, rowCount: count) }
      case .run(let sql): try connection.execute(sql)
      case .attempt(let sql):
        do { try connection.savepoint { try connection.execute(sql) } } catch let error as SQLiteError
          where error.code == .error
        { continue }
      }
    }
  }
}
