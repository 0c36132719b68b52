import CoreDataStore
package import Foundation
package import ManagedModel
import SQLite

extension StoreSummary {
  /// Reads a store without changing it, and counts its rows. Cost: one scan of the file.
  ///
  /// - Parameter candidates: versions of the model for a store without one.
  /// - Throws: ``StoreError`` if the file is not a store at all.
  package static func read(_ url: URL, candidates: [ModelDescription] = []) throws -> StoreSummary {
    try StoreSnapshot.read(url, candidates: candidates) { try StoreSummary($0, StoreFile(url)) }
  }

  private init(_ store: StoreSnapshot, _ file: StoreFile) throws {
    try StoreSnapshot.require(store.treeDamage)
    let sizes = Sizes(store)
    let layout = store.model.layout
    path = file.path
    identifier = store.metadata.identifier
    framework = Framework(
      version: store.metadata.frameworkVersion, release: FrameworkRelease.name(of: store.metadata.frameworkVersion),
      maximumVersion: store.metadata.entries[StoreMetadata.Key.maximumFrameworkVersion] as? Int)
    self.file = try File(store, file)
    model = Model(store)
    metadata = MetadataEntry.all(store.metadata)
    let counts = StoreSummary.counts(store)
    entities = layout?.entities.map { Entity($0, store, counts[$0.table]) } ?? Entity.withoutModel(store, counts)
    let kinds = TableKinds(store)
    tables = store.definitions.filter { $0.kind == "table" && !$0.name.hasPrefix("sqlite_") }.map { table in
      let rows = try? store.connection.integer("SELECT count(*) FROM \(Identifier(table.name))")
      return Table(
        name: table.name, kind: kinds.kind(of: table.name), rows: rows ?? nil, bytes: sizes.bytes(of: table.name),
        indexBytes: sizes.indexBytes(of: table.name))
    }
    indexes = try Index.all(store, sizes)
    triggers = store.definitions.filter { $0.kind == "trigger" }.map { Trigger(name: $0.name, table: $0.table) }
    history = try History(store)
    externalData = try layout.flatMap { try store.externalFiles($0) }
  }

  /// The number of rows by table and entity. An unreadable table is absent.
  private static func counts(_ store: StoreSnapshot) -> [Identifier: [Int64: Int64]] {
    var result: [Identifier: [Int64: Int64]] = [:]
    for (table, _) in store.entityTables where store.has(table, "Z_ENT") {
      var counts: [Int64: Int64] = [:]
      do {
        let rows = try store.connection.prepare("SELECT Z_ENT, count(*) FROM \(table) GROUP BY Z_ENT")
        while try rows.step() { counts[rows.integer(0)] = rows.integer(1) }
      } catch { continue }
      result[table] = counts
    }
    return result
  }
}

/// The bytes of tables and indexes, if SQLite can tell (https://www.sqlite.org/dbstat.html).
private struct Sizes {
  private var bytes: [String: Int64] = [:]
  private var indexBytes: [String: Int64] = [:]
  private var isKnown = false

  init(_ store: StoreSnapshot) {
    let tables = Dictionary(
      store.definitions.filter { $0.kind == "index" }.map { ($0.name, $0.table) },
      uniquingKeysWith: { first, _ in first })
    do {
      let rows = try store.connection.prepare(
        "SELECT name, sum(pgsize) FROM dbstat WHERE aggregate = TRUE GROUP BY name")
      while try rows.step() {
        let name = rows.text(0) ?? ""
        bytes[name] = rows.integer(1)
        if let table = tables[name] { indexBytes[table, default: 0] += rows.integer(1) }
      }
      isKnown = true
    } catch { isKnown = false }
  }

  func bytes(of name: String) -> Int64? { isKnown ? bytes[name] ?? 0 : nil }
  func indexBytes(of table: String) -> Int64? { isKnown ? indexBytes[table] ?? 0 : nil }
}

