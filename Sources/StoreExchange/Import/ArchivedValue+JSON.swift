import ErrorReporting
import Foundation
import ManagedModel
import PropertyLists

extension ArchivedValue {
  /// Reads the value of an archive from JSON; the reverse of ``JSONWriter``.
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
      if members.count == 1, let member = members.first, Self.isMark(member.name) {
        self = try ArchiveMark(member.name, at: member.node.offset).value(member.node)
      } else {
        self = .dictionary(try Self.entries(members))
      }
    }
  }

  static func values(_ nodes: [JSONNode]) throws(ImportFault) -> [ArchivedValue] {
    var values: [ArchivedValue] = []
    for node in nodes { values.append(try ArchivedValue(node)) }
    return values
  }

  /// The entries of a dictionary whose keys are texts.
  ///
  /// - Throws: ``ImportFault`` for a mark beside other names, which the export never writes.
  static func entries(_ members: [(name: String, node: JSONNode)]) throws(ImportFault) -> [Entry] {
    var entries: [Entry] = []
    for (name, node) in members {
      guard !isMark(name) else {
        throw ImportFault(
          "\(quoted(name)) is not the only name of its object", "write one more $ for a name that begins with $",
          at: node.offset)
      }
      let plain = name.hasPrefix("$$") ? String(name.dropFirst()) : name
      entries.append(Entry(key: .string(plain), value: try ArchivedValue(node)))
    }
    return entries
  }

  /// Whether a name in JSON is a mark. A name of the archive that begins with `$` has one more `$`.
  private static func isMark(_ name: String) -> Bool { name.hasPrefix("$") && !name.hasPrefix("$$") }
}
