import ErrorReporting
import ManagedModel
package import SQLite

extension StoreLayout {
  /// The statements that make an empty store, in Core Data's order and exact text (CD-1.1).
  ///
  /// - Throws: ``LayoutError`` for an index that cannot be translated, and for colliding names.
  package func definitions() throws -> [String] {
    var statements: [String] = []
    var names = DefinitionNames()
    func add(
      _ definitions: [String], for user: String = "the store itself", properties: [String] = []
    ) throws {
      for definition in definitions {
        try names.add(definition, of: DefinitionNames.User(words: user, properties: properties))
      }
      statements += definitions
    }
    for table in tables {
      try add([definition(of: table)], for: user(table.rootNumber))
      for join in joinTables where entity(named: join.master.entityName)?.rootNumber == table.rootNumber {
        try check(join)
        try add([join.definition], for: "entity \(quoted(join.master.entityName))")
      }
    }
    for entity in entities {
      for index in try indexes(of: entity) {
        try add([index.definition], for: user(entity.number), properties: index.properties)
      }
    }
    for entity in entities { try add(try triggerDefinitions(of: entity), for: user(entity.number)) }
    try add(StoreLayout.bookkeepingDefinitions)
    try add(historyDefinitions)
    return statements
  }

  private func user(_ number: Int) -> String { "entity \(quoted(entity(numbered: number)?.name ?? ""))" }

  /// Columns of entity tables get distinct names by numbers. Columns of join tables do only where real stores show it
  /// (CD-3.3).
  private func check(_ join: JoinTableLayout) throws {
    var seen: Set<Identifier> = []
    for column in [join.masterColumn, join.otherColumn, join.masterOrderColumn, join.otherOrderColumn] {
      guard let column, !seen.insert(column).inserted else { continue }
      throw LayoutError.definitionNamesCollide(
        kind: "column", name: column.name, user: "relationship \(quoted(join.master.relationshipName))",
        other: "relationship \(quoted(join.other.relationshipName))", cause: .letterCase)
    }
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

  /// The first columns of every entity table.
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

extension StoreLayout {
  /// Checks that a database has the tables that make it a store, with their columns (CD-1.1).
  ///
  /// - Parameter columns: the columns of the database's tables.
  /// - Throws: ``StoreError``
  package static func requireBookkeeping(in columns: [Identifier: [Identifier]], path: String?) throws {
    let wanted: [(table: Identifier, columns: [Identifier])] = [
      ("Z_METADATA", ["Z_VERSION", "Z_UUID", "Z_PLIST"]), ("Z_PRIMARYKEY", ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]),
    ]
    let missing = wanted.map(\.table).filter { columns[$0] == nil }
    guard missing.isEmpty else { throw StoreError(path: path, .notCoreData(missingTables: missing.map(\.name))) }
    for (table, names) in wanted {
      let missing = names.filter { columns[table]?.contains($0) != true }
      guard missing.isEmpty else {
        throw StoreError(path: path, .missingOwnColumns(table: table.name, columns: missing.map(\.name)))
      }
    }
  }
}
