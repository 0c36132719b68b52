import CoreDataStore
import Foundation
import SQLite

extension RepairPlanner {
  /// CD-1.2, CD-7: the tables of history, and their bookkeeping.
  mutating func addHistory() {
    addHistoryTables()
    addHistoryLinks()
    addHistoryTexts()
    for (number, name) in HistoryTables.primaryKeyNames {
      let table = Identifier("A" + name)
      guard has(table, "Z_PK", "Z_ENT", "Z_OPT") else { continue }
      add(
        .historyNumbers, name, "its row of Z_PRIMARYKEY is set right",
        """
        INSERT OR IGNORE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) \
        SELECT \(number), '\(name)', 0, (SELECT max(Z_PK) FROM \(table)) WHERE EXISTS (SELECT 1 FROM \(table))
        """,
        """
        UPDATE Z_PRIMARYKEY SET Z_NAME = '\(name)', Z_SUPER = 0 \
        WHERE Z_ENT = \(number) AND (Z_NAME IS NOT '\(name)' OR Z_SUPER IS NOT 0)
        """)
      addMaximum(number, name, of: table)
      add(
        .historyRows, table.name, "Z_ENT is set to the number of the table, and Z_OPT to NULL",
        """
        UPDATE \(table) SET Z_ENT = \(number), Z_OPT = NULL WHERE Z_ENT IS NOT \(number) OR Z_OPT IS NOT NULL
        """)
    }
  }

  /// CD-7: missing tables and columns, also columns for values of deleted objects. Without all tables, saves record nothing.
  private mutating func addHistoryTables() {
    let change = HistoryTables.change
    for definition in layout.historyDefinitions {
      let name = DefinitionText(definition).definedName
      // The first form of history has no table of texts, and the checker does not ask for one.
      guard findings.contains(where: { $0.rule == .historyTables && $0.subject == name && $0.isRepairable }) else {
        continue
      }
      guard let columns = catalogue.columns[Identifier(name)] else {
        add(.historyTables, name, "the table is made: \(definition)") { connection in
          try connection.execute(definition)
          return nil
        }
        continue
      }
      // The values may stand in a column that another program has renamed. That the checker leaves to a person.
      let isForPerson = findings.contains { finding in
        finding.rule == .historyTables && finding.subject == name && finding.severity != .note && !finding.isRepairable
      }
      guard !isForPerson else { continue }
      let hasTexts = name == HistoryTables.transaction.name && HistoryTables.hasTexts(columns)
      for column in HistoryTables.missingColumns(of: Identifier(name), among: columns, hasTexts: hasTexts) {
        addHistoryColumn(column.name, column.type, to: Identifier(name))
      }
    }
    guard let columns = catalogue.columns[change] else { return }
    for index in 0..<layout.tombstoneCount where index >= HistoryTables.tombstoneCount(among: columns) {
      addHistoryColumn(HistoryTables.tombstone(index), "BLOB", to: change)
    }
  }

  /// Adds a column that is lost with its values. What its rows say without it, no reader can read.
  private mutating func addHistoryColumn(_ column: Identifier, _ type: String, to table: Identifier) {
    let (consequence, statements): (String, [String])
    switch (table, column) {
    case (HistoryTables.change, "ZCHANGETYPE"), (HistoryTables.change, "ZENTITY"),
      (HistoryTables.change, "ZENTITYPK"), (HistoryTables.change, "ZTRANSACTIONID"):
      (consequence, statements) = ("; the changes without it are deleted", ["DELETE FROM \(table)"])
    case (HistoryTables.change, "ZCOLUMNS"):
      consequence = "; updates are noted as updates of all properties"
      statements = layout.entities.filter { !$0.isAbstract }.map { entity in
        let bitmap = ChangeBitmap(entity)
        return """
          UPDATE \(table) SET \(column) = \(bitmap.bytes(bitmap.slots).sqlLiteral) \
          WHERE ZCHANGETYPE = 1 AND ZENTITY = \(entity.number)
          """
      }
    case (HistoryTables.transaction, "ZTIMESTAMP"):
      consequence = "; the transactions get the time of the repair"
      statements = ["UPDATE \(table) SET \(column) = \(Date().timeIntervalSinceReferenceDate)"]
    default: (consequence, statements) = ("", [])
    }
    add(.historyTables, table.name, "column \(column.name) is added\(consequence)") { connection in
      try connection.execute("ALTER TABLE \(table) ADD COLUMN \(column) \(type)")
      for sql in statements { try connection.execute(sql) }
      return nil
    }
  }

  /// CD-7: leads transactions to the first row of each text, and deletes the others. Two rows of one text keep the text's index from
  /// being made.
  private mutating func addHistoryTexts() {
    let (transaction, string) = (HistoryTables.transaction, HistoryTables.string)
    guard has(string, "Z_PK", "ZNAME") else { return }
    let columns = HistoryTables.stringColumns.filter { has(transaction, $0) }
    add(.transactions, string.name, "of the rows of one text, all but the first are deleted") { connection in
      try connection.execute(
        """
        CREATE TEMP TABLE OSD_FIRST_TEXTS (Z_PK INTEGER PRIMARY KEY, FIRST INTEGER);
        INSERT INTO OSD_FIRST_TEXTS SELECT Z_PK, FIRST FROM (SELECT Z_PK, min(Z_PK) OVER (PARTITION BY ZNAME) AS FIRST \
        FROM \(string) WHERE ZNAME IS NOT NULL) WHERE Z_PK <> FIRST;
        """)
      var count: Int64 = 0
      for column in columns {
        try connection.execute(
          """
          UPDATE \(transaction) SET \(column) = (SELECT FIRST FROM OSD_FIRST_TEXTS WHERE Z_PK = \(transaction).\(column)) \
          WHERE \(column) IN (SELECT Z_PK FROM OSD_FIRST_TEXTS)
          """)
        count += connection.changes
      }
      try connection.execute("DELETE FROM \(string) WHERE Z_PK IN (SELECT Z_PK FROM OSD_FIRST_TEXTS)")
      count += connection.changes
      try connection.execute("DROP TABLE temp.OSD_FIRST_TEXTS")
      return count
    }
  }

  /// CD-7: clears keys of texts that are gone, and deletes changes whose transaction is gone. No reader finds either.
  ///
  /// If the table to which they lead is missing, the check cannot report them. Then they are repaired together with that table.
  private mutating func addHistoryLinks() {
    let (change, transaction, string) = (HistoryTables.change, HistoryTables.transaction, HistoryTables.string)
    let (isMakingTexts, isMakingTransactions) = (isMissing(string.name), isMissing(transaction.name))
    for column in HistoryTables.stringColumns where has(transaction, column) {
      guard isMakingTexts || has(string, "Z_PK") else { continue }
      add(
        isMakingTexts ? .historyTables : .transactions, transaction.name,
        "\(column.name) is set to NULL where it leads to no text",
        """
        UPDATE \(transaction) SET \(column) = NULL \
        WHERE \(column) IS NOT NULL AND \(column) NOT IN (SELECT t.Z_PK FROM \(string) t)
        """)
    }
    guard has(change, "ZTRANSACTIONID"), isMakingTransactions || has(transaction, "Z_PK") else { return }
    add(
      isMakingTransactions ? .historyTables : .changes, change.name, "changes of no transaction are deleted",
      """
      DELETE FROM \(change) WHERE ZTRANSACTIONID IS NULL OR ZTRANSACTIONID NOT IN (SELECT t.Z_PK FROM \(transaction) t)
      """)
  }

  private func isMissing(_ table: String) -> Bool { !catalogue.definitions.contains { $0.name == table } }
}
