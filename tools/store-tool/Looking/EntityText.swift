import ErrorReporting
import StoreInspection
import ToolConsole

/// The details of one entity.
struct EntityText {
  private let entity: StoreSummary.Entity
  private let summary: StoreSummary
  private let terminal = Terminal.output

  init(_ entity: StoreSummary.Entity, _ summary: StoreSummary) {
    self.entity = entity
    self.summary = summary
  }

  var lines: [String] {
    let count = entity.isAbstract ? "abstract" : entity.count.map { counted($0, "object") } ?? "not to be read"
    var facts = ["Z_ENT \(entity.number)", "table \(entity.table)", count]
    if let superentity = entity.superentity { facts.insert("below \(superentity)", at: 1) }
    if let className = entity.className, className != entity.name { facts.append("class \(className)") }
    var lines = ["\(terminal.styled(onOneLine(entity.name), .bold))  (\(onOneLine(facts.joined(separator: ", "))))"]
    if entity.attributes == nil { lines.append("  attributes and relationships unknown: \(unknownReason)") }
    lines += part(
      ["attribute", "type", "", "column", "", "from"],
      (entity.attributes ?? []).map {
        [
          $0.name, $0.type, $0.isOptional ? "optional" : "",
          $0.columns.map { column in (column.element.map { $0 + ": " } ?? "") + column.name }.joined(separator: ", "),
          $0.traits.joined(separator: ", "), $0.inheritedFrom ?? "",
        ]
      })
    lines += part(
      ["relationship", "kind", "destination", "inverse", "delete rule", "kept in", "from"],
      (entity.relationships ?? []).map {
        [
          $0.name, $0.kind, $0.destination, $0.inverse ?? "none", $0.deleteRule, $0.storage,
          $0.inheritedFrom ?? "",
        ]
      })
    for names in entity.uniquenessConstraints { lines.append("  unique: " + onOneLine(names.joined(separator: ", "))) }
    let indexes = summary.indexes.filter { $0.name.hasPrefix("Z_\(entity.name)_") && $0.kind == "fetch" }
    for index in indexes {
      lines.append(
        "  index \(onOneLine(index.name)): \(onOneLine(index.columns.joined(separator: ", ")))"
          + (index.isPartial ? ", partial" : ""))
    }
    if !entity.fetchedProperties.isEmpty {
      lines.append("  fetched: " + onOneLine(entity.fetchedProperties.joined(separator: ", ")))
    }
    if let hash = entity.hash { lines.append("  hash: " + hash) }
    return lines
  }

  private var unknownReason: String {
    summary.model.problem.map(onOneLine) ?? "name the model with --model"
  }

  /// A table without the columns that are empty for this entity.
  private func part(_ header: [String], _ rows: [[String]]) -> [String] {
    let shown = header.indices.filter { column in rows.contains { !$0[column].isEmpty } }
    guard !rows.isEmpty else { return [] }
    let table = TextTable(header: shown.map { header[$0] }, rows: rows.map { row in shown.map { row[$0] } })
    return table.lines(styled: terminal).map { "  " + $0 }
  }
}
