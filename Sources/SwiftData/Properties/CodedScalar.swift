internal import Foundation

/// A default value in a coded schema: a value that one column holds.
struct CodedScalar: Codable {
  let value: any Codable

  private enum CodingKeys: String, CodingKey {
    case type, value
    /// A number that JSON cannot write, as text.
    case text
  }

  /// `nil` for a missing value, and for one that no single column holds.
  init?(_ value: Any?) {
    guard let value, let content = (value as? any OptionalType).map({ $0.wrappedValue }) ?? value,
      CodedType.columnTypes[String(reflecting: Swift.type(of: content))] != nil, let codable = content as? any Codable
    else { return nil }
    self.value = codable
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .type)
    guard let type = CodedType.columnTypes[name] as? any Codable.Type else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: container, debugDescription: "'\(name)' is no type of a default value.")
    }
    guard let text = try container.decodeIfPresent(String.self, forKey: .text) else {
      func decode<Value: Codable>(_ type: Value.Type) throws -> Value { try container.decode(type, forKey: .value) }
      value = try decode(type)
      return
    }
    guard let number = Double(text) else {
      throw DecodingError.dataCorruptedError(
        forKey: .text, in: container, debugDescription: "'\(text)' is no number.")
    }
    value = type == Float.self ? Float(number) : type == CGFloat.self ? CGFloat(number) : number
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(String(reflecting: Swift.type(of: value)), forKey: .type)
    switch value {
    case let number as Double where !number.isFinite: try container.encode("\(number)", forKey: .text)
    case let number as Float where !number.isFinite: try container.encode("\(number)", forKey: .text)
    case let number as CGFloat where !number.isFinite: try container.encode("\(number)", forKey: .text)
    default: try container.encode(value, forKey: .value)
    }
  }
}
