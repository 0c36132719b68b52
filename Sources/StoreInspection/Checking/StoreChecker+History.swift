import CoreDataStore
import ManagedModel
import SQLite

extension StoreChecker {
  private var historyTables: [Identifier] {
    [HistoryTables.change, HistoryTables.transaction, HistoryTables.string]
  }

  /// The tables of macOS 10.13 hold the texts of transactions in their own columns, and have no table of texts.
  private var isFirstGeneration: Bool {
    !isStrict && store.tables[HistoryTables.transaction] != nil
      && HistoryTables.hasTexts(store.columnNames(HistoryTables.transaction))
  }

  /// CD-7, CD-1.2: tables, indexes and numbers.
  mutating func checkHistoryTables() throws {
    let rows = store.primaryKeys.filter(\.isHistory)
    guard !rows.isEmpty || historyTables.contains(where: { store.tables[$0] != nil }) else { return }
    let kept = HistoryTables.tombstoneCount(among: store.columnNames(HistoryTables.change))
    let texts = Dictionary(
      store.definitions.compactMap { definition in definition.sql.map { (definition.name, $0) } },
      uniquingKeysWith: { first, _ in first })
    for text in HistoryTables.definitions(tombstoneCount: kept) {
      let name = DefinitionText(text).definedName
      if isFirstGeneration, name.contains("TS_INDEX") || name.contains("STRING") { continue }
      let wanted = isFirstGeneration ? text.replacing(#/Z\w+TS INTEGER, /#, with: "") : text
      let found = texts[name]
      if text.hasPrefix("CREATE TABLE") {
        guard try checkHistoryColumns(of: Identifier(name)) else { continue }
        // Without the table of texts, a save records changes in the first form of history.
        let loss = name == HistoryTables.string.name ? "" : ", so that saves record no history"
        let hasColumns = hasHistoryColumns(Identifier(name))
        prefer(
          .historyTables, found == wanted, isTolerable: hasColumns, name,
          found.map { "is defined as \($0)" } ?? "the table is missing\(loss)",
          repair: found == nil ? "Make it: \(wanted)" : nil)
      } else {
        expect(
          .historyIndexes, found == wanted, name, found.map { "is defined as \($0)" } ?? "is missing",
          repair: "Make it: \(wanted)")
      }
    }
    if let layout = store.model.layout, store.tables[HistoryTables.change] != nil {
      let wanted = layout.tombstoneCount
      prefer(
        .historyTables, kept == wanted, isTolerable: kept > wanted, HistoryTables.change.name,
        "has \(kept) columns for values of deleted objects, and the model asks for \(wanted)",
        repair: kept < wanted ? "Add the columns; until then, deletions keep fewer values." : nil)
    }
    for (number, name) in HistoryTables.primaryKeyNames where store.tables[Identifier("A" + name)] != nil {
      if isFirstGeneration, number == HistoryTables.stringNumber { continue }
      let row = rows.first { $0.number == Int64(number) }
      // The first transaction inserts the rows.
      let isUsed = try store.connection.integer("SELECT 1 FROM \(Identifier("A" + name)) LIMIT 1") != nil
      guard row != nil || isUsed else { continue }
      let isRight = row?.name == name && row?.superentityNumber == 0
      expect(
        .historyNumbers, isRight, name,
        row == nil ? "Z_PRIMARYKEY has no row \(number)" : "Z_PRIMARYKEY's row \(number) is not of \(name), or no root")
    }
  }

  /// Whether a table of history is missing, or has its primary key and all columns; reports those that it lacks.
  private mutating func checkHistoryColumns(of table: Identifier) throws -> Bool {
    let columns = store.columnNames(table)
    guard !columns.isEmpty else { return true }
    let key = "SELECT 1 FROM pragma_table_info(\(Identifier.literal(table.name))) WHERE name = 'Z_PK' AND pk <> 0"
    guard try store.connection.integer(key) != nil else {
      expect(
        .historyTables, false, table.name, "has no primary key", repair: "Restore it from a backup.", byHand: true)
      return false
    }
    let missing = HistoryTables.missingColumns(of: table, among: columns, hasTexts: isFirstGeneration)
    guard !missing.isEmpty else { return true }
    let surplus = HistoryTables.surplusColumns(of: table, among: columns)
    let lost = "lacks \(StoreChecker.listed(missing.map { "\($0.name.name) \($0.type)" }))"
    let read: [Identifier] = ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"]
    let isUnreadable = table == HistoryTables.change && missing.contains { read.contains($0.name) }
    let loss = isUnreadable ? " Changes without their kind, object or transaction cannot be read, and are deleted." : ""
    let added = surplus.isEmpty ? "" : ", has \(StoreChecker.listed(surplus.map(\.name)))"
    expect(
      .historyTables, false, table.name, lost + added,
      repair: surplus.isEmpty
        ? "Add the columns.\(loss)"
        : "If another program has renamed the column, give it its name back.",
      byHand: !surplus.isEmpty)
    return false
  }

  /// Whether a table of history has exactly its columns, in any order: an added column stands at the end.
  private func hasHistoryColumns(_ table: Identifier) -> Bool {
    guard let found = store.tables[table] else { return false }
    let kept = HistoryTables.tombstoneCount(among: found.map(\.name))
    let columns = HistoryTables.columns(of: table, tombstoneCount: kept).map { (name: $0.name, type: $0.type) }
    let object: [(name: Identifier, type: String)] = [
      ("Z_PK", "INTEGER PRIMARY KEY"), ("Z_ENT", "INTEGER"), ("Z_OPT", "INTEGER"),
    ]
    let wanted = (object + columns).map { StoreSnapshot.Column(name: $0.name, type: $0.type) }
    return Set(found) == Set(wanted.filter { !(isFirstGeneration && HistoryTables.stringColumns.contains($0.name)) })
  }

  /// CD-7: changes, their transactions and texts.
  mutating func checkHistoryRows() throws {
    let (change, transaction, string) = (HistoryTables.change, HistoryTables.transaction, HistoryTables.string)
    for (table, number) in [
      (change, HistoryTables.changeNumber), (transaction, HistoryTables.transactionNumber),
      (string, HistoryTables.stringNumber),
    ] where store.has(table, "Z_PK", "Z_ENT", "Z_OPT") {
      try tally(
        [
          RowRule(
            rule: .historyRows, subject: table.name, problem: "Z_ENT is not \(number), or Z_OPT is not NULL",
            violation: "Z_ENT IS NOT \(number) OR Z_OPT IS NOT NULL")
        ], from: "\(table)")
    }
    guard store.has(transaction, "Z_PK", "ZTIMESTAMP") else { return }
    var rules = [
      RowRule(
        rule: .transactions, subject: transaction.name, problem: "ZTIMESTAMP is no time",
        violation: "typeof(ZTIMESTAMP) <> 'real'")
    ]
    if store.has(string, "Z_PK") {
      rules += HistoryTables.stringColumns.filter { store.has(transaction, $0) }.map { column in
        RowRule(
          rule: .transactions, subject: transaction.name, problem: "\(column.name) leads to no text",
          population: "\(column) IS NOT NULL", violation: "\(column) NOT IN (SELECT Z_PK FROM \(string))",
          repair: "Set the key to NULL: it is read as no text.")
      }
    }
    try tally(rules, from: "\(transaction)")
    if store.has(string, "Z_PK", "ZNAME") {
      try expectDistinct(
        .transactions, string.name, ["ZNAME"], in: string,
        repair: "Lead the transactions to the first row of each text, and delete the others.")
    }
    guard store.has(change, "Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID") else { return }
    let concrete = StoreChecker.list(store.entityTables.flatMap(\.entities).filter(\.isConcrete).map(\.number).sorted())
    let conditions: [(String, String, String?)] = [
      ("ZCHANGETYPE is not 0, 1 or 2", "ZCHANGETYPE IS NULL OR ZCHANGETYPE NOT IN (0, 1, 2)", nil),
      ("ZENTITY is no concrete entity", "ZENTITY IS NULL OR ZENTITY NOT IN \(concrete)", nil),
      ("ZENTITYPK is no integer", "typeof(ZENTITYPK) <> 'integer'", nil),
      (
        "ZTRANSACTIONID leads to no transaction",
        "ZTRANSACTIONID IS NULL OR ZTRANSACTIONID NOT IN (SELECT Z_PK FROM \(transaction))",
        "Delete the changes: readers find them by their transactions."
      ),
    ]
    try tally(
      conditions.map { RowRule(rule: .changes, subject: change.name, problem: $0.0, violation: $0.1, repair: $0.2) },
      from: "\(change)")
  }

  /// CD-7: only updates state the changed columns, with a bit for each property.
  mutating func checkBitmaps() throws {
    let change = HistoryTables.change
    guard store.has(change, "Z_PK", "ZCHANGETYPE", "ZENTITY", "ZCOLUMNS") else { return }
    var lengths: [Int64: Set<Int>] = [:]
    let kinds = try store.connection.prepare(
      """
      SELECT ZCHANGETYPE, ZENTITY, typeof(ZCOLUMNS), length(ZCOLUMNS), count(*), min(Z_PK) FROM \(change) \
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
      """)
    while try kinds.step() {
      let (isUpdate, number) = (kinds.type(0) == .integer && kinds.integer(0) == 1, kinds.integer(1))
      let (type, length, rows) = (kinds.text(2) ?? "", Int(kinds.integer(3)), Int(kinds.integer(4)))
      let entity = kinds.isNull(1) ? nil : Int(exactly: number).flatMap { store.model.layout?.entity(numbered: $0) }
      let place = "\(rows) rows, first at Z_PK \(kinds.integer(5))"
      let problem: String?
      if !isUpdate {
        problem = type == "null" ? nil : "ZCOLUMNS is set for other than updates: \(place)"
      } else if type != "blob" {
        problem = "ZCOLUMNS of updates is \(type): \(place)"
      } else if let entity {
        let known = lengths[number] ?? StoreChecker.bitmapLengths(of: entity)
        lengths[number] = known
        let wanted = known.sorted().map(String.init).joined(separator: " or ")
        problem = known.contains(length) ? nil : "ZCOLUMNS has \(length) bytes instead of \(wanted): \(place)"
      } else {
        problem = nil
      }
      count(.bitmaps, checked: rows, failed: problem == nil ? 0 : rows)
      if let problem { report(.bitmaps, .error, entity?.name ?? change.name, problem) }
    }
  }

  /// No real store shows whether a composite counts once or by its elements.
  private static func bitmapLengths(of entity: EntityLayout) -> Set<Int> {
    let slots = ChangeBitmap(entity).slots.count
    let elements = entity.properties.reduce(0) { sum, property in
      guard case .attribute(let attribute) = property, attribute.description.type == .composite else { return sum }
      return sum + attribute.columns.count - 1
    }
    return [(slots + 7) / 8, (slots - elements + 7) / 8]
  }

  /// CD-7: only deletions keep values, as many as the entity's model requests.
  mutating func checkTombstones(_ layout: StoreLayout) throws {
    let change = HistoryTables.change
    // A column that is missing in the middle is a finding of its own.
    let columns = (0..<HistoryTables.tombstoneCount(among: store.columnNames(change))).map(HistoryTables.tombstone)
    guard !columns.isEmpty, store.has(change, ["Z_PK", "ZCHANGETYPE", "ZENTITY"] + columns) else { return }
    let isSet = columns.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")
    var rules = [
      RowRule(
        rule: .tombstones, subject: change.name, problem: "values are kept of objects that were not deleted",
        violation: "ZCHANGETYPE IS NOT 2 AND (\(isSet))", repair: "Set the columns to NULL.")
    ]
    for entity in layout.entities where !entity.isAbstract {
      for (name, attribute) in zip(columns, entity.tombstoneAttributes) {
        // Of a composite of several columns, a list of its elements.
        let violation =
          attribute.columns.count > 1
          ? "typeof(\(name)) <> 'blob'"
          : attribute.columns.first.map { StoreChecker.strangeValue($0, in: name, isKept: true).violation }
        guard let violation else { continue }
        rules.append(
          RowRule(
            rule: .tombstones, subject: "\(entity.name).\(attribute.description.name)",
            problem: "values of another kind are kept in \(name.name)",
            population: "ZENTITY = \(entity.number) AND ZCHANGETYPE = 2 AND \(name) IS NOT NULL",
            violation: violation))
      }
      let surplus = columns.dropFirst(entity.tombstoneAttributes.count)
      guard !surplus.isEmpty else { continue }
      rules.append(
        RowRule(
          rule: .tombstones, subject: entity.name, problem: "more values are kept than the model asks for",
          population: "ZENTITY = \(entity.number) AND ZCHANGETYPE = 2",
          violation: surplus.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")))
    }
    try tally(rules, from: "\(change)")
  }

  /// CD-7: the row of an object whose last change is a deletion is gone; any other row exists.
  mutating func checkLastChanges(_ layout: StoreLayout) throws {
    let change = HistoryTables.change
    guard store.has(change, "Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK") else { return }
    // Scans the changes once for all entities. The table is temporary, and not part of the store.
    let connection = store.connection
    try connection.execute("DROP TABLE IF EXISTS temp.LAST_CHANGE")
    try connection.execute(
      """
      CREATE TEMP TABLE LAST_CHANGE AS SELECT ZENTITY AS ENTITY, ZENTITYPK AS Z_PK, ZCHANGETYPE AS KIND, max(Z_PK) \
      FROM \(change) GROUP BY 1, 2
      """)
    defer { try? connection.execute("DROP TABLE IF EXISTS temp.LAST_CHANGE") }
    try connection.execute("CREATE INDEX temp.LAST_CHANGE_ENTITY ON LAST_CHANGE (ENTITY)")
    for entity in layout.entities where store.has(entity.table, "Z_PK", "Z_ENT") {
      try tally(
        [
          RowRule(
            rule: .lastChanges, subject: entity.name, problem: "deleted in history, but present or of another entity",
            violation: "b.Z_PK IS NOT NULL AND (l.KIND = 2 OR b.Z_ENT <> \(entity.number))"),
          RowRule(
            rule: .lastChanges, severity: .warning, subject: entity.name,
            problem: "gone, and history does not know of it", violation: "b.Z_PK IS NULL AND l.KIND <> 2"),
        ],
        from: """
          (SELECT Z_PK, KIND FROM temp.LAST_CHANGE WHERE ENTITY = \(entity.number)) l \
          LEFT JOIN \(entity.table) b ON b.Z_PK = l.Z_PK
          """, key: "l.Z_PK")
    }
  }
}
