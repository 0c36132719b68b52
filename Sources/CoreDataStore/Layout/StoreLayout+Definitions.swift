import ManagedModel
import SQLite

extension StoreLayout {
  /// The statements that make an empty store, in the order and the exact text of Core Data (CD-1.1).
  ///
  /// - Throws: ``LayoutError`` for an index that has no translation.
  package func definitions() throws -> [String] {
    var statements: [String] = []
    for table in tables {
      statements.append(definition(of: table))
      statements += joinTables.filter { entity(named: $0.master.entityName)?.rootNumber == table.rootNumber }
        .map(\.definition)
    }
    for entity in entities { statements += try indexes(of: entity).map(\.definition) }
    for entity in entities { statements += try triggerDefinitions(of: entity) }
    statements += StoreLayout.bookkeepingDefinitions
    statements += historyDefinitions
    return statements
  }

  /// CD-2.
  package func definition(of table: TableLayout) -> String {
    let columns = StoreLayout.objectColumns + table.columns.map { "\($0.name) \($0.type.sql)" }
    return "CREATE TABLE \(table.name) ( \(columns.joined(separator: ", ")) )"
  }

  /// CD-1.1.
  package static let bookkeepingDefinitions = [
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
  ]

  /// The columns with which every table of rows begins.
  static let objectColumns = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
}

extension JoinTableLayout {
  /// CD-3.3.
  package var definition: String {
    let order = [masterOrderColumn, otherOrderColumn].compactMap { $0 }
    let columns = ([masterColumn, otherColumn] + order).map { "\($0) INTEGER" }.joined(separator: ", ")
    return "CREATE TABLE \(name) ( \(columns), PRIMARY KEY (\(masterColumn), \(otherColumn)) )"
  }

  /// CD-3.3.
  package var index: IndexLayout {
    IndexLayout(
      kind: .join, name: Identifier("\(name.name)_\(otherColumn.name)_INDEX"), table: name,
      elements: ["\(otherColumn)", "\(masterColumn)"])
  }
}
