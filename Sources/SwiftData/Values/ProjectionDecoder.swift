internal import ErrorReporting
internal import Foundation

/// Answers `init(from:)` with the properties of an object.
struct ProjectionDecoder: Decoder {
  let object: any ProjectedObject
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The most relationships that lead from an object to a value.
  private static let depthLimit = 16

  init(_ object: any ProjectedObject, _ codingPath: [any CodingKey] = []) throws {
    guard object.depth <= Self.depthLimit else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: codingPath,
          debugDescription: "More than \(Self.depthLimit) relationships lead to \(object.model.className)."))
    }
    self.object = object
    self.codingPath = codingPath
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed<Key>(object: object, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw readByKeys() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw readByKeys() }

  private func readByKeys() -> any Error {
    DecodingError.dataCorrupted(
      .init(codingPath: codingPath, debugDescription: "An object of \(object.model.className) is read by keys."))
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: any ProjectedObject
    let codingPath: [any CodingKey]

    var allKeys: [Key] { object.model.properties.compactMap { Key(stringValue: $0.name) } }
    func contains(_ key: Key) -> Bool { isIdentifier(key) || object.model.property(named: key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try content(key).isNil }

    private func isIdentifier(_ key: Key) -> Bool {
      ["id", "persistentModelID"].contains(key.stringValue) && object.model.property(named: key.stringValue) == nil
    }

    private func content(_ key: Key) throws -> ProjectedContent {
      if isIdentifier(key) { return .value(try object.identifier()) }
      guard let property = object.model.property(named: key.stringValue) else {
        let names = object.model.properties.map(\.name)
        throw SwiftDataError(
          .unsupportedKeyPath,
          "\(object.model.className) has no property \"\(key.stringValue)\", which a decoded type wants: it has \(names.joined(separator: ", "))."
        )
      }
      return try object.content(of: property)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      let path = codingPath + [key]
      switch try content(key) {
      case .value(let value?): return try converted(value, to: type, path)
      case .object(let next?): return try Value(from: ProjectionDecoder(next, path))
      case .members(let members): return try Value(from: MembersDecoder(members: members, codingPath: path))
      case .value(nil), .object(nil):
        if let none = (type as? any OptionalType.Type)?.emptyValue as? Value { return none }
        throw DecodingError.valueNotFound(
          type,
          .init(
            codingPath: path,
            debugDescription:
              "\(object.model.className).\(key.stringValue) is nil in a store's row: read it as optional."))
      }
    }

    /// A value as another type, through JSON if it is not of the type.
    private func converted<Value: Decodable>(_ value: Any, to type: Value.Type, _ path: [any CodingKey]) throws -> Value
    {
      if let value = value as? Value { return value }
      func coded(_ encodable: some Encodable) -> Value? {
        // Some versions of JSON allow no value outside of a list.
        (try? ColumnJSON.decode([Value].self, from: ColumnJSON.encode([encodable])))?.first
      }
      if let encodable = value as? any Encodable, let value = coded(encodable) { return value }
      let name = path.map(\.stringValue).joined(separator: ".")
      throw DecodingError.typeMismatch(
        type,
        .init(codingPath: path, debugDescription: "\(name) is of type \(Swift.type(of: value)), not \(type)."))
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try plain(type, key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try plain(type, key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try plain(type, key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try plain(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try plain(type, key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try plain(type, key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try plain(type, key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try plain(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try plain(type, key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try plain(type, key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try plain(type, key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try plain(type, key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try plain(type, key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try plain(type, key) }

    private func plain<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
      let value: Value = try decode(type, forKey: key)
      return value
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      try superDecoder(forKey: key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try superDecoder(forKey: key).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder { try ProjectionDecoder(object, codingPath) }
    func superDecoder(forKey key: Key) throws -> any Decoder {
      let path = codingPath + [key]
      switch try content(key) {
      case .object(let next?): return try ProjectionDecoder(next, path)
      case .members(let members): return MembersDecoder(members: members, codingPath: path)
      case .value, .object(nil):
        throw DecodingError.typeMismatch(
          Any.self, .init(codingPath: path, debugDescription: "\(key.stringValue) leads to no object."))
      }
    }
  }
}

/// Answers `init(from:)` of a list with the members of a to-many relationship.
private struct MembersDecoder: Decoder {
  let members: [any ProjectedObject]
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw isList }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw isList }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { List(members: members, codingPath: codingPath) }

  private var isList: any Error {
    DecodingError.dataCorrupted(
      .init(codingPath: codingPath, debugDescription: "A to-many relationship is read as a list."))
  }

  private struct List: UnkeyedDecodingContainer {
    let members: [any ProjectedObject]
    let codingPath: [any CodingKey]
    var currentIndex = 0

    var count: Int? { members.count }
    var isAtEnd: Bool { currentIndex >= members.count }
    mutating func decodeNil() throws -> Bool { false }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: superDecoder()) }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try superDecoder().container(keyedBy: type) }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try superDecoder().unkeyedContainer()
    }
    mutating func superDecoder() throws -> any Decoder {
      guard !isAtEnd else {
        throw DecodingError.valueNotFound(
          Any.self, .init(codingPath: codingPath, debugDescription: "The list has \(members.count) members only."))
      }
      defer { currentIndex += 1 }
      return try ProjectionDecoder(members[currentIndex], codingPath)
    }
  }
}
