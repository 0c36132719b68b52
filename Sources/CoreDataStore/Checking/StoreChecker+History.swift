import ManagedModel
import SQLite

extension StoreChecker {
  /// CD-7: rows of history, their transactions and bitmaps, and that the last change of a row agrees with the row.
  mutating func checkHistory() throws {
    let (change, transaction, string) = (HistoryTables.change, HistoryTables.transaction, HistoryTables.string)
    guard catalogue.has(change), catalogue.has(transaction) else { return }
    for (table, number) in [
      (change, HistoryTables.changeNumber), (transaction, HistoryTables.transactionNumber),
      (string, HistoryTables.stringNumber),
    ] where catalogue.has(table) {
      try expectNone(
        "CD-7", table.name, "Z_ENT or Z_OPT is not that of history", from: "\(table)",
        where: "Z_ENT IS NOT \(number) OR Z_OPT IS NOT NULL")
    }
    try expectNone(
      "CD-7", transaction.name, "ZTIMESTAMP is no time", from: "\(transaction)", where: "typeof(ZTIMESTAMP) <> 'real'")
    for column in HistoryTables.stringColumns
    where catalogue.has(string) && catalogue.columns[transaction]?.contains(column) == true {
      try expectNone(
        "CD-7", transaction.name, "\(column) leads to no text", from: "\(transaction)",
        where: "\(column) IS NOT NULL AND \(column) NOT IN (SELECT Z_PK FROM \(string))")
    }
    let concrete = StoreChecker.list(store.layout.entities.filter { !$0.isAbstract }.map(\.number))
    for (problem, condition) in [
      ("ZCHANGETYPE is not 0, 1 or 2", "ZCHANGETYPE IS NULL OR ZCHANGETYPE NOT IN (0, 1, 2)"),
      ("ZENTITY is no concrete entity", "ZENTITY IS NULL OR ZENTITY NOT IN \(concrete)"),
      ("ZENTITYPK is NULL", "ZENTITYPK IS NULL"),
      (
        "ZTRANSACTIONID leads to no transaction",
        "ZTRANSACTIONID IS NULL OR ZTRANSACTIONID NOT IN (SELECT Z_PK FROM \(transaction))"
      ),
      ("ZCOLUMNS is set for other than an update", "ZCHANGETYPE IS NOT 1 AND ZCOLUMNS IS NOT NULL"),
      ("ZCOLUMNS is missing for an update", "ZCHANGETYPE = 1 AND typeof(ZCOLUMNS) <> 'blob'"),
    ] {
      try expectNone("CD-7", change.name, problem, from: "\(change)", where: condition)
    }
    for entity in store.layout.entities where !entity.isAbstract { try checkHistory(of: entity) }
  }

  private mutating func checkHistory(of entity: EntityLayout) throws {
    let change = HistoryTables.change
    // Whether composites count once or by their elements no real store has shown.
    let slots = ChangeBitmap(entity).slots.count
    let elements = entity.properties.reduce(0) { sum, property in
      guard case .attribute(let attribute) = property, attribute.description.type == .composite else { return sum }
      return sum + attribute.columns.count - 1
    }
    let lengths = StoreChecker.list([slots, slots - elements].map { ($0 + 7) / 8 })
    try expectNone(
      "CD-7", entity.name, "ZCOLUMNS has another length than the entity asks for", from: "\(change)",
      where: "ZCHANGETYPE = 1 AND ZENTITY = \(entity.number) AND length(ZCOLUMNS) NOT IN \(lengths)")
    try expectNone(
      "CD-7", entity.name, "deleted in history, but present or of another entity",
      from: """
        (SELECT ZENTITYPK AS pk, ZCHANGETYPE AS kind, max(Z_PK) FROM \(change) WHERE ZENTITY = \(entity.number) \
        GROUP BY ZENTITYPK) l JOIN \(entity.table) b ON b.Z_PK = l.pk
        """, where: "kind = 2 OR b.Z_ENT <> \(entity.number)", key: "l.pk")
  }
}
