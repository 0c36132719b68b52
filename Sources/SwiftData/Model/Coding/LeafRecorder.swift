internal import Foundation

/// A decoder that finds the columns of a type: it records what `init(from:)` reads, and returns zeros.
///
/// A member of a column's type is a leaf of that type; any other member is a leaf of JSON bytes (CD-5). A type that reads a
/// single value has one leaf without name.
final class LeafRecorder: Decoder {
  struct Problem: Error {
    let reason: String
  }

  private(set) var leaves: [AttributeLayout.Leaf] = []
  /// Whether samples stand in for zeros that a type refuses. They show its columns; no row's missing value reads as one.
  let usesSamples: Bool
  /// Whether the type asked if its single value is `nil`.
  var mayBeNil = false
  /// Whether the type reads a list, or a collection in the place of the whole.
  var isList = false
  /// How many single values were refused as being of another type; `nil` if none is refused.
  var mismatches: Int?
  /// Whether the type reads a member with a container of its own.
  private(set) var hasParts = false
  /// How often a leaf's value was refused, by the leaf's name.
  private var refusals: [String: Int] = [:]
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(usesSamples: Bool = false) { self.usesSamples = usesSamples }

  /// The shape of a structure, or of a type that encodes itself as a single value.
  ///
  /// - Throws: ``Problem`` for a type of another shape; errors of its `init(from:)`.
  static func shape<Value: Decodable>(of type: Value.Type) throws -> AttributeLayout.Shape {
    if type is AnyClass { throw Problem(reason: "a class inside a model is a relationship: mark it @Model.") }
    let recorder = LeafRecorder(usesSamples: true)
    do {
      _ = try recorder.value(of: type)
    } catch let problem as Problem {
      throw problem
    } catch {
      if let shape = try recorder.unkeyedShape(of: type) { return shape }
      // If a member refuses its zero, decoding stops before all leaves are recorded, so the recorded leaves are not used.
      if recorder.leaves.isEmpty || type is any CaseIterable.Type {
        throw Problem(reason: type is any FixedWidthInteger.Type ? Self.wideInteger : Self.enumeration)
      }
      throw Problem(reason: recorder.refusedMember)
    }
    if let shape = try recorder.unkeyedShape(of: type) { return shape }
    guard !recorder.leaves.isEmpty else { throw Problem(reason: "it has no stored parts: use @Attribute(.codable).") }
    return .structure(recorder.leaves)
  }

  /// A value that a type decodes from zeros or samples.
  private func value<Value: Decodable>(of type: Value.Type) throws -> Value {
    while true {
      do { return try Value(from: self) } catch {
        guard !(error is Problem), let last = leaves.last, refuse(last) else { throw error }
        leaves = []
      }
    }
  }

  private static let enumeration =
    "an enumeration is stored by its raw value: give it one (enum Kind: String, Codable), or use @Attribute(.codable)."

  /// `Int128` and `UInt128`, or an integer type of the program.
  private static let wideInteger =
    "no column holds an integer of this type: use Int64 or Decimal, or @Attribute(.codable)."

  private var refusedMember: String {
    let name = leaves.last?.name ?? ""
    return "its stored parts cannot be found, since its init(from:) fails at '\(name)' without values: "
      + "use @Attribute(.codable)."
  }

  func note(_ name: String, _ type: any Any.Type, isOptional: Bool) {
    guard !leaves.contains(where: { $0.name == name }) else { return }
    let column = type as? any _ColumnValue.Type
    var leaf = AttributeLayout.Leaf(
      name: name, type: column ?? Data.self, isOptional: isOptional || column == nil, isJSON: column == nil)
    leaf.isRequired = !isOptional
    leaf.memberType = type
    leaves.append(leaf)
  }

  func notePart(_ name: String) {
    hasParts = true
    note(name, Any.self, isOptional: false)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed<Key>(recorder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    isList = true
    return List(recorder: self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    Single(recorder: self)
  }

  /// Notes that `init(from:)` refused a leaf's value; returns whether there is another value to try.
  private func refuse(_ leaf: AttributeLayout.Leaf) -> Bool {
    refusals[leaf.name, default: 0] += 1
    return usesSamples && !leaf.isJSON && refusals[leaf.name, default: 0] <= Self.samples(of: leaf.type).count
  }

  /// A value of a leaf: zero, or a sample if zero was refused.
  func value<Value: Decodable>(_ type: Value.Type, of name: String) throws -> Value {
    if let count = refusals[name], let column = type as? any _ColumnValue.Type,
      let sample = Self.samples(of: column).dropFirst(count - 1).first as? Value
    {
      return sample
    }
    return try zero(of: type)
  }

  /// The zero of a member's type, or what the type decodes from samples.
  func zero<Value: Decodable>(of type: Value.Type) throws -> Value {
    if let value = SwiftData.zero(type) { return value }
    // Foundation on Linux traps when it decodes a character set from a number that identifies no set.
    if usesSamples, type != CharacterSet.self { return try LeafRecorder(usesSamples: true).value(of: type) }
    throw DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: [], debugDescription: "\(type) has no value to begin with."))
  }

  /// Values in the place of a zero that a type refuses.
  private static func samples(of type: any _ColumnValue.Type) -> [any _ColumnValue] {
    switch type {
    case is String.Type: ["A", "1", "GMT", "#000000", "2001-01-01", "https://example.org"]
    case is Int.Type: [1]
    case is Double.Type: [1.0]
    default: []
    }
  }

  struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recorder: LeafRecorder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      recorder.note(key.stringValue, type, isOptional: false)
      return try recorder.value(type, of: key.stringValue)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
      recorder.note(key.stringValue, type, isOptional: true)
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

    private func noted<Value: _ColumnValue & Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
      recorder.note(key.stringValue, type, isOptional: false)
      return try recorder.value(type, of: key.stringValue)
    }

    private func optional<Value: _ColumnValue>(_ type: Value.Type, _ key: Key) -> Value? {
      recorder.note(key.stringValue, type, isOptional: true)
      return nil
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      recorder.notePart(key.stringValue)
      let part = LeafRecorder(usesSamples: recorder.usesSamples)
      return KeyedDecodingContainer(LeafRecorder.Keyed<Nested>(recorder: part))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      recorder.notePart(key.stringValue)
      return LeafRecorder.List(recorder: recorder)
    }

    func superDecoder() throws -> any Decoder { throw Problem(reason: "it is a subclass.") }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Problem(reason: "it is a subclass.") }
  }
}
