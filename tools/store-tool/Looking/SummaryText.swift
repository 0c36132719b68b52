import ErrorReporting
import Foundation
import ManagedModel
import StoreInspection
import ToolConsole

/// A store's summary as text: sections of aligned lines.
struct SummaryText {
  private let summary: StoreSummary
  private let showsHashes: Bool
  private let showsAll: Bool
  private let terminal = Terminal.output

  init(_ summary: StoreSummary, showsHashes: Bool, showsAll: Bool) {
    self.summary = summary
    self.showsHashes = showsHashes
    self.showsAll = showsAll
  }

  var lines: [String] {
    var lines = [terminal.styled(onOneLine(summary.path), .bold)] + facts
    lines += section("Entities", entityTable)
    if showsHashes {
      lines += section(
        "Version hashes", table(["entity", "hash"], summary.entities.map { [$0.name, $0.hash ?? "none"] }))
    }
    guard showsAll else { return lines + [""] + counts }
    for entity in summary.entities { lines += [""] + EntityText(entity, summary).lines }
    lines += section("Tables", tableTable)
    lines += section("Indexes", indexTable)
    lines += section("Triggers", table(["trigger", "table"], summary.triggers.map { [$0.name, $0.table] }))
    lines += section(
      "Metadata",
      table(
        ["key", "value", ""], summary.metadata.map { [$0.name, short($0.value), $0.isKnown ? "" : "an application's"] })
    )
    return lines
  }

  // MARK: The store

  private var facts: [String] {
    let framework = summary.framework
    let release = framework.release.map { " (\($0))" } ?? ""
    var facts: [(String, String)] = [
      ("identifier", summary.identifier ?? "none"),
      ("framework", framework.version == 0 ? "not said" : "\(framework.version)\(release)"),
      ("model", model), ("file", file),
    ]
    let versions = summary.model.versionIdentifiers
    if !versions.isEmpty { facts.insert(("version", versions.joined(separator: ", ")), at: 2) }
    if let size = summary.file.logSize, size > 0 { facts.append(("log", "\(bytes(size)) in the -wal file beside it")) }
    if let size = summary.file.journalSize, size > 0 {
      facts.append(("journal", "\(bytes(size)), left behind by a program that did not finish"))
    }
    if let files = summary.externalData {
      facts.append(("external data", external(files)))
      if let problem = files.folderProblem { facts.append(("", problem)) }
    }
    facts += history
    let width = facts.map(\.0.count).max() ?? 0
    return facts.map { "  " + $0.padding(toLength: width, withPad: " ", startingAt: 0) + "  " + onOneLine($1) }
  }

  private var model: String {
    let model = summary.model
    let own = summary.entities
    let attributes = own.reduce(0) { $0 + ($1.attributes ?? []).count { $0.inheritedFrom == nil } }
    let relationships = own.reduce(0) { $0 + ($1.relationships ?? []).count { $0.inheritedFrom == nil } }
    let isUnknown = own.contains { $0.attributes == nil }
    let size =
      counted(own.count, "entity", "entities")
      + (isUnknown
        ? ", their properties unknown"
        : ", \(counted(attributes, "attribute")), \(counted(relationships, "relationship"))")
    let source =
      switch model.source {
      case "store": "in the store"
      case "given": "the given one"
      default: "none in the store; --model names one"
      }
    return "\(size); \(model.problem ?? source)"
  }

  private var file: String {
    let file = summary.file
    let journal = file.journalMode == "wal" ? "write-ahead log" : "rollback journal"
    let free = file.freePages > 0 ? ", \(file.freePages) free" : ""
    return "\(bytes(file.size)): \(file.pageCount) pages of \(file.pageSize) bytes\(free); \(journal), "
      + "auto-vacuum \(file.autoVacuum), \(file.encoding)"
  }

  private func external(_ files: ExternalFiles) -> String {
    guard files.references > 0 || files.fileCount > 0 else { return "all in the rows" }
    var parts = [
      "\(counted(files.references, "value")) in files",
      "\(counted(files.fileCount, "file")) of \(bytes(files.byteCount))",
    ]
    if !files.missing.isEmpty { parts.append("\(files.missing.count) missing") }
    if let problems = files.fileProblems { parts.append("\(problems.count) that cannot be read") }
    if !files.unreferenced.isEmpty { parts.append("\(files.unreferenced.count) that nothing refers to") }
    return parts.joined(separator: ", ")
  }

  private var history: [(String, String)] {
    guard let history = summary.history else { return [("history", "none")] }
    let kinds =
      "\(counted(history.inserts, "insert")), \(counted(history.updates, "update")), \(counted(history.deletes, "delete"))"
    var facts = [
      ("history", "\(counted(history.transactions, "transaction")), \(counted(history.changes, "change")): \(kinds)")
    ]
    if let first = history.first, let last = history.last {
      facts.append(("", "from \(first.utcText) to \(last.utcText)"))
    }
    let authors = history.authors.map { "\($0.name ?? "without author") (\($0.transactions))" }
    if !authors.isEmpty {
      let rest = authors.count > 5 ? ", …" : ""
      facts.append(("", "authors: \(authors.prefix(5).joined(separator: ", "))\(rest)"))
    }
    return facts
  }

