import CoreDataStore
import ManagedModel
import SQLite

extension StoreChecker {
  /// CD-2, CD-3.1: the tables of root entities and their columns.
  mutating func checkTables(_ planned: StoreLayout) {
    for table in planned.tables {
      guard
        expect(.entityTables, store.tables[table.name] != nil, table.name.name, "the table is missing")
      else { continue }
      let wanted =
        [
          StoreSnapshot.Column(name: "Z_PK", type: "INTEGER PRIMARY KEY"),
          StoreSnapshot.Column(name: "Z_ENT", type: "INTEGER"), StoreSnapshot.Column(name: "Z_OPT", type: "INTEGER"),
        ] + table.columns.map { StoreSnapshot.Column(name: $0.name, type: $0.type.sql) }
      let found = store.tables[table.name] ?? []
      let missing = wanted.filter { !found.contains($0) }.map { "\($0.name.name) \($0.type)" }
      let surplus = found.filter { !wanted.contains($0) }.map { "\($0.name.name) \($0.type)" }
      let problems = [("lacks", missing), ("has", surplus)].filter { !$0.1.isEmpty }
      expect(
        .columns, problems.isEmpty, table.name.name,
        problems.map { "\($0.0) \(StoreChecker.listed($0.1))" }.joined(separator: ", "))
      if problems.isEmpty { checkOrder(of: found, wanted, table, planned) }
      checkSpecialColumns(of: table, planned, found: Set(found))
    }
  }

  private mutating func checkSpecialColumns(
    of table: TableLayout, _ planned: StoreLayout, found: Set<StoreSnapshot.Column>
  ) {
    for entity in planned.entities where entity.table == table.name {
      for property in entity.properties where property.declaringEntityName == entity.name {
        switch property {
        case .attribute(let attribute) where attribute.description.type == .composite:
          for column in attribute.columns {
            expect(
              .compositeColumns,
              found.contains(StoreSnapshot.Column(name: column.name, type: column.column.type.sql)),
              "\(entity.name).\(column.path.joined(separator: "."))", "has no column \(column.name.name)")
          }
        case .toOne(let relationship):
          guard let column = relationship.entityColumn else { continue }
          expect(
            .entityColumns, found.contains(StoreSnapshot.Column(name: column, type: "INTEGER")),
            "\(entity.name).\(property.name)", "has no column \(column.name)")
        default: break
        }
      }
    }
  }

  /// CD-2.2: migrations append columns and quote names. Order keys and virtual keys have no fixed order.
  private mutating func checkOrder(
    of found: [StoreSnapshot.Column], _ wanted: [StoreSnapshot.Column], _ table: TableLayout, _ planned: StoreLayout
  ) {
    var loose: Set<Identifier> = []
    for entity in planned.entities {
      for property in entity.properties {
        switch property {
        case .toOne(let relationship): relationship.orderColumn.map { _ = loose.insert($0) }
        case .toMany(let relationship):
          guard case .key(let side) = relationship.storage, side.isVirtual, side.table == table.name else { continue }
          loose.insert(side.key)
          side.orderColumn.map { _ = loose.insert($0) }
        case .attribute: break
        }
      }
    }
    let strange = zip(found, wanted).first { $0 != $1 && !(loose.contains($0.name) && loose.contains($1.name)) }
    let columns = found.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
    let text = store.definitions.first { $0.kind == "table" && $0.name == table.name.name }?.sql ?? ""
    let isExact = text == "CREATE TABLE \(table.name) ( \(columns) )"
    prefer(
      .columnOrder, strange == nil && isExact, table.name.name,
      strange.map { "\($0.0.name.name) stands where \($0.1.name.name) is expected, as after a migration" }
        ?? "the table is defined in other words: \(text)")
  }

  /// CD-3.3: join tables. The model does not always determine the master side and the suffixes.
  mutating func checkJoinTables(_ layout: StoreLayout) {
    let bases = layout.joinTables.flatMap { joinColumnNames($0, layout) }
    let uses = Dictionary(bases.map { ($0, 1) }, uniquingKeysWith: +)
    for table in layout.joinTables {
      let sides =
        "\(table.master.entityName).\(table.master.relationshipName) ⇄ "
        + "\(table.other.entityName).\(table.other.relationshipName)"
      guard store.tables[table.name] != nil else {
        expect(.joinTables, false, table.name.name, "the table of \(sides) is missing")
        continue
      }
      let found = store.columnNames(table.name)
      let wanted = joinColumnNames(table, layout)
      let fits =
        found.count > 1
        && zip(found, wanted).allSatisfy { column, name in
          column.name == name
            || (uses[name, default: 0] > 1 && column.name.hasPrefix(name)
              && column.name.dropFirst(name.count).allSatisfy { $0.isASCII && $0.isNumber })
        }
      let columns = found.map(\.name).joined(separator: ", ")
      guard
        expect(
          .joinTables, fits, table.name.name, "has the columns \(columns) instead of \(wanted.joined(separator: ", "))")
      else {
        strangeJoinTables.insert(table.name)
        continue
      }
      let text = store.definitions.first { $0.kind == "table" && $0.name == table.name.name }?.sql ?? ""
      prefer(
        .joinTables, text == table.definition,
        isTolerable: DefinitionText(text).plain == DefinitionText(table.definition).plain, table.name.name,
        "is defined as \(text) instead of \(table.definition)")
      let ownName = tableName(of: table.master, layout)
      prefer(
        .joinTables, table.name.name == ownName, table.name.name,
        "has the columns of a table \(ownName), as after a migration")
    }
  }

