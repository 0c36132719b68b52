internal import Foundation

/// The identifier and the values that a snapshot encodes.
struct SnapshotValues {
  private(set) var identifier: PersistentIdentifier?
  /// By the properties' Swift names; `nil` within it for a property that is encoded as `nil`.
  private(set) var values: [String: any Encodable] = [:]

  /// - Throws: `EncodingError` for a snapshot that encodes itself as anything but a keyed container of values.
  init(_ snapshot: some DataStoreSnapshot) throws {
    let content = SnapshotEncoder.Content()
    try snapshot.encode(to: SnapshotEncoder(content: content))
    values = content.values
    identifier =
      values.removeValue(forKey: DataStoreSnapshotCodingKey.persistentIdentifier.stringValue)
      as? PersistentIdentifier
  }
}

/// Takes the values of a keyed container as they are, without coding them.
private struct SnapshotEncoder: Encoder {
  final class Content {
    private(set) var values: [String: any Encodable] = [:]
    /// Whether the values are those of a wrapped snapshot.
    private var isOfWrapped = false

    func set(_ value: (any Encodable)?, _ name: String) {
      if !isOfWrapped || name == Self.identifier { values[name] = value }
    }

    /// Takes the values of a wrapped snapshot. Of the wrapper's own fields only the identifier counts: others may have the name of a
    /// property.
    func set(_ wrapped: Content) {
      let own = values[Self.identifier]
      values = wrapped.values
      if let own { values[Self.identifier] = own }
      isOfWrapped = true
    }

    private static let identifier = DataStoreSnapshotCodingKey.persistentIdentifier.stringValue
  }

  let content: Content
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Container<Key>(content: content))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingContainer() }

  func singleValueContainer() -> any SingleValueEncodingContainer { Forwarding(encoder: self) }

  /// A snapshot that wraps another one may encode it as its only value.
  private struct Forwarding: SingleValueEncodingContainer {
    let encoder: SnapshotEncoder
    var codingPath: [any CodingKey] { [] }
    func encodeNil() throws { throw RefusingContainer.refusal }
    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: encoder) }
  }

  private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let content: Content
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { content.set(nil, key.stringValue) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      guard value is any DataStoreSnapshot else { return content.set(value, key.stringValue) }
      // The compiler codes a wrapped snapshot as one value.
      let wrapped = Content()
      try value.encode(to: SnapshotEncoder(content: wrapped))
      content.set(wrapped)
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> { KeyedEncodingContainer(RefusingKeyedContainer<NestedKey>()) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingContainer() }
    func superEncoder() -> any Encoder { SnapshotEncoder(content: content) }
    func superEncoder(forKey key: Key) -> any Encoder { SnapshotEncoder(content: content) }
  }
}

/// Stands in for containers that a snapshot must not ask for.
private struct RefusingContainer: UnkeyedEncodingContainer {
  static let refusal = EncodingError.invalidValue(
    (),
    .init(
      codingPath: [],
      debugDescription:
        "A snapshot must encode each property as one value under DataStoreSnapshotCodingKey.modeledProperty(_:)."))

  var codingPath: [any CodingKey] { [] }
  var count: Int { 0 }
  func encodeNil() throws { throw Self.refusal }
  func encode<Value: Encodable>(_ value: Value) throws { throw Self.refusal }
  func nestedContainer<Key: CodingKey>(keyedBy keyType: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingKeyedContainer<Key>())
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { SnapshotEncoder(content: .init()) }
}

private struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var codingPath: [any CodingKey] { [] }
  func encodeNil(forKey key: Key) throws { throw RefusingContainer.refusal }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { throw RefusingContainer.refusal }
  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> { KeyedEncodingContainer(RefusingKeyedContainer<NestedKey>()) }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingContainer() }
  func superEncoder() -> any Encoder { SnapshotEncoder(content: .init()) }
  func superEncoder(forKey key: Key) -> any Encoder { SnapshotEncoder(content: .init()) }
}