extension StoreSummary.File {
  fileprivate init(_ store: StoreSnapshot, _ file: StoreFile) throws {
    func number(_ pragma: String) throws -> Int64 { Int64(try store.connection.pragma(pragma) ?? "") ?? 0 }
    let names = ["none", "full", "incremental"]
    let vacuum = Int(try number("auto_vacuum"))
    self.init(
      size: file.size(ofCompanion: "") ?? 0, logSize: file.size(ofCompanion: "-wal"),
      journalSize: file.size(ofCompanion: "-journal"), pageSize: Int(try number("page_size")),
      pageCount: try number("page_count"), freePages: try number("freelist_count"),
      autoVacuum: names.indices.contains(vacuum) ? names[vacuum] : "none",
      journalMode: store.header.map { $0.count > 18 && $0[$0.startIndex + 18] == 2 } == true ? "wal" : "delete",
      encoding: try store.connection.pragma("encoding") ?? "")
  }
}

extension StoreSummary.Model {
  fileprivate init(_ store: StoreSnapshot) {
    let source =
      switch store.model.source {
      case .cache, .unreadableCache: "store"
      case .given: "given"
      case .none, .emptyCache: "none"
      }
    let differing = store.model.differingEntities
    let difference =
      differing.isEmpty ? nil : "the given model is of another version: \(differing.joined(separator: ", "))"
    self.init(
      source: source, problem: store.model.problem ?? difference,
      versionIdentifiers: (store.metadata.versionIdentifiers ?? []).filter { !$0.isEmpty },
      hashedEntities: store.metadata.hashes?.hashes.count ?? 0)
  }
}

extension StoreSummary.MetadataEntry {
  private static let known: Set<String> = [
    StoreMetadata.Key.storeType, StoreMetadata.Key.hashes, StoreMetadata.Key.hashesVersion,
    StoreMetadata.Key.versionIdentifiers, StoreMetadata.Key.frameworkVersion,
    StoreMetadata.Key.maximumFrameworkVersion, StoreMetadata.Key.autoVacuumLevel, StoreMetadata.Key.digest,
    StoreMetadata.Key.checksum, "migrationManagerClass", "NSPersistentStoreRebuildIndicies",
  ]

  fileprivate static func all(_ metadata: MetadataSnapshot) -> [StoreSummary.MetadataEntry] {
    metadata.entries.sorted { codeUnitOrder($0.key, $1.key) }.map { name, value in
      StoreSummary.MetadataEntry(name: name, value: text(value), isKnown: known.contains(name))
    }
  }

  private static func text(_ value: Any) -> String {
    switch value {
    case let text as String: text
    case let data as Data: "\(data.count) bytes"
    case let date as Date: date.utcText
    case let list as [Any]: "[" + list.map(text).joined(separator: ", ") + "]"
    case let dictionary as [String: Any]: "\(dictionary.count) entries"
    case let number as NSNumber: "\(number)"
    default: "\(type(of: value))"
    }
  }
}

/// The purposes of a store's tables.
private struct TableKinds {
  private var kinds: [String: StoreSummary.Table.Kind] = [:]
  private let hasModel: Bool

  init(_ store: StoreSnapshot) {
    for name in ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"] { kinds[name] = .bookkeeping }
    for name in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] { kinds[name] = .history }
    for entry in store.entityTables { kinds[entry.table.name] = .entity }
    for table in store.model.layout?.joinTables ?? [] { kinds[table.name.name] = .join }
    for name in store.model.layout?.locationIndexNames ?? [] {
      for suffix in ["", "_node", "_parent", "_rowid"] { kinds[name + suffix] = .location }
    }
    hasModel = store.model.layout != nil
  }

  func kind(of name: String) -> StoreSummary.Table.Kind {
    if let kind = kinds[name] { return kind }
    if name.hasPrefix("ANSCK") { return .cloudKit }
    if name.hasPrefix("Z_RT_") { return .location }
    return !hasModel && name.prefixMatch(of: /Z_[0-9]/) != nil ? .join : .other
  }
}

