import ErrorReporting
import Foundation
import PropertyLists

/// A mark such as `$date`: the only name of a JSON object, which tells the kind of an archived value.
struct ArchiveMark {
  private let kind: Kind
  private let name: String

  private enum Kind: String {
    case integer = "$integer"
    case real = "$real"
    case decimal = "$decimal"
    case date = "$date"
    case uuid = "$uuid"
    case url = "$url"
    case mutableString = "$mutableString"
    case data = "$archivedData"
    case mutableData = "$mutableArchivedData"
    case array = "$array"
    case mutableArray = "$mutableArray"
    case set = "$set"
    case mutableSet = "$mutableSet"
    case orderedSet = "$orderedSet"
    case mutableOrderedSet = "$mutableOrderedSet"
    case dictionary = "$dictionary"
    case mutableDictionary = "$mutableDictionary"
  }

  /// - Throws: ``ImportFault`` if there is no such mark.
  init(_ name: String, at offset: Int) throws(ImportFault) {
    guard let kind = Kind(rawValue: name) else {
      throw ImportFault(
        "there is no mark \(quoted(name))", "write one more $ for a name that begins with $", at: offset)
    }
    self.kind = kind
    self.name = name
  }

  /// Reads the value under the mark.
  ///
  /// - Throws: ``ImportFault`` for a value of another kind, with the form that the mark wants.
  func value(_ node: JSONNode) throws(ImportFault) -> ArchivedValue {
    let value: ArchivedValue? =
      switch (kind, node.value) {
      case (.integer, .text(let text)): Int128(text).map { .integer($0) }
      case (.real, .text("NaN")): .real(.nan)
      case (.real, _): ExportValue.real(node).map { .real($0) }
      case (.decimal, .text("NaN")): .decimal(.nan)
      case (.decimal, .text(let text)): ExportValue.decimal(text).map { .decimal($0) }
      case (.date, .text("NaN")): .date(.nan)
      case (.date, .text(let text)): (ExportDate.seconds(text) ?? ExportValue.real(node)).map { .date($0) }
      case (.date, _): ExportValue.real(node).map { .date($0) }
      case (.uuid, .text(let text)): UUID(uuidString: text).map { .uuid($0) }
      case (.url, .text(let text)): .url(text)
      case (.url, .list(let parts)): try Self.url(parts)
      case (.mutableString, .text(let text)): .string(text, isMutable: true)
      case (.data, .text(let text)): Data(base64Encoded: text).map { .data($0) }
      case (.mutableData, .text(let text)): Data(base64Encoded: text).map { .data($0, isMutable: true) }
      case (.array, .list(let items)): .list(try ArchivedValue.values(items))
      case (.mutableArray, .list(let items)): .list(try ArchivedValue.values(items), .mutableArray)
      case (.set, .list(let items)): .list(try ArchivedValue.values(items), .set)
      case (.mutableSet, .list(let items)): .list(try ArchivedValue.values(items), .mutableSet)
      case (.orderedSet, .list(let items)): .list(try ArchivedValue.values(items), .orderedSet)
      case (.mutableOrderedSet, .list(let items)): .list(try ArchivedValue.values(items), .mutableOrderedSet)
      case (.dictionary, .object(let members)): .dictionary(try ArchivedValue.entries(members))
      case (.mutableDictionary, .object(let members)):
        .dictionary(try ArchivedValue.entries(members), isMutable: true)
      case (.dictionary, .list(let pairs)): try Self.entries(pairs).map { .dictionary($0) }
      case (.mutableDictionary, .list(let pairs)): try Self.entries(pairs).map { .dictionary($0, isMutable: true) }
      default: nil
      }
    guard let value else {
      throw ImportFault("the value is not what \(quoted(name)) stands for", "write \(wanted)", at: node.offset)
    }
    return value
  }

  /// A URL with its base, which is a URL too, as an archive demands.
  private static func url(_ parts: [JSONNode]) throws(ImportFault) -> ArchivedValue? {
    guard parts.count == 2, case .text(let text) = parts[0].value else { return nil }
    let base = try ArchivedValue(parts[1])
    guard case .url = base else { return nil }
    return .url(text, base: base)
  }

  /// The entries of a dictionary with keys of any kind.
  private static func entries(_ pairs: [JSONNode]) throws(ImportFault) -> [ArchivedValue.Entry]? {
    var entries: [ArchivedValue.Entry] = []
    for pair in pairs {
      guard case .list(let parts) = pair.value, parts.count == 2 else { return nil }
      entries.append(ArchivedValue.Entry(key: try ArchivedValue(parts[0]), value: try ArchivedValue(parts[1])))
    }
    return entries
  }

  /// The form of the value, for the message.
  private var wanted: String {
    switch kind {
    case .integer: "a text of digits, such as {\"\(name)\": \"18446744073709551615\"}"
    case .real: "a number, or one of the texts \"NaN\", \"Infinity\" and \"-Infinity\""
    case .decimal: "a text such as \"12.50\""
    case .date: "a text such as \"2024-02-29T12:00:00Z\", or the seconds since 2001"
    case .uuid: "a text of 36 characters"
    case .url: "a text, or a list of a text and the base: [\"page\", {\"$url\": \"https://example.org/\"}]"
    case .mutableString: "a text"
    case .data, .mutableData: "the bytes in base64, in double quotation marks"
    case .array, .mutableArray, .set, .mutableSet, .orderedSet, .mutableOrderedSet: "a list"
    case .dictionary, .mutableDictionary: "an object, or a list of pairs such as [[key, value], …]"
    }
  }
}
