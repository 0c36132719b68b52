package import CoreDataStore
import ErrorReporting
package import Foundation
import ManagedModel
import SQLite
import StoreRequests

/// A SQLite file with a store's data in tables with plain names, for programs that know nothing of Core Data.
///
/// A hierarchy of entities is one table, named after its root; its subentities are views. Foreign keys are declared.
/// Keys that refer to no object become NULL. See ``ExportSchema`` for the names.
package struct ExportDatabase: Sendable {
  /// The objects that could not keep their name of the model, with their new names.
  package private(set) var renamings: [(what: String, name: String)] = []
  package private(set) var danglingKeys = 0
  /// The rows of entities that the model lacks. They have no table.
  package private(set) var foreignRows = 0
  /// The texts that were written with U+FFFD in place of bytes that are not UTF-8.
  package private(set) var repairedTexts = RepairedTexts()
  /// The number of rows of each table.
  package private(set) var tables: [(name: String, rows: Int)] = []
  /// The names of indexes, which SQLite keeps in one namespace with tables.
  private var indexNames = ExportNames()

  /// Writes the file, which must not exist yet.
  ///
  /// - Parameter progress: called for each row; its error ends the export.
  /// - Throws: ``ExportDatabaseError`` if the file cannot be written, ``StoreError``, and errors of `progress`. The file
  ///   is then incomplete.
  package init(writing file: URL, of store: PersistentStore, progress: () throws -> Void = {}) throws {
    do {
      try self.init(file: file, store, progress)
    } catch let error as SQLiteError {
      throw ExportDatabaseError(reason: error.message)
    }
  }

  private init(file: URL, _ store: PersistentStore, _ progress: () throws -> Void) throws {
    let target = try Connection(path: file.path, mode: .create)
    defer { target.close() }
    try target.setPragma("synchronous", "OFF")
    let schema = try ExportSchema(store.storedTables)
    renamings = schema.renamings
    indexNames = ExportNames(taken: schema.entities.map(\.name.name) + schema.joins.map(\.name.name))
    try store.readState { state in
      let source = state.connection
      try ExportSQL.register(on: source)
      foreignRows = try state.countForeignRows()
      do {
        try target.transaction(.immediate) {
          for root in schema.entities where root.isRoot { try copy(root, schema, source, target, progress) }
          for join in schema.joins { try copy(join, schema, source, target, progress) }
          for root in schema.entities where root.isRoot { try relate(root, schema, target) }
          for entity in schema.entities where !entity.isRoot { try target.execute(Self.view(entity, schema)) }
        }
      } catch let error as SQLiteError where error.path == target.path {
        // Errors of the store name the store, so they pass unchanged.
        throw ExportDatabaseError(reason: error.message)
      }
    }
    try target.finish()
  }

  // MARK: Tables

  private mutating func copy(
    _ root: ExportSchema.Entity, _ schema: ExportSchema, _ source: Connection, _ target: Connection,
    _ progress: () throws -> Void
  ) throws {
    let columns = schema.hierarchy(root)
    var definitions = ["\(root.key.quoted) INTEGER PRIMARY KEY"]
    if let kind = root.kind { definitions.append("\(kind.quoted) TEXT NOT NULL") }
    definitions += columns.map { column in
      let reference = column.destination.flatMap { Self.table(of: $0, schema) }
      return "\(column.name.quoted) \(column.type)"
        + (reference.map { " REFERENCES \($0.name.quoted) (\($0.key.quoted))" } ?? "")
    }
    try target.execute("CREATE TABLE \(root.name.quoted) (\(definitions.joined(separator: ", ")))")
    let select = try schema.select(columns, of: root) + " ORDER BY \(root.key.quoted)"
    tables.append((root.name.name, try copy(select, to: root.name, source, target, progress)))
  }

  private mutating func copy(
    _ join: ExportSchema.Join, _ schema: ExportSchema, _ source: Connection, _ target: Connection,
    _ progress: () throws -> Void
  ) throws {
    func column(_ name: Identifier, _ entity: String) -> String {
      let reference = Self.table(of: entity, schema)
      return "\(name.quoted) INTEGER NOT NULL"
        + (reference.map { " REFERENCES \($0.name.quoted) (\($0.key.quoted))" } ?? "")
    }
    let names = join.columns
    let definitions =
      [column(names.owner, join.pairs.ownerName), column(names.destination, join.pairs.destinationName)]
      + join.positions.map { "\($0.quoted) INTEGER" }
      + ["PRIMARY KEY (\(names.owner.quoted), \(names.destination.quoted))"]
    try target.execute("CREATE TABLE \(join.name.quoted) (\(definitions.joined(separator: ", "))) WITHOUT ROWID")
    let select = schema.select(join)
    tables.append((join.name.name, try copy(select, to: join.name, source, target, progress)))
    try target.execute(
      "CREATE INDEX \(indexNames.take("\(join.name.name)_index").quoted) ON \(join.name.quoted) (\(names.destination.quoted))"
    )
  }

  /// Copies the rows of a query. Its first column is the row's key.
  private mutating func copy(
    _ select: String, to table: Identifier, _ source: Connection, _ target: Connection, _ progress: () throws -> Void
  ) throws -> Int {
    let rows = try source.prepare(select)
    let width = rows.columnCount
    let placeholders = repeatElement("?", count: width).joined(separator: ", ")
    let insert = try target.prepare("INSERT OR IGNORE INTO \(table.quoted) VALUES (\(placeholders))")
    var count = 0
    while try rows.step() {
      var reader = RowReader(rows, startingAt: 0)
      for column in 0..<width {
        let value = reader.value()
        if case .text(let text) = value, rows.isRepaired(text, column) {
          repairedTexts.add { (rows.columnName(column), "\(table.name)/p\(rows.integer(0))") }
        }
        try insert.bind(value, at: column + 1)
      }
      try insert.run()
      count += 1
      try progress()
    }
    return count
  }

  /// The table of an entity's objects, which is its root's.
  private static func table(of entity: String, _ schema: ExportSchema) -> ExportSchema.Entity? {
    schema.entity(entity)?.entity.lineage.first.flatMap(schema.entity)
  }

  // MARK: Keys and views

  /// Clears keys that refer to no object, and makes an index on each column of keys.
  private mutating func relate(_ root: ExportSchema.Entity, _ schema: ExportSchema, _ target: Connection) throws {
    for column in schema.hierarchy(root) {
      guard let destination = column.destination, let table = Self.table(of: destination, schema) else { continue }
      try target.execute(
        "UPDATE \(root.name.quoted) AS o SET \(column.name.quoted) = NULL WHERE o.\(column.name.quoted) IS NOT NULL"
          + " AND NOT EXISTS (SELECT 1 FROM \(table.name.quoted) AS d WHERE d.\(table.key.quoted) ="
          + " o.\(column.name.quoted))")
      danglingKeys += Int(target.changes)
      try target.execute(
        "CREATE INDEX \(indexNames.take("\(root.name.name)_\(column.name.name)_index").quoted)"
          + " ON \(root.name.quoted) (\(column.name.quoted))")
    }
  }

  private static func view(_ entity: ExportSchema.Entity, _ schema: ExportSchema) throws -> String {
    let names = [entity.key] + (entity.kind.map { [$0] } ?? []) + entity.columns.map(\.name)
    let kinds = entity.entity.kindNumbers.compactMap { schema.tables.entities.entity(numbered: $0)?.name }
    let root = table(of: entity.entity.name, schema) ?? entity
    return "CREATE VIEW \(entity.name.quoted) AS SELECT \(names.map(\.quoted).joined(separator: ", "))"
      + " FROM \(root.name.quoted) WHERE \((entity.kind ?? entity.key).quoted)"
      + " IN (\(kinds.map(Identifier.literal).joined(separator: ", ")))"
  }
}

/// The reason why an export database cannot be written.
package struct ExportDatabaseError: ReportableError, Sendable {
  /// SQLite's message.
  let reason: String

  package var problem: String { "the output cannot be written: \(reason)" }
  package var remedy: String? { "see that it can be written to, and that the disk has room" }
}