  /// The numbers of the items that only `--all` lists.
  private var counts: [String] {
    let joins = summary.tables.count { $0.kind == .join }
    let other = summary.tables.filter { $0.kind == .other || $0.kind == .cloudKit }.map(\.name)
    let keys = summary.metadata.filter { !$0.isKnown }.map(\.name)
    var parts = ["\(summary.tables.count) tables (\(joins) of pairs)", "\(summary.indexes.count) indexes"]
    if !summary.triggers.isEmpty { parts.append("\(summary.triggers.count) triggers") }
    var lines = [parts.joined(separator: ", ") + "; --all lists them"]
    if !other.isEmpty { lines.append("tables of others: \(some(other))") }
    if !keys.isEmpty { lines.append("metadata of an application: \(some(keys))") }
    return lines.map(onOneLine)
  }

  private func some(_ names: [String]) -> String {
    names.prefix(8).joined(separator: ", ") + (names.count > 8 ? ", … (\(names.count))" : "")
  }

  private func short(_ value: String) -> String { value.count > 80 ? value.prefix(79) + "…" : value }

  // MARK: Tables

  private var entityTable: [String] {
    let sizes = Dictionary(summary.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let rows = summary.entities.map { entity in
      let table = sizes[entity.table]
      let count = entity.isAbstract ? "abstract" : entity.count.map(String.init) ?? "?"
      let size = entity.superentity == nil ? table?.bytes.map { bytes($0 + (table?.indexBytes ?? 0)) } ?? "" : ""
      let name = entity.superentity == nil ? entity.name : indented(entity)
      return [
        "\(entity.number)", name, count, entity.table, size, entity.attributes.map { "\($0.count)" } ?? "unknown",
        entity.relationships.map { "\($0.count)" } ?? "unknown",
      ]
    }
    return TextTable(
      header: ["Z_ENT", "entity", "objects", "table", "size", "attributes", "relationships"], rows: rows,
      alignments: [.trailing, .leading, .trailing, .leading, .trailing, .trailing, .trailing]
    ).lines(styled: terminal)
  }

  /// The entity's name, indented by two columns per superentity.
  private func indented(_ entity: StoreSummary.Entity) -> String {
    let parents = Dictionary(
      summary.entities.map { ($0.name, $0.superentity) }, uniquingKeysWith: { first, _ in first })
    var depth = 0
    var parent = entity.superentity
    while let name = parent, depth < 20 {
      depth += 1
      parent = parents[name] ?? nil
    }
    return String(repeating: "  ", count: depth) + entity.name
  }

  private var tableTable: [String] {
    let rows = summary.tables.map { table in
      [
        table.name, table.kind.rawValue, table.rows.map(String.init) ?? "?", table.bytes.map(bytes) ?? "",
        table.indexBytes.map { $0 > 0 ? bytes($0) : "" } ?? "",
      ]
    }
    return TextTable(
      header: ["table", "kind", "rows", "size", "indexes"], rows: rows,
      alignments: [.leading, .leading, .trailing, .trailing, .trailing]
    ).lines(styled: terminal)
  }

  private var indexTable: [String] {
    let rows = summary.indexes.map { index in
      [
        index.name, index.kind + (index.isPartial ? ", partial" : ""), index.table,
        index.columns.joined(separator: ", "), index.bytes.map(bytes) ?? "",
      ]
    }
    return TextTable(
      header: ["index", "kind", "table", "columns", "size"], rows: rows,
      alignments: [.leading, .leading, .leading, .leading, .trailing]
    ).lines(styled: terminal)
  }

  private func table(_ header: [String], _ rows: [[String]]) -> [String] {
    TextTable(header: header, rows: rows).lines(styled: terminal)
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    lines.count > 1 ? ["", terminal.styled(title, .bold)] + lines.map { "  " + $0 } : []
  }
}

/// A number of bytes as text, in KB of 1,024 bytes and their multiples.
private func bytes(_ count: Int64) -> String {
  let units = ["KB", "MB", "GB", "TB", "PB"]
  guard count >= 1024 else { return "\(count) bytes" }
  var value = Double(count) / 1024
  var unit = 0
  while value >= 1000, unit < units.count - 1 {
    value /= 1024
    unit += 1
  }
  let tenths = Int((value * 10).rounded())
  return value < 10 && tenths % 10 != 0
    ? "\(tenths / 10).\(tenths % 10) \(units[unit])" : "\(Int(value.rounded())) \(units[unit])"
}
