import CoreDataStore
import ManagedModel
import SQLite

extension RepairPlanner {
  /// CD-1.2: names, superentities, and the largest keys.
  mutating func addBookkeeping() {
    for entity in layout.entities {
      addRow(of: entity)
      let number = entity.superentityNumber
      add(
        .superentities, entity.name, "Z_SUPER is set to the number of the superentity",
        "UPDATE Z_PRIMARYKEY SET Z_SUPER = \(number) WHERE Z_ENT = \(entity.number) AND Z_SUPER IS NOT \(number)")
      if entity.number == entity.rootNumber {
        addMaximum(entity.number, entity.name, of: entity.table, kinds: entity.kindNumbers)
      } else {
        add(
          .maxima, entity.name, "Z_MAX is set to 0",
          "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT = \(entity.number) AND Z_MAX IS NOT 0")
      }
    }
  }

  /// Inserts a missing row, or replaces a name that no entity has. Readers give the entity this number, also without a row.
  private mutating func addRow(of entity: EntityLayout) {
    guard has(entity.table, "Z_PK") else { return }
    let names = Set(layout.entities.flatMap { [$0.name, $0.description.renamingIdentifier].compactMap(\.self) })
    let known = names.sorted().map(Identifier.literal).joined(separator: ", ")
    let name = Identifier.literal(entity.name)
    let number = entity.number
    let largest = entity.number == entity.rootNumber ? largestKey(in: entity.table, kinds: entity.kindNumbers) : "0"
    let own = [entity.name, entity.description.renamingIdentifier].compactMap(\.self).map(Identifier.literal)
    add(
      .entityNumbers, entity.name, "its row of Z_PRIMARYKEY is set right",
      """
      UPDATE Z_PRIMARYKEY SET Z_NAME = \(name) WHERE Z_ENT = \(number) AND ifnull(Z_NAME, '') NOT IN (\(known)) \
      AND NOT EXISTS (SELECT 1 FROM Z_PRIMARYKEY WHERE Z_NAME IN (\(own.joined(separator: ", "))))
      """,
      """
      INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) \
      SELECT \(number), \(name), \(entity.superentityNumber), \(largest) \
      WHERE NOT EXISTS (SELECT 1 FROM Z_PRIMARYKEY WHERE Z_ENT = \(number) OR Z_NAME IN (\(own.joined(separator: ", "))))
      """)
  }

  /// - Parameter kinds: the numbers of the entities with rows in the table; none for a table of history.
  mutating func addMaximum(_ number: Int, _ name: String, of table: Identifier, kinds: [Int] = []) {
    guard has(table, "Z_PK") else { return }
    let largest = largestKey(in: table, kinds: kinds)
    add(
      .maxima, name, "Z_MAX is set to the largest key",
      """
      UPDATE Z_PRIMARYKEY SET Z_MAX = \(largest) WHERE Z_ENT = \(number) AND (typeof(Z_MAX) <> 'integer' \
      OR Z_MAX < \(largest) OR Z_MAX > max(\(largest), \(StoreChecker.maximumLimit)))
      """)
  }

  /// The largest key of an object, or of a deleted object that is in the history: readers of history would take a new object with its
  /// key for the deleted one.
  private func largestKey(in table: Identifier, kinds: [Int]) -> String {
    let own = "ifnull((SELECT max(Z_PK) FROM \(table)), 0)"
    guard !kinds.isEmpty, has(HistoryTables.change, "ZENTITY", "ZENTITYPK") else { return own }
    return """
      max(\(own), ifnull((SELECT max(ZENTITYPK) FROM \(HistoryTables.change) WHERE ZENTITY IN \(StoreChecker.list(kinds)) \
      AND typeof(ZENTITYPK) = 'integer' AND ZENTITYPK <= \(StoreChecker.maximumLimit)), 0))
      """
  }

  /// VH-13, VH-14, CD-1.4: values computed from the hashes, and the cached model.
  mutating func addMetadata() {
    for (rule, key) in [
      (CheckRule.digest, StoreMetadata.Key.digest), (.checksum, StoreMetadata.Key.checksum),
    ] {
      add(rule, key, "it is computed from the hashes") { connection in
        let metadata = try StoreMetadata(connection)
        let value = rule == .digest ? metadata.hashes.digest : metadata.hashes.checksum
        let statement = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
        try statement.bind(try metadata.propertyList(setting: [key: value]), at: 1)
        try statement.run()
        return connection.changes
      }
    }
    if isModelGiven {
      let (model, hasCache) = (layout.model, catalogue.has("Z_MODELCACHE"))
      add(.modelCache, "Z_MODELCACHE", "the given model is written into the store") { connection in
        // The hashes agree; the name of the version is that in the store.
        var model = model
        model.versionIdentifiers = try StoreMetadata(connection).versionIdentifiers
        let definition = StoreLayout.bookkeepingDefinitions.first { DefinitionText($0).definedName == "Z_MODELCACHE" }
        if let definition, !hasCache { try connection.execute(definition) }
        try connection.execute("DELETE FROM Z_MODELCACHE")
        try ModelCache.write(model, to: connection)
        return 1
      }
    } else {
      add(
        .modelCache, "Z_MODELCACHE", "its rows but the first, which is read, are deleted",
        "DELETE FROM Z_MODELCACHE WHERE rowid > (SELECT min(rowid) FROM Z_MODELCACHE)")
    }
  }

  /// CD-6: rows of a table with one entity are read as its objects, whatever number they have.
  mutating func addEntities() {
    for table in layout.tables where has(table.name, "Z_ENT") {
      let entities = layout.entities.filter { $0.table == table.name }
      guard let entity = entities.first, entities.count == 1, !entity.isAbstract else { continue }
      add(
        .rowEntities, table.name.name, "Z_ENT is set to the only entity of the table",
        "UPDATE \(table.name) SET Z_ENT = \(entity.number) WHERE Z_ENT IS NOT \(entity.number)")
    }
  }

  /// CD-6.
  mutating func addVersions() {
    for table in layout.tables where has(table.name, "Z_OPT") {
      add(
        .rowVersions, table.name.name, "Z_OPT is set to 1",
        "UPDATE \(table.name) SET Z_OPT = 1 WHERE typeof(Z_OPT) <> 'integer' OR Z_OPT < 1")
    }
  }

  /// CD-4, CD-7, CD-8: indexes and triggers.
  mutating func addDefinitions() {
    for entity in layout.entities {
      for index in (try? layout.indexes(of: entity)) ?? [] {
        for rule in [CheckRule.keyIndexes, .entityIndexes, .joinIndexes, .fetchIndexes, .uniqueIndexes] {
          define(rule, index.name.name, dropping: "INDEX", index.definition)
        }
      }
    }
    for definition in layout.historyDefinitions {
      define(.historyIndexes, DefinitionText(definition).definedName, dropping: "INDEX", definition)
    }
    for entity in layout.entities {
      for index in (try? layout.locationIndexes(of: entity)) ?? [] {
        guard let definition = index.definitions.first else { continue }
        define(.locationIndexes, index.name.name, dropping: "TABLE", definition)
      }
      for definition in (try? layout.triggerDefinitions(of: entity)) ?? [] {
        define(.triggers, DefinitionText(definition).triggerName, dropping: "TRIGGER", definition)
      }
    }
  }
}
