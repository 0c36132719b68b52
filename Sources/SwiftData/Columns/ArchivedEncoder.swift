internal import Foundation
internal import PropertyLists
internal import StoreRequests

/// Encodes values as archived values: property-list types directly, other types through `Codable`.
struct ArchivedEncoder: Encoder {
  /// Collects a container's contents; a class, since `Encoder` returns containers before they are filled.
  final class Target {
    enum Content {
      case single(ArchivedValue)
      case keyed([(key: String, target: Target)])
      case unkeyed([Target])
    }
    var content: Content?

    /// The collected value; an empty dictionary if nothing was encoded.
    var value: ArchivedValue {
      switch content {
      case nil: .dictionary([])
      case .single(let value): value
      case .keyed(let entries): .dictionary(entries.map { .init(key: .string($0.key), value: $0.target.value) })
      case .unkeyed(let targets): .list(targets.map(\.value))
      }
    }

    func child(_ key: String) -> Target {
      var entries = if case .keyed(let known)? = content { known } else { [(key: String, target: Target)]() }
      content = nil
      let child = Target()
      if let index = entries.firstIndex(where: { $0.key == key }) {
        entries[index].target = child
      } else {
        entries.append((key, child))
      }
      content = .keyed(entries)
      return child
    }

    func next() -> Target {
      var targets = if case .unkeyed(let known)? = content { known } else { [Target]() }
      content = nil
      let child = Target()
      targets.append(child)
      content = .unkeyed(targets)
      return child
    }

    var count: Int { if case .unkeyed(let targets)? = content { targets.count } else { 0 } }
  }

  let target: Target
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func encode(_ value: any Encodable, at path: [any CodingKey] = []) throws -> ArchivedValue {
    if let element = value as? any ArchivedElement { return try element.archived() }
    let target = Target()
    try value.encode(to: ArchivedEncoder(target: target, codingPath: path))
    return target.value
  }

  /// - Throws: `EncodingError` for a value that is not `Encodable`.
  static func encode(any value: Any) throws -> ArchivedValue {
    if let element = value as? any ArchivedElement { return try element.archived() }
    guard let encodable = value as? any Encodable else {
      throw EncodingError.invalidValue(
        value, EncodingError.Context(codingPath: [], debugDescription: "\(type(of: value)) is not Encodable."))
    }
    return try encode(encodable)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if target.content == nil { target.content = .keyed([]) }
    return KeyedEncodingContainer(Keyed<Key>(target: target, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if target.content == nil { target.content = .unkeyed([]) }
    return Sequential(target: target, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Sequential(target: target, codingPath: codingPath) }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let target: Target
    let codingPath: [any CodingKey]

    mutating func encodeNil(forKey key: Key) throws { target.child(key.stringValue).content = .single(.null) }
    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      target.child(key.stringValue).content = .single(try ArchivedEncoder.encode(value, at: codingPath + [key]))
    }
    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { encoder(key).container(keyedBy: type) }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder(key).unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder {
      ArchivedEncoder(target: target.child("super"), codingPath: codingPath)
    }
    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

    private func encoder(_ key: Key) -> ArchivedEncoder {
      ArchivedEncoder(target: target.child(key.stringValue), codingPath: codingPath + [key])
    }
  }

  /// A list, or a single value that becomes the whole content.
  private struct Sequential: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let target: Target
    let codingPath: [any CodingKey]
    var count: Int { target.count }

    private var place: Target { if case .unkeyed? = target.content { target.next() } else { target } }

    mutating func encodeNil() throws { place.content = .single(.null) }
    mutating func encode<Value: Encodable>(_ value: Value) throws {
      place.content = .single(try ArchivedEncoder.encode(value, at: codingPath))
    }
    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      encoder.container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { encoder }

    private var encoder: ArchivedEncoder { ArchivedEncoder(target: place, codingPath: codingPath) }
  }
}