extension StoreSummary.Index {
  fileprivate static func all(_ store: StoreSnapshot, _ sizes: Sizes) throws -> [StoreSummary.Index] {
    var kinds: [String: String] = [:]
    for text in HistoryTables.definitions(tombstoneCount: 0) { kinds[DefinitionText(text).definedName] = "history" }
    if let layout = store.model.layout {
      for entity in layout.entities {
        for index in (try? layout.indexes(of: entity)) ?? [] { kinds[index.name.name] = "\(index.kind)" }
      }
    }
    let info = try store.connection.prepare(
      "SELECT CASE WHEN cid = -2 THEN '(expression)' ELSE name END, \"desc\" FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno"
    )
    return store.definitions.filter { $0.kind == "index" && $0.sql != nil }.map { index in
      info.reset()
      var columns: [String] = []
      do {
        try info.bind(index.name, at: 1)
        while try info.step() { columns.append((info.text(0) ?? "rowid") + (info.integer(1) == 1 ? " DESC" : "")) }
      } catch { columns = [] }
      let text = DefinitionText(index.sql ?? "").plain
      return StoreSummary.Index(
        name: index.name, table: index.table, kind: kinds[index.name] ?? "other", columns: columns,
        isUnique: text.hasPrefix("CREATE UNIQUE"), isPartial: text.contains(" WHERE "),
        bytes: sizes.bytes(of: index.name))
    }
  }
}

extension StoreSummary.History {
  fileprivate init?(_ store: StoreSnapshot) throws {
    let (transaction, change) = (HistoryTables.transaction, HistoryTables.change)
    guard store.has(transaction, "Z_PK", "ZTIMESTAMP"), store.has(change, "Z_PK", "ZCHANGETYPE") else { return nil }
    let times = try store.connection.prepare("SELECT count(*), min(ZTIMESTAMP), max(ZTIMESTAMP) FROM \(transaction)")
    _ = try times.step()
    func date(_ column: Int) -> Date? {
      times.isNull(column) ? nil : Date(timeIntervalSinceReferenceDate: times.double(column))
    }
    let kinds = try store.connection.prepare(
      """
      SELECT count(*), count(*) FILTER (WHERE ZCHANGETYPE = 0), count(*) FILTER (WHERE ZCHANGETYPE = 1), \
      count(*) FILTER (WHERE ZCHANGETYPE = 2) FROM \(change)
      """)
    _ = try kinds.step()
    self.init(
      transactions: times.integer(0), changes: kinds.integer(0), inserts: kinds.integer(1), updates: kinds.integer(2),
      deletes: kinds.integer(3), first: date(1), last: date(2), authors: try History.authors(store))
  }

  private typealias History = StoreSummary.History

  /// The author's text is in a table of its own; stores of macOS 10.13 have it in the transaction.
  private static func authors(_ store: StoreSnapshot) throws -> [Author] {
    let (transaction, string) = (HistoryTables.transaction, HistoryTables.string)
    let hasTexts = store.has(transaction, "ZAUTHORTS") && store.has(string, "Z_PK", "ZNAME")
    guard hasTexts || store.has(transaction, "ZAUTHOR") else { return [] }
    let own = store.has(transaction, "ZAUTHOR") ? "t.ZAUTHOR" : "NULL"
    let source = hasTexts ? "\(transaction) t LEFT JOIN \(string) s ON s.Z_PK = t.ZAUTHORTS" : "\(transaction) t"
    let rows = try store.connection.prepare(
      """
      SELECT \(hasTexts ? "ifnull(s.ZNAME, \(own))" : own), count(*) FROM \(source) GROUP BY 1 \
      ORDER BY 2 DESC, 1 LIMIT 100
      """)
    var authors: [Author] = []
    while try rows.step() { authors.append(Author(name: rows.text(0), transactions: rows.integer(1))) }
    return authors
  }
}
