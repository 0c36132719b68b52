import CoreDataStore
import SQLite

extension StoreChecker {
  /// The tables and triggers of search indexes, which no entity asks for, also the triggers of an index that is gone.
  /// Strictly, a fresh store has none.
  func searchNames(_ layout: StoreLayout) -> Set<String> {
    guard !isStrict else { return [] }
    let indexes = layout.searchTables(in: store.definitions)
    let lost = SearchIndexLayout.triggersWithoutTable(in: store.definitions).values.joined()
    return Set(indexes.flatMap { $0.tableNames + $0.triggerNames } + lost.map(\.name))
  }

  /// Triggers that write to a search index which is gone. Any program makes them fail, so no model is needed to tell.
  mutating func checkSearchTriggers() {
    let lost = SearchIndexLayout.triggersWithoutTable(in: store.definitions).sorted { $0.key < $1.key }
    for (index, triggers) in lost {
      let tables = Set(triggers.map(\.table)).sorted()
      expect(
        .searchIndexes, false, index,
        "is gone, but still has \(StoreChecker.listed(triggers.map(\.name))): changes of "
          + "\(StoreChecker.listed(tables)) fail",
        repair: "Drop these triggers; makeSearchIndex(for:on:) makes the index again.")
    }
  }

  /// Search indexes: the text of their tables and triggers, and whether they have the words of the rows.
  ///
  /// Cost: makes an index of the texts in a temporary file.
  mutating func checkSearchIndexes(_ layout: StoreLayout) throws {
    let indexes = layout.searchTables(in: store.definitions)
    for table in store.definitions where table.kind == "table" && SearchIndexLayout.isIndexName(table.name) {
      count(.searchIndexes, checked: 1)
      guard let index = indexes.first(where: { $0.name.name == table.name }) else {
        report(
          .searchIndexes, .warning, table.name, "is no index of the entity's texts: searches do not use it",
          repair: "Drop it, and make the index again.", byHand: true)
        continue
      }
      let texts = Set(store.definitions.compactMap(\.sql))
      let missing = zip(index.triggerNames, index.definitions.dropFirst()).filter { !texts.contains($0.1) }.map(\.0)
      guard missing.isEmpty else {
        report(
          .searchIndexes, .warning, table.name,
          "is out of date: the trigger \(StoreChecker.listed(missing)) is missing or has another text")
        continue
      }
      do {
        let (wrong, first) = try rowsIndexedOtherwise(index)
        guard wrong > 0 else { continue }
        count(.searchIndexes, checked: 0, failed: 1)
        report(
          .searchIndexes, .error, table.name, "has other words than the rows: \(wrong) rows, first at Z_PK \(first)")
      } catch let error as SQLiteError {
        count(.searchIndexes, checked: 0, failed: 1)
        report(.searchIndexes, .error, table.name, "cannot be read: \(error)")
      }
    }
  }

  /// The number of rows with other words in the index than in their texts, and the first of them.
  ///
  /// FTS5's own check is an `INSERT`, which a file that is only read does not allow.
  private func rowsIndexedOtherwise(_ index: SearchIndexLayout) throws -> (count: Int64, first: Int64) {
    let connection = store.connection
    func drop() {
      for table in ["FOUND", "WANTED", "TEXTS"] { try? connection.execute("DROP TABLE IF EXISTS temp.OSD_\(table)") }
    }
    drop()
    defer { drop() }
    let columns = index.attributes.map(\.column.quoted).joined(separator: ", ")
    try connection.execute(
      """
      CREATE VIRTUAL TABLE temp.OSD_FOUND USING fts5vocab('main', \(Identifier.literal(index.name.name)), 'instance');
      CREATE VIRTUAL TABLE temp.OSD_TEXTS USING fts5(\(columns), content = '', tokenize = '\(SearchIndexLayout.tokenizer)');
      INSERT INTO temp.OSD_TEXTS (rowid, \(columns)) SELECT Z_PK, \(columns) FROM main.\(index.table);
      CREATE VIRTUAL TABLE temp.OSD_WANTED USING fts5vocab('temp', 'OSD_TEXTS', 'instance');
      """)
    let difference = try connection.prepare(
      """
      SELECT count(DISTINCT doc), ifnull(min(doc), 0) FROM (
        SELECT doc FROM (SELECT term, doc, col, "offset" FROM temp.OSD_FOUND EXCEPT SELECT term, doc, col, "offset" FROM temp.OSD_WANTED)
        UNION ALL
        SELECT doc FROM (SELECT term, doc, col, "offset" FROM temp.OSD_WANTED EXCEPT SELECT term, doc, col, "offset" FROM temp.OSD_FOUND)
      )
      """)
    return try difference.step() ? (difference.integer(0), difference.integer(1)) : (0, 0)
  }
}
