import SQLite

/// Whether the SQL texts of a file's schema call harmless functions only.
///
/// SQLite refuses R*Trees in triggers of an untrusted schema (CD-4). A trusted schema may call any function in
/// triggers, views, indexes and defaults. So every text is examined before the schema is trusted.
enum SchemaTrust {
  private static let functions = Set(
    (TriggerFunctions.all + ["count", "ifnull", "max", "min", "sum", "total", "avg", "abs", "coalesce", "nullif"]
      + ["lower", "upper", "length", "substr", "trim", "replace", "instr", "round", "typeof"])
      .map { $0.lowercased() })

  /// Words before a parenthesis that are not functions.
  private static let words: Set<String> = [
    "and", "as", "by", "check", "else", "exists", "from", "in", "key", "not", "or", "rtree", "select", "set", "then",
    "unique", "values", "varchar", "when", "where",
  ]

  static func isHarmless(_ definitions: [Catalogue.Definition]) -> Bool {
    definitions.allSatisfy { definition in
      calls(in: definition.sql ?? "").allSatisfy { call in
        if functions.contains(call.name) || words.contains(call.name) { return true }
        // A table name before a list of columns. In an index, ON cannot begin a join, so no function follows it.
        return call.before == "into" || call.before == "table" || (definition.kind == "index" && call.before == "on")
      }
    }
  }

  /// A name before a parenthesis, and the word before the name, in lower case.
  struct Call: Hashable {
    let before: String
    let name: String
  }

  /// All possible calls. Text in quotation marks may also be a name.
  static func calls(in sql: String) -> Set<Call> {
    var calls: Set<Call> = []
    var bytes = Array(sql.utf8)[...]
    var before = ""
    var last = ""
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "("):
        if !last.isEmpty { calls.insert(Call(before: before.lowercased(), name: last.lowercased())) }
        (before, last) = ("", "")
      case UInt8(ascii: " "), 9...13: break
      case UInt8(ascii: "-") where bytes.first == byte: bytes = bytes.drop { $0 != 10 }
      case UInt8(ascii: "/") where bytes.first == UInt8(ascii: "*"):
        bytes = bytes.dropFirst()
        var isOpen = true
        while isOpen, let next = bytes.popFirst() {
          isOpen = !(next == UInt8(ascii: "*") && bytes.first == UInt8(ascii: "/"))
        }
        bytes = bytes.dropFirst()
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "["):
        let end = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
        var text: [UInt8] = []
        while let next = bytes.popFirst() {
          if next == end {
            guard end == byte, bytes.first == end else { break }
            bytes = bytes.dropFirst()
          }
          text.append(next)
        }
        (before, last) = (last, String(decoding: text, as: UTF8.self))
      case _ where isPartOfName(byte):
        var name = [byte]
        while let next = bytes.first, isPartOfName(next) {
          name.append(next)
          bytes = bytes.dropFirst()
        }
        (before, last) = (last, String(decoding: name, as: UTF8.self))
      default: (before, last) = ("", "")
      }
    }
    return calls
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 128...:
      true
    default: false
    }
  }
}
