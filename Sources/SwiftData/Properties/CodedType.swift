internal import Foundation

/// The type of a value in a coded schema: its name, and the type itself if the program has it.
///
/// A type that a column holds is coded as its name alone. Any other type has its mangled name too, by which the Swift
/// runtime finds it, unless it is private.
struct CodedType: Codable {
  let type: any Any.Type
  /// The name without what differs from one run of a program to the next.
  let name: String

  /// Stands for a type that the decoding program does not have.
  enum Unknown {}

  private enum CodingKeys: String, CodingKey { case name, mangledName }

  init(_ type: any Any.Type, name: String? = nil) {
    self.type = type
    self.name = name ?? Self.name(of: type)
  }

  /// Whether the decoding program does not have the type.
  var isUnknown: Bool { type == Unknown.self }

  /// The type of a relationship whose destination only the encoding program knows.
  static func relationship(isToOne: Bool, isOptional: Bool) -> any Any.Type {
    switch (isToOne, isOptional) {
    case (true, false): Unknown.self
    case (true, true): Unknown?.self
    case (false, false): [Unknown].self
    case (false, true): [Unknown]?.self
    }
  }

  /// A type's full name, without the addresses that stand in the names of private types.
  static func name(of type: any Any.Type) -> String {
    let name = String(reflecting: type)
    return name.contains("(unknown context") ? name.replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "") : name
  }

  /// The types of values that a column holds, by name.
  static let columnTypes: [String: any _ColumnValue.Type] = {
    let types: [any _ColumnValue.Type] = [
      Bool.self, CGFloat.self, Data.self, Date.self, Decimal.self, Double.self, Float.self, Int.self, Int8.self,
      Int16.self, Int32.self, Int64.self, String.self, UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
      URL.self, UUID.self,
    ]
    return Dictionary(uniqueKeysWithValues: types.map { (String(reflecting: $0), $0) })
  }()

  /// The types of columns and their optionals, by name.
  private static let types: [String: any Any.Type] = {
    var types: [String: any Any.Type] = columnTypes
    for type in columnTypes.values {
      let optional = optionalType(type)
      types[String(reflecting: optional)] = optional
    }
    return types
  }()

  private static func optionalType<Value>(_ type: Value.Type) -> any Any.Type { Value?.self }

  init(from decoder: any Decoder) throws {
    if let name = try? decoder.singleValueContainer().decode(String.self) {
      self.name = name
      type = Self.types[name] ?? Unknown.self
      return
    }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .name)
    let found = try container.decodeIfPresent(String.self, forKey: .mangledName).flatMap { _typeByName($0) }
    self.name = name
    type = found.flatMap { Self.name(of: $0) == name ? $0 : nil } ?? Unknown.self
  }

  func encode(to encoder: any Encoder) throws {
    if isUnknown || Self.types[name] != nil {
      var container = encoder.singleValueContainer()
      return try container.encode(name)
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(_mangledTypeName(type), forKey: .mangledName)
  }
}