  private func tableName(of side: JoinTableLayout.Side, _ layout: StoreLayout) -> String {
    "Z_\(layout.entity(named: side.entityName)?.number ?? 0)" + side.relationshipName.uppercased()
  }

  /// The names of the two columns, without the numbers that Core Data may append.
  private func joinColumnNames(_ table: JoinTableLayout, _ layout: StoreLayout) -> [String] {
    guard !table.isReflexive else { return [tableName(of: table.master, layout), "REFLEXIVE"] }
    return [(table.master, table.other), (table.other, table.master)].map { own, far in
      "Z_\(layout.entity(named: own.entityName)?.number ?? 0)" + far.relationshipName.uppercased()
    }
  }

  /// CD-2, CD-8: tables that do not follow from the model.
  mutating func checkOtherTables(_ layout: StoreLayout) {
    var known: Set<String> = [
      "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
    ]
    known.formUnion(layout.tables.map(\.name.name))
    known.formUnion(layout.joinTables.map(\.name.name))
    for name in layout.locationIndexNames {
      known.formUnion(["", "_node", "_parent", "_rowid"].map { name + $0 })
    }
    known.formUnion(searchNames(layout))
    for definition in store.definitions where definition.kind == "table" && !definition.name.hasPrefix("sqlite_") {
      count(.otherTables, checked: 1)
      guard !known.contains(definition.name) else { continue }
      let isJoinName = definition.name.prefixMatch(of: /Z_[0-9]/) != nil
      if definition.name.hasPrefix("ANSCK") {
        report(.otherTables, .note, definition.name, "belongs to CloudKit mirroring", repair: "Leave it alone.")
      } else if !isStrict, PersistentStore.tablesOfPackage.contains(definition.name) {
        report(
          .otherTables, .note, definition.name,
          "OpenSwiftData's own, for readers of the history or saves over several stores",
          repair:
            "Leave it alone: without it, readers may miss history that is gone or goes, and a killed save stays half done."
        )
      } else if definition.name.hasPrefix("Z_RT_") {
        report(.otherTables, .note, definition.name, "belongs to a location index of another version")
      } else if isJoinName || isStrict {
        count(.otherTables, checked: 0, failed: 1)
        report(
          .otherTables, .error, definition.name,
          isJoinName ? "a join table that no relationship asks for" : "a table that no entity asks for")
      } else {
        report(.otherTables, .warning, definition.name, "a table of an application or of another framework")
      }
    }
  }

  /// CD-1.1: each entity's table with its join tables, then all indexes by entity, triggers, bookkeeping, history.
  mutating func checkCreationOrder(_ layout: StoreLayout) {
    guard isStrict else { return }
    let positions = Dictionary(
      store.model.order.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    var ranks: [String: [Int]] = [:]
    for table in layout.tables {
      let root = layout.entity(numbered: table.rootNumber)?.name ?? ""
      ranks[table.name.name] = [0, positions[root] ?? 0, 0]
    }
    for table in layout.joinTables {
      let master = layout.entity(named: table.master.entityName)?.rootName ?? ""
      ranks[table.name.name] = [0, positions[master] ?? 0, 1]
    }
    for entity in layout.entities {
      for index in (try? layout.indexes(of: entity)) ?? [] {
        ranks[index.name.name] = [1, positions[entity.name] ?? 0, index.kind.rawValue]
      }
    }
    for (position, name) in ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].enumerated() { ranks[name] = [3, position] }
    for (position, text) in layout.historyDefinitions.enumerated() {
      ranks[DefinitionText(text).definedName] = [4, position]
    }
    var last: (name: String, rank: [Int]) = ("", [])
    for definition in store.definitions {
      guard let rank = definition.kind == "trigger" ? [2] : ranks[definition.name] else { continue }
      let isRight = !rank.lexicographicallyPrecedes(last.rank)
      expect(.creationOrder, isRight, definition.name, "was made after \(last.name)")
      if isRight { last = (definition.name, rank) }
    }
  }

  /// The first items of a list, and their total number.
  static func listed(_ items: [String], limit: Int = 6) -> String {
    items.prefix(limit).joined(separator: ", ") + (items.count > limit ? ", … (\(items.count))" : "")
  }
}

extension StoreLayout {
  /// The virtual tables of location indexes. An entity with invalid indexes has none; another rule reports it.
  var locationIndexNames: [String] {
    entities.flatMap { (try? locationIndexes(of: $0)) ?? [] }.map(\.name.name)
  }
}

extension DefinitionText {
  /// The name after `CREATE [UNIQUE] TABLE` or `INDEX`.
  var definedName: String {
    guard let position = words.firstIndex(where: { $0 == "TABLE" || $0 == "INDEX" }), position + 1 < words.count
    else { return "" }
    return String(words[position + 1])
  }
}
