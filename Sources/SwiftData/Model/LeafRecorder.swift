internal import Foundation

/// A decoder that finds the leaves of a structure: it records each key that `init(from:)` reads, and returns zeros.
///
/// A member of a column's type is a leaf of that type; any other member is a leaf of JSON bytes (CD-5).
final class LeafRecorder: Decoder {
  struct Problem: Error {
    let reason: String
  }

  private(set) var leaves: [AttributeLayout.Leaf] = []
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// - Throws: ``Problem`` for a type that is not a keyed structure; errors of its `init(from:)`.
  static func leaves<Value: Decodable>(of type: Value.Type) throws -> [AttributeLayout.Leaf] {
    if type is AnyClass { throw Problem(reason: "a class inside a model is a relationship: mark it @Model.") }
    let recorder = LeafRecorder()
    do {
      _ = try Value(from: recorder)
    } catch let problem as Problem {
      throw problem
    } catch {
      // If a member refuses its zero, decoding stops before all leaves are recorded, so the recorded leaves are not used.
      if recorder.leaves.isEmpty || type is any CaseIterable.Type { throw Problem(reason: Self.enumeration) }
      throw error
    }
    guard !recorder.leaves.isEmpty else { throw Problem(reason: "it has no stored parts: use @Attribute(.codable).") }
    return recorder.leaves
  }

  private static let enumeration =
    "an enumeration is stored by its raw value: give it one (enum Kind: String, Codable), or use @Attribute(.codable)."

  func note(_ key: any CodingKey, _ type: any Any.Type, isOptional: Bool) {
    guard !leaves.contains(where: { $0.name == key.stringValue }) else { return }
    let column = type as? any _ColumnValue.Type
    leaves.append(
      AttributeLayout.Leaf(
        name: key.stringValue, type: column ?? Data.self, isOptional: isOptional || column == nil,
        isJSON: column == nil))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed<Key>(recorder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw Problem(reason: "it encodes itself as a list: use @Attribute(.codable).")
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw Problem(reason: "it encodes itself as a single value: use @Attribute(.codable).")
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recorder: LeafRecorder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      recorder.note(key, type, isOptional: false)
      return try Self.made(type)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
      recorder.note(key, type, isOptional: true)
      return nil
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try noted(type, key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try noted(type, key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try noted(type, key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try noted(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try noted(type, key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try noted(type, key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try noted(type, key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try noted(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try noted(type, key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try noted(type, key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try noted(type, key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try noted(type, key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try noted(type, key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try noted(type, key) }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { optional(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { optional(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { optional(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { optional(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { optional(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { optional(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { optional(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { optional(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { optional(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { optional(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { optional(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { optional(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { optional(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { optional(type, key) }

    private func noted<Value: _ColumnValue>(_ type: Value.Type, _ key: Key) throws -> Value {
      recorder.note(key, type, isOptional: false)
      return Value._zero
    }

    private func optional<Value: _ColumnValue>(_ type: Value.Type, _ key: Key) -> Value? {
      recorder.note(key, type, isOptional: true)
      return nil
    }

    /// The zero of a member's type, with which decoding continues.
    private static func made<Value: Decodable>(_ type: Value.Type) throws -> Value {
      if let value = zero(type) { return value }
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "\(type) has no value to begin with."))
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      recorder.note(key, Any.self, isOptional: false)
      return KeyedDecodingContainer(LeafRecorder.Keyed<Nested>(recorder: LeafRecorder()))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw Problem(reason: "its init(from:) reads a nested list by hand: use @Attribute(.codable).")
    }

    func superDecoder() throws -> any Decoder { throw Problem(reason: "it is a subclass.") }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Problem(reason: "it is a subclass.") }
  }
}
