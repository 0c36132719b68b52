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
    var values: [String: any Encodable] = [:]
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

    func encodeNil(forKey key: Key) throws { content.values[key.stringValue] = nil }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      guard value is any DataStoreSnapshot else { return content.values[key.stringValue] = value }
      // The compiler codes a wrapped snapshot as one value. The wrapper's own identifier counts.
      let wrapped = Content()
      try value.encode(to: SnapshotEncoder(content: wrapped))
      content.values.merge(wrapped.values) { own, _ in own }
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
