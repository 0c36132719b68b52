import Foundation
import ManagedModel

/// A value of a model, in the nearest JSON type.
///
/// Decimals, UUIDs and URIs are text. Data is base64. Dates are seconds since 2001-01-01T00:00:00Z.
indirect enum JSONValue: Encodable {
  case string(String)
  case integer(Int64)
  case real(Double)
  case boolean(Bool)
  case array([JSONValue])
  case object([String: JSONValue])

  init(_ value: AttributeValue) {
    self =
      switch value {
      case .integer(let number): .integer(number)
      case .decimal(let number): .string("\(number)")
      case .double(let number), .date(let number): JSONValue(number)
      case .boolean(let flag): .boolean(flag)
      case .string(let text), .uri(let text): .string(text)
      case .uuid(let identifier): .string(identifier.uuidString)
      case .binary(let data): .string(data.base64EncodedString())
      }
  }

  init(_ value: UserInfoValue) {
    self =
      switch value {
      case .string(let text): .string(text)
      case .integer(let number): .integer(number)
      case .real(let number), .date(let number): JSONValue(number)
      case .boolean(let flag): .boolean(flag)
      case .data(let data): .string(data.base64EncodedString())
      case .array(let values): .array(values.map(JSONValue.init))
      case .dictionary(let values): .object(values.mapValues(JSONValue.init))
      }
  }

  /// JSON has no infinities and no NaN; they become text.
  private init(_ number: Double) { self = number.isFinite ? .real(number) : .string("\(number)") }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .string(let text): try container.encode(text)
    case .integer(let number): try container.encode(number)
    case .real(let number): try container.encode(number)
    case .boolean(let flag): try container.encode(flag)
    case .array(let values): try container.encode(values)
    case .object(let values): try container.encode(values)
    }
  }
}
