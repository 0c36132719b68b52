import Foundation
import ManagedModel
import PropertyLists
import StoreRequests

extension ExportValue {
  /// Reads the value of an attribute from JSON; the reverse of ``JSONWriter``.
  ///
  /// - Throws: ``ImportFault`` for a value of another type.
  init(_ node: JSONNode, as type: AttributeType) throws(ImportFault) {
    if case .null = node.value {
      self = .null
      return
    }
    if let stored = try node.marked("$stored") {
      self = .stored(try StoreValue(stored))
      return
    }
    let value: ExportValue? =
      switch (type, node.value) {
      case (.boolean, .boolean(let value)): .boolean(value)
      case (.boolean, .number("0")): .boolean(false)
      case (.boolean, .number("1")): .boolean(true)
      case (.integer16, .number(let text)): Int16(text).map { .integer(Int64($0)) }
      case (.integer32, .number(let text)): Int32(text).map { .integer(Int64($0)) }
      case (.integer64, .number(let text)): Int64(text).map { .integer($0) }
      case (.double, _), (.float, _): Self.real(node).map { .real($0) }
      case (.decimal, .text("NaN")): .decimal(.nan)
      case (.decimal, .text(let text)), (.decimal, .number(let text)): Self.decimal(text).map { .decimal($0) }
      case (.date, .text(let text)): ExportDate.seconds(text).map { .date($0) }
      case (.date, .number): Self.real(node).map { .date($0) }
      case (.string, .text(let text)), (.uri, .text(let text)): .text(text)
      case (.binary, .text(let text)): Data(base64Encoded: text).map { .data($0) }
      case (.uuid, .text(let text)): UUID(uuidString: text).map { .uuid($0) }
      case (.transformable, _): .archived(try ArchivedValue(node))
      default: nil
      }
    guard let value else {
      throw ImportFault("the value is no \(Self.wanted(type))", Self.example(type), at: node.offset)
    }
    self = value
  }

  /// A number. Infinity is a text, as JSON has no number for it. NaN is refused, as SQLite stores it as NULL.
  static func real(_ node: JSONNode) -> Double? {
    switch node.value {
    case .number(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
    case .text("Infinity"): .infinity
    case .text("-Infinity"): -.infinity
    default: nil
    }
  }

  private static func wanted(_ type: AttributeType) -> String {
    switch type {
    case .boolean: "truth value"
    case .integer16, .integer32, .integer64: "\(type.modelName.lowercased())"
    case .double, .float: "number"
    case .decimal: "decimal number"
    case .date: "date"
    case .string: "text"
    case .uri: "URI in a text"
    case .binary: "data in base64"
    case .uuid: "UUID"
    case .composite: "object of the composite's elements"
    case .transformable, .undefined, .objectID: "value that is stored"
    }
  }

  private static func example(_ type: AttributeType) -> String {
    switch type {
    case .boolean: "write true or false"
    case .integer16: "write a whole number from \(Int16.min) to \(Int16.max)"
    case .integer32: "write a whole number from \(Int32.min) to \(Int32.max)"
    case .integer64: "write a whole number, without quotation marks"
    case .double, .float: "write a number such as 1.5"
    case .decimal: "write a text such as \"12.50\""
    case .date: "write a text such as \"2024-02-29T12:00:00Z\", or the seconds since 2001"
    case .string, .uri: "put it in double quotation marks"
    case .binary: "write the bytes in base64, in double quotation marks"
    case .uuid: "write a text of 36 characters"
    case .composite: "write {\"name\": value, …}"
    case .transformable, .undefined, .objectID: "leave it out"
    }
  }
}

extension StoreValue {
  /// A stored value.
  init(_ node: JSONNode) throws(ImportFault) {
    switch node.value {
    case .null: self = .null
    case .text(let text): self = .text(text)
    case .number(let text):
      if let integer = Int64(text) {
        self = .integer(integer)
      } else if let real = Double(text), real.isFinite {
        self = .real(real)
      } else {
        throw ImportFault("the number is too large", "write a number that SQLite can store", at: node.offset)
      }
    default:
      guard let data = try node.marked("$data"), case .text(let text) = data.value,
        let bytes = Data(base64Encoded: text)
      else {
        throw ImportFault(
          "the value is not a stored value", "write a number, a text or {\"$data\": base64}", at: node.offset)
      }
      self = .blob(bytes)
    }
  }
}

extension JSONNode {
  /// The value of an object whose only member has this name.
  func marked(_ name: String) throws(ImportFault) -> JSONNode? {
    guard case .object(let members) = value, members.count == 1, members[0].name == name else { return nil }
    return members[0].node
  }
}
