internal import Foundation

/// The type of a value in a coded schema: its name, and for types that a column holds, the type itself.
struct CodedType: Codable {
  let type: any Any.Type

  /// Stands for a type that only the encoding program knows.
  enum Unknown {}

  init(_ type: any Any.Type) { self.type = type }

  /// The type of a relationship whose destination only the encoding program knows.
  static func relationship(isToOne: Bool, isOptional: Bool) -> any Any.Type {
    switch (isToOne, isOptional) {
    case (true, false): Unknown.self
    case (true, true): Unknown?.self
    case (false, false): [Unknown].self
    case (false, true): [Unknown]?.self
    }
  }

  private static let known: [any _ColumnValue.Type] = [
    Bool.self, Data.self, Date.self, Decimal.self, Double.self, Float.self, Int.self, Int8.self, Int16.self,
    Int32.self, Int64.self, String.self, UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, URL.self,
    UUID.self,
  ]

  private static let types: [String: any Any.Type] = {
    var types: [String: any Any.Type] = [:]
    for type in known {
      types[String(reflecting: type)] = type
      let optional = optionalType(type)
      types[String(reflecting: optional)] = optional
    }
    return types
  }()

  private static func optionalType<Value>(_ type: Value.Type) -> any Any.Type { Value?.self }

  init(from decoder: any Decoder) throws {
    let name = try decoder.singleValueContainer().decode(String.self)
    type = Self.types[name] ?? Unknown.self
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String(reflecting: type))
  }
}
