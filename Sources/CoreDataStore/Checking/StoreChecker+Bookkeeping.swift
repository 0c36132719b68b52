import ManagedModel
import SQLite

extension StoreChecker {
  /// CD-1.1, CD-1.2, CD-1.3: the tables beside the entities', numbers and maxima.
  mutating func checkBookkeeping() throws {
    let texts = Dictionary(
      catalogue.definitions.filter { $0.kind == "table" }.map { ($0.name, $0.sql ?? "") },
      uniquingKeysWith: { first, _ in first })
    for (name, text) in zip(["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"], StoreLayout.bookkeepingDefinitions) {
      if let found = texts[name] { expect(found == text, "CD-1.1", name, "is defined as \(found)") }
    }
    for table in ["Z_METADATA", "Z_MODELCACHE"] where texts[table] != nil {
      let count = try connection.integer("SELECT count(*) FROM \(Identifier(table))") ?? 0
      expect(count == 1, table == "Z_METADATA" ? "CD-1.3" : "VH-16", table, "has \(count) rows instead of one")
    }
    let keys = try PrimaryKeys(connection)
    let rows = keys.entities
    let entities = store.layout.entities
    expect(
      rows.map(\.number) == Array(1..<(rows.count + 1)), "CD-1.2", "Z_PRIMARYKEY", "Z_ENT are not 1 to \(rows.count)")
    expect(
      rows.count == entities.count, "CD-1.2", "Z_PRIMARYKEY", "\(rows.count) rows for \(entities.count) entities")
    for row in rows {
      guard let entity = store.layout.entity(numbered: row.number) else { continue }
      expect(
        row.name == entity.name || row.name == entity.description.renamingIdentifier, "CD-1.2", entity.name,
        "Z_NAME is \(row.name)")
      expect(
        row.superentityNumber == entity.superentityNumber, "CD-1.2", entity.name,
        "Z_SUPER is \(row.superentityNumber) instead of \(entity.superentityNumber)")
      guard entity.number == entity.rootNumber else { continue }
      let highest = try connection.integer("SELECT max(Z_PK) FROM \(entity.table)") ?? 0
      expect(row.maximum >= highest, "CD-1.2", entity.name, "Z_MAX is \(row.maximum), and max(Z_PK) is \(highest)")
    }
    for row in keys.rows {
      guard let name = HistoryTables.primaryKeyNames.first(where: { $0.number == row.number })?.name else { continue }
      let table = Identifier("A" + name)
      guard catalogue.has(table) else { continue }
      let highest = try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0
      expect(row.maximum >= highest, "CD-1.2", table.name, "Z_MAX is \(row.maximum), and max(Z_PK) is \(highest)")
    }
  }

  /// CD-2, CD-3: no constraint of SQL's own, and no join table that nothing asks for.
  mutating func checkDefinitions() throws {
    let entityTables = Set(store.layout.tables.map(\.name.name))
    let joinTables = Set(store.layout.joinTables.map(\.name.name))
    for definition in catalogue.definitions where definition.kind == "table" {
      let sql = (definition.sql ?? "").uppercased()
      if entityTables.contains(definition.name) || joinTables.contains(definition.name) {
        for word in ["FOREIGN KEY", "NOT NULL", " DEFAULT ", "CHECK ("] where sql.contains(word) {
          report("CD-1.1", definition.name, "the table has \(word)")
        }
      }
      let isJoinName = definition.name.wholeMatch(of: /Z_[0-9].*/) != nil
      if isJoinName, !joinTables.contains(definition.name), !entityTables.contains(definition.name) {
        report("CD-3.3", definition.name, "a join table that no relationship asks for")
      }
    }
  }
}
