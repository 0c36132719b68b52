import Foundation
import ManagedModel

/// The Swift types and literals of attributes.
enum AttributeTypes {
  /// The type of a plain attribute before it becomes optional; `nil` for types that need a decision of their own.
  static func type(of attribute: AttributeType) -> TypeReference? {
    switch attribute {
    case .integer16: TypeReference(name: "Int16")
    case .integer32: TypeReference(name: "Int32")
    case .integer64: TypeReference(name: "Int64")
    case .decimal: TypeReference(name: "Decimal", module: "Foundation")
    case .double: TypeReference(name: "Double")
    case .float: TypeReference(name: "Float")
    case .string: TypeReference(name: "String")
    case .boolean: TypeReference(name: "Bool")
    case .date: TypeReference(name: "Date", module: "Foundation")
    case .binary: TypeReference(name: "Data", module: "Foundation")
    case .uuid: TypeReference(name: "UUID", module: "Foundation")
    case .uri: TypeReference(name: "URL", module: "Foundation")
    case .undefined, .transformable, .objectID, .composite: nil
    }
  }

  /// Types whose collections are the same on every system.
  private static let elements: Set<String> = [
    "String", "Int", "Int16", "Int32", "Int64", "Decimal", "Double", "Float", "Bool", "Date", "Data", "UUID", "URL",
  ]

  /// The collection type that a transformable attribute's value class names: `[String]`, `Set<UUID>`, `[String: Date]`
  /// and their long forms; `nil` for other classes.
  ///
  /// Core Data's default archiver, the secure archiver, reads and writes these collections.
  static func collection(named valueClass: String) -> TypeReference? {
    func parts(_ prefix: String, _ suffix: String) -> [String]? {
      guard valueClass.hasPrefix(prefix), valueClass.hasSuffix(suffix), valueClass.count > prefix.count + suffix.count
      else { return nil }
      return valueClass.dropFirst(prefix.count).dropLast(suffix.count).split { $0 == "," || $0 == ":" }
        .map { String($0.replacing(" ", with: "").replacing("Swift.", with: "").replacing("Foundation.", with: "")) }
    }
    func type(_ name: String, of parts: [String], isArray: Bool = false) -> TypeReference {
      let isFoundation = parts.contains { ["Date", "Data", "UUID", "URL", "Decimal"].contains($0) }
      return TypeReference(name: name, isArray: isArray, module: isFoundation ? "Foundation" : nil)
    }
    if let parts = parts("Set<", ">"), parts.count == 1, elements.contains(parts[0]) {
      return type("Set<\(parts[0])>", of: parts)
    }
    guard let parts = parts("[", "]") ?? parts("Array<", ">") ?? parts("Dictionary<", ">"),
      parts.allSatisfy(elements.contains)
    else { return nil }
    switch parts.count {
    case 1 where !valueClass.hasPrefix("D"): return type(parts[0], of: parts, isArray: true)
    case 2 where parts[0] == "String" && !valueClass.hasPrefix("A"):
      return type("Dictionary<String, \(parts[1])>", of: parts)
    default: return nil
    }
  }

  /// The names of the secure archiver in models.
  static let secureTransformers: Set<String> = [
    "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSSecureUnarchiveFromDataTransformerName",
  ]

  /// Core Data's default if a model names no transformer.
  static let defaultTransformer = "NSKeyedUnarchiveFromData"

  /// A default value as an expression of the attribute's type; `nil` if the value does not fit the type.
  static func expression(for value: AttributeValue, type: AttributeType) -> Expression? {
    switch (type, value) {
    case (.integer16, .integer(let number)): Int16(exactly: number).map { .integer(Int64($0)) }
    case (.integer32, .integer(let number)): Int32(exactly: number).map { .integer(Int64($0)) }
    case (.integer64, .integer(let number)): .integer(number)
    case (.boolean, .boolean(let flag)): .boolean(flag)
    case (.boolean, .integer(let number)): .boolean(number != 0)
    case (.double, .double(let number)), (.float, .double(let number)):
      number.isFinite ? .floatingPoint(number) : nil
    case (.double, .integer(let number)), (.float, .integer(let number)): .floatingPoint(Double(number))
    case (.decimal, .decimal(let number)): decimal(number)
    case (.decimal, .integer(let number)): .integer(number)
    case (.string, .string(let text)): .string(text)
    case (.date, .date(let seconds)) where seconds.isFinite:
      .call("Date", [Argument("timeIntervalSinceReferenceDate", number(seconds))])
    case (.uuid, .uuid(let identifier)): uuid(identifier)
    case (.uri, .uri(let text)): url(text)
    case (.binary, .binary(let data)): bytes(data)
    default: nil
    }
  }

  /// The value of a derived attribute before the store has computed it.
  static func neutralValue(of type: AttributeType) -> Expression {
    switch type {
    case .boolean: .boolean(false)
    case .double, .float: .floatingPoint(0)
    case .string: .string("")
    case .date: .name("Date.distantPast")
    case .binary: .call("Data", [])
    case .uuid: uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    case .uri: .call("URL", [Argument("filePath", .string("/"))])
    default: .integer(0)
    }
  }

  static func bytes(_ data: Data) -> Expression { data.count <= 64 ? .bytes(data) : encoded(data) }

  private static func number(_ value: Double) -> Expression {
    Int64(exactly: value).map { .integer($0) } ?? .floatingPoint(value)
  }

  /// The exact decimal number; a floating-point literal of `Decimal` is not exact.
  private static func decimal(_ value: Decimal) -> Expression? {
    guard value.isFinite else { return nil }
    if let whole = Int64(value.description) { return .integer(whole) }
    guard let significand = Int64(value.significand.description) else {
      return .coalesced(
        .call("Decimal", [Argument("string", .string(value.description))]), .integer(0))
    }
    return .call(
      "Decimal",
      [
        Argument("sign", .member(value.sign == .minus ? "minus" : "plus")),
        Argument("exponent", .integer(Int64(value.exponent))), Argument("significand", .integer(significand)),
      ])
  }

  private static func uuid(_ identifier: UUID) -> Expression {
    .coalesced(.call("UUID", [Argument("uuidString", .string(identifier.uuidString))]), .call("UUID", []))
  }

  private static func url(_ text: String) -> Expression? {
    guard URL(string: text) != nil else { return nil }
    return .coalesced(
      .call("URL", [Argument("string", .string(text))]), .call("URL", [Argument("filePath", .string("/"))]))
  }

  private static func encoded(_ data: Data) -> Expression {
    .coalesced(
      .call("Data", [Argument("base64Encoded", .string(data.base64EncodedString()))]), .call("Data", []))
  }
}
