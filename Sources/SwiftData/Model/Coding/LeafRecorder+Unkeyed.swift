/// Types that encode themselves without keys: as a list, or as a single value.
extension LeafRecorder {
  private static let singleNil = "it may encode itself as nil, as a missing value is stored: use @Attribute(.codable)."
  private static let severalForms = "it encodes itself in several forms: use @Attribute(.codable)."

  /// The shape of a type that reads a list or a single value; `nil` for a structure.
  func unkeyedShape<Value: Decodable>(of type: Value.Type) throws -> AttributeLayout.Shape? {
    if mayBeNil { throw Problem(reason: Self.singleNil) }
    let single = leaves.first { $0.name == AttributeLayout.Leaf.singleValueName }
    switch (single, isList) {
    case (nil, false): return nil
    case (nil, true) where leaves.isEmpty: return .list
    case (let leaf?, false) where leaves.count == 1 && !Self.triesSeveralTypes(type): return .singleValue(leaf)
    default: throw Problem(reason: Self.severalForms)
    }
  }

  /// Whether a type that reads a single value tries another form when the first does not match.
  private static func triesSeveralTypes<Value: Decodable>(_ type: Value.Type) -> Bool {
    let recorder = LeafRecorder()
    recorder.mismatches = 0
    _ = try? Value(from: recorder)
    return recorder.isList || !recorder.leaves.isEmpty || recorder.mismatches != 1
  }

  /// A list of any number of zeros, which ends at once.
  struct List: UnkeyedDecodingContainer {
    let recorder: LeafRecorder
    var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { nil }
    var isAtEnd: Bool { true }

    /// Records what an element reads, which is no column.
    private var part: LeafRecorder { LeafRecorder(usesSamples: recorder.usesSamples) }

    mutating func decodeNil() throws -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      currentIndex += 1
      return try recorder.zero(of: type)
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
      KeyedDecodingContainer(LeafRecorder.Keyed<Nested>(recorder: part))
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { self }
    mutating func superDecoder() throws -> any Decoder { part }
  }

  /// A single value that is zero.
  struct Single: SingleValueDecodingContainer {
    let recorder: LeafRecorder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool {
      recorder.mayBeNil = true
      return false
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      guard type is any _ColumnValue.Type else { return try whole(type) }
      if let count = recorder.mismatches {
        recorder.mismatches = count + 1
        throw DecodingError.typeMismatch(type, DecodingError.Context(codingPath: [], debugDescription: "A trial."))
      }
      let name = AttributeLayout.Leaf.singleValueName
      recorder.note(name, type, isOptional: false)
      return try recorder.value(type, of: name)
    }

    /// A value that is no column is read in the place of the whole.
    private func whole<Value: Decodable>(_ type: Value.Type) throws -> Value {
      if type is any ArrayValue.Type || type is any EmptyCollectionValue.Type {
        recorder.isList = true
        return try recorder.zero(of: type)
      }
      do { return try Value(from: recorder) } catch {
        // An enumeration refuses the zero of its raw value.
        guard !recorder.leaves.isEmpty, let zero = SwiftData.zero(type) else { throw error }
        return zero
      }
    }
  }
}
