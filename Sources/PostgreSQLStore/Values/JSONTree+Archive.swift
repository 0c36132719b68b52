import Foundation
import PostgreSQL
import PropertyLists

// The values of keyed archives as JSON. A value without a kind of its own in JSON is an object with one mark: `{"$uuid": "…"}`,
// `{"$date": 700000000.5}` in seconds since 2001, `{"$set": […]}`. A name that begins with `$` gets one more. Most marks are those of
// `store-tool dump`; the numbers have forms that the server keeps.
extension JSONTree {
  init(_ value: ArchivedValue) {
    switch value {
    case .null: self = .null
    case .boolean(let flag): self = .boolean(flag)
    case .integer(let number): self = .number("\(number)")
    case .real(let number): self = Self.real(number)
    case .decimal(let number): self = .marked("$decimal", .text(number.isNaN ? "NaN" : "\(number)"))
    case .string(let text, false): self = .text(text)
    case .string(let text, true): self = .marked("$mutableString", .text(text))
    case .data(let data, let isMutable):
      self = .marked(isMutable ? "$mutableData" : "$data", .text(data.base64EncodedString()))
    case .date(let seconds): self = .marked("$date", Self.real(seconds))
    case .uuid(let uuid): self = .marked("$uuid", .text(uuid.uuidString))
    case .url(let text, nil): self = .marked("$url", .text(text))
    case .url(let text, let base?): self = .marked("$url", .list([.text(text), JSONTree(base)]))
    case .list(let items, .array): self = .list(items.map { JSONTree($0) })
    case .list(let items, let kind): self = .marked(Self.mark(kind), .list(items.map { JSONTree($0) }))
    case .dictionary(let entries, let isMutable):
      let plain = Self.members(entries)
      let pairs = JSONTree.list(entries.map { .list([JSONTree($0.key), JSONTree($0.value)]) })
      switch (plain, isMutable) {
      case (let plain?, false): self = .object(plain)
      case (let plain?, true): self = .marked("$mutableDictionary", .object(plain))
      case (nil, _): self = .marked(isMutable ? "$mutableDictionary" : "$dictionary", pairs)
      }
    }
  }

  /// The members of an object for a dictionary whose keys are different texts; `nil` for another one.
  private static func members(_ entries: [ArchivedValue.Entry]) -> [(name: String, value: JSONTree)]? {
    var names: Set<String> = []
    var members: [(name: String, value: JSONTree)] = []
    for entry in entries {
      guard case .string(let name, false) = entry.key, names.insert(name).inserted else { return nil }
      members.append((name.utf8.first == UInt8(ascii: "$") ? "$" + name : name, JSONTree(entry.value)))
    }
    return members
  }

  private static func marked(_ mark: String, _ value: JSONTree) -> JSONTree { .object([(mark, value)]) }

  private static func mark(_ kind: ArchivedValue.ListClass) -> String {
    let name = kind.rawValue.dropFirst(2)
    return "$" + name.prefix(1).lowercased() + name.dropFirst()
  }

  /// A number with a point, by which it differs from an integer: the server keeps the point, but no exponent and no sign of zero.
  private static func real(_ number: Double) -> JSONTree {
    guard number.isFinite, abs(number) < 0x1p63, number != 0 || number.sign == .plus else {
      return .marked("$real", .text("\(number)"))
    }
    return .number(number == number.rounded() ? "\(Int64(number)).0" : "\(number)")
  }

  /// The archive's value; `nil` for JSON that encodes no archive.
  var archivedValue: ArchivedValue? {
    switch self {
    case .null: return .null
    case .boolean(let flag): return .boolean(flag)
    case .number(let digits):
      if let integer = Int128(digits) { return .integer(integer) }
      return Double(digits).flatMap { $0.isFinite ? .real($0) : nil }
    case .text(let text): return .string(text)
    case .list(let items): return Self.values(items).map { .list($0) }
    case .object(let members):
      guard members.count == 1, let name = members.first?.name, name.hasMark else {
        return Self.entries(members).map { .dictionary($0) }
      }
      return Self.value(name, members[0].value)
    }
  }

  /// The innermost mark that encodes no value, for JSON that encodes no archive; `nil` if another part is at fault.
  var brokenMark: String? {
    let parts: [JSONTree]
    switch self {
    case .null, .boolean, .number, .text: return nil
    case .list(let items): parts = items
    case .object(let members): parts = members.map(\.value)
    }
    for part in parts { if let mark = part.brokenMark { return mark } }
    guard case .object(let members) = self, members.count == 1, members[0].name.hasMark, archivedValue == nil,
      parts[0].archivedValue != nil
    else { return nil }
    return members[0].name
  }

  private static func values(_ items: [JSONTree]) -> [ArchivedValue]? {
    var values: [ArchivedValue] = []
    for item in items {
      guard let value = item.archivedValue else { return nil }
      values.append(value)
    }
    return values
  }

  /// Sorted by name, as in the archives that this store writes, because the server orders names in its own way.
  private static func entries(_ members: [(name: String, value: JSONTree)]) -> [ArchivedValue.Entry]? {
    let plain = members.map { ($0.name.hasPrefix("$$") ? String($0.name.dropFirst()) : $0.name, $0.value) }
    var entries: [ArchivedValue.Entry] = []
    for (name, value) in plain.sorted(by: { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }) {
      guard let value = value.archivedValue else { return nil }
      entries.append(ArchivedValue.Entry(key: .string(name), value: value))
    }
    return entries
  }

  private static func value(_ mark: String, _ content: JSONTree) -> ArchivedValue? {
    if let kind = ArchivedValue.ListClass.allCases.first(where: { Self.mark($0) == mark }) {
      guard case .list(let items) = content else { return nil }
      return values(items).map { .list($0, kind) }
    }
    switch (mark, content) {
    case ("$real", .text(let text)): return Double(text).map { .real($0) }
    case ("$decimal", .text(let text)): return Numeric.decimal(text).map { .decimal($0) }
    case ("$mutableString", .text(let text)): return .string(text, isMutable: true)
    case ("$data", .text(let text)): return Data(base64Encoded: text).map { .data($0) }
    case ("$mutableData", .text(let text)): return Data(base64Encoded: text).map { .data($0, isMutable: true) }
    case ("$date", let seconds):
      switch seconds.archivedValue {
      case .real(let seconds)?: return .date(seconds)
      case .integer(let seconds)?: return .date(Double(seconds))
      default: return nil
      }
    case ("$uuid", .text(let text)): return UUID(uuidString: text).map { .uuid($0) }
    case ("$url", .text(let text)): return .url(text)
    case ("$url", .list(let parts)):
      guard parts.count == 2, case .text(let text) = parts[0], case .url? = parts[1].archivedValue else { return nil }
      return .url(text, base: parts[1].archivedValue)
    case ("$dictionary", .list(let pairs)), ("$mutableDictionary", .list(let pairs)):
      var entries: [ArchivedValue.Entry] = []
      for pair in pairs {
        guard case .list(let parts) = pair, parts.count == 2, let key = parts[0].archivedValue,
          let value = parts[1].archivedValue
        else { return nil }
        entries.append(ArchivedValue.Entry(key: key, value: value))
      }
      return .dictionary(entries, isMutable: mark == "$mutableDictionary")
    case ("$mutableDictionary", .object(let members)): return entries(members).map { .dictionary($0, isMutable: true) }
    default: return nil
    }
  }
}

extension String {
  /// Whether the name of a member is a mark: it begins with one `$`.
  fileprivate var hasMark: Bool { hasPrefix("$") && !hasPrefix("$$") }
}
