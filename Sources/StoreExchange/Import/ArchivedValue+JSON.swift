import ErrorReporting
import Foundation
import ManagedModel
import PropertyLists

extension ArchivedValue {
  /// Reads the value of an archive from JSON; the reverse of ``JSONOutput``.
  ///
  /// - Throws: ``ImportFault`` for an unknown mark, or a value that does not fit its mark.
  init(_ node: JSONNode) throws(ImportFault) {
    switch node.value {
    case .null: self = .null
    case .boolean(let value): self = .boolean(value)
    case .text(let text): self = .string(text)
    case .number(let text):
      if let integer = Int64(text) {
        self = .integer(Int128(integer))
      } else if let real = Double(text), real.isFinite {
        self = .real(real)
      } else {
        throw ImportFault("the number is too large", "write {\"$integer\": \"digits\"}", at: node.offset)
      }
    case .list(let items): self = .list(try Self.values(items))
    case .object(let members):
      if members.count == 1, let member = members.first, member.name.hasPrefix("$"), !member.name.hasPrefix("$$") {
        self = try Self.marked(member.name, member.node)
      } else {
        self = .dictionary(try Self.entries(members))
      }
    }
  }

  private static func values(_ nodes: [JSONNode]) throws(ImportFault) -> [ArchivedValue] {
    var values: [ArchivedValue] = []
    for node in nodes { values.append(try ArchivedValue(node)) }
    return values
  }

  private static func entries(_ members: [(name: String, node: JSONNode)]) throws(ImportFault) -> [Entry] {
    var entries: [Entry] = []
    for (name, node) in members {
      let plain = name.hasPrefix("$$") ? String(name.dropFirst()) : name
      entries.append(Entry(key: .string(plain), value: try ArchivedValue(node)))
    }
    return entries
  }

  private static func marked(_ mark: String, _ node: JSONNode) throws(ImportFault) -> ArchivedValue {
    func fault() -> ImportFault {
      ImportFault(
        "the value is not what \(quoted(mark)) stands for", "see how store-tool dump writes one, or leave it out",
        at: node.offset)
    }
    func text() throws(ImportFault) -> String {
      guard case .text(let text) = node.value else { throw fault() }
      return text
    }
    for kind in ListClass.allCases where JSONOutput.marker(kind) == mark {
      guard case .list(let items) = node.value else { throw fault() }
      return .list(try values(items), kind)
    }
    switch mark {
    case "$integer": if let value = Int128(try text()) { return .integer(value) }
    case "$real":
      if case .text("NaN") = node.value { return .real(.nan) }
      if let value = ExportValue.real(node) { return .real(value) }
    case "$decimal":
      let digits = try text()
      if digits == "NaN" { return .decimal(.nan) }
      if let value = ExportValue.decimal(digits) { return .decimal(value) }
    case "$mutableString": return .string(try text(), isMutable: true)
    case "$archivedData", "$mutableArchivedData":
      if let data = Data(base64Encoded: try text()) { return .data(data, isMutable: mark == "$mutableArchivedData") }
    case "$date":
      if case .text(let text) = node.value {
        if let seconds = ExportDate.seconds(text) { return .date(seconds) }
      }
      if let seconds = ExportValue.real(node) { return .date(seconds) }
    case "$uuid": if let value = UUID(uuidString: try text()) { return .uuid(value) }
    case "$url":
      if case .list(let items) = node.value, items.count == 2, case .text(let text) = items[0].value {
        return .url(text, base: try ArchivedValue(items[1]))
      }
      return .url(try text())
    case "$dictionary", "$mutableDictionary":
      if case .object(let members) = node.value {
        return .dictionary(try entries(members), isMutable: mark != "$dictionary")
      }
      guard case .list(let pairs) = node.value else { throw fault() }
      var entries: [Entry] = []
      for pair in pairs {
        guard case .list(let parts) = pair.value, parts.count == 2 else { throw fault() }
        entries.append(Entry(key: try ArchivedValue(parts[0]), value: try ArchivedValue(parts[1])))
      }
      return .dictionary(entries, isMutable: mark == "$mutableDictionary")
    default:
      throw ImportFault(
        "there is no mark \(quoted(mark))", "write one more $ for a name that begins with $", at: node.offset)
    }
    throw fault()
  }
}
