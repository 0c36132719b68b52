public import Foundation

extension Schema {
  /// A value of a user-info dictionary, which the store's model keeps for tools: any value of a property list.
  ///
  ///     @Model(userInfo: ["syncKey": "book", "priority": 3, "tags": ["a", "b"]])
  ///
  /// Every kind with a Swift literal can be written as that literal. Not in Apple's framework.
  public indirect enum UserInfoValue: Codable, Hashable, Sendable {
    /// Text.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A truth value.
    case boolean(Bool)
    /// A moment.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// A list.
    case array([UserInfoValue])
    /// A dictionary.
    case dictionary([String: UserInfoValue])
  }
}

extension Schema.UserInfoValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A floating-point number.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// A truth value.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// A list.
  public init(arrayLiteral elements: Schema.UserInfoValue...) { self = .array(elements) }
  /// A dictionary; if a key is repeated, its last value is kept.
  public init(dictionaryLiteral elements: (String, Schema.UserInfoValue)...) {
    self = .dictionary(Dictionary(elements) { _, last in last })
  }
}
