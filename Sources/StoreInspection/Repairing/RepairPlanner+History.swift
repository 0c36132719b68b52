import CoreDataStore
import SQLite

extension RepairPlanner {
  /// CD-1.2, CD-7: the tables of history, and their bookkeeping.
  mutating func addHistory() {
    addHistoryTables()
    addHistoryLinks()
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

  /// CD-7: missing tables, and missing columns for values of deleted objects. Without all tables, saves record nothing.
  private mutating func addHistoryTables() {
    let change = HistoryTables.change
    let kept = catalogue.columns[change]?.count { $0.name.hasPrefix("ZTOMBSTONE") }
    for definition in HistoryTables.definitions(tombstoneCount: kept ?? layout.tombstoneCount) {
      let name = DefinitionText(definition).definedName
      // The first form of history has no table of texts, and the checker does not ask for one.
      guard findings.contains(where: { $0.rule == .historyTables && $0.subject == name }), isMissing(name) else {
        continue
      }
      add(.historyTables, name, "the table is made: \(definition)") { connection in
        try connection.execute(definition)
        return nil
      }
    }
    guard let kept else { return }
    for index in kept..<max(kept, layout.tombstoneCount) {
      let column = Identifier("ZTOMBSTONE\(index)")
      add(.historyTables, change.name, "column \(column.name) is added") { connection in
        try connection.execute("ALTER TABLE \(change) ADD COLUMN \(column) BLOB")
        return nil
      }
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
