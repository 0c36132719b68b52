internal import Foundation
internal import FoundationAdditions
internal import PropertyLists

/// A value that one column of bytes holds, whatever its type: `.transformable` and `.codable`.
///
/// An attribute of type `Data` returns a transformable's bytes unchanged. The bytes are a keyed archive if the
/// attribute names no transformer, or one of Core Data's own that the program has not replaced.
struct OpaqueValue {
  struct Problem: Error {
    let reason: String
  }

  let option: Schema.Attribute.Option

  init(_ option: Schema.Attribute.Option) { self.option = option }

  /// The value of the bytes; without a valid value, `nil`, or for an optional type the value `nil`.
  func read<Value>(_ type: Value.Type, from data: Data?) -> Value? {
    let optional = type as? any OptionalType.Type
    let none = optional?.emptyValue as? Value
    guard let data else { return none }
    let target = optional?.wrappedType ?? type
    if option == .codable {
      guard let decodable = target as? any Decodable.Type else { return none }
      do { return try ColumnJSON.decode(decodable, from: data) as? Value ?? none } catch {
        UnreadableValue.report("A stored value cannot be read as \(type): \(error)")
        return none
      }
    }
    if target == Data.self { return data as? Value ?? none }
    if isKeyedArchive {
      return (target as? any Decodable.Type).flatMap { ArchivedCollection.decode($0, from: data) } as? Value ?? none
    }
    guard let transformer else { return none }
    return (isReversed ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)) as? Value
      ?? none
  }

  /// Why a value of a type that may be Encodable elsewhere cannot be encoded.
  static let notEncodable =
    "its type is not Encodable on this thread: make it Encodable, and declare it nonisolated if a global actor isolates it"

  /// - Throws: ``Problem`` if the value cannot be converted to bytes.
  func bytes<Value>(of value: Value) throws -> Data? {
    guard let content = (value as? any OptionalType).map({ $0.wrappedValue }) ?? value else { return nil }
    if option == .codable {
      guard let encodable = content as? any Encodable else { throw Problem(reason: Self.notEncodable + ".") }
      return try ColumnJSON.encode(encodable)
    }
    if let data = content as? Data { return data }
    if isKeyedArchive {
      guard let encodable = content as? any Encodable else { throw Problem(reason: Self.notEncodable + ".") }
      return try ArchivedCollection.encode(encodable)
    }
    guard let transformer else {
      throw Problem(
        reason: "no value transformer '\(option.transformerName ?? "")' is registered: "
          + "call ValueTransformer.setValueTransformer(_:forName:) first, or make the property Data.")
    }
    let made = isReversed ? transformer.reverseTransformedValue(content) : transformer.transformedValue(content)
    guard let data = made as? Data else {
      throw Problem(reason: "the value transformer '\(option.transformerName ?? "")' made no Data of its value.")
    }
    return data
  }

  /// Whether the bytes are a keyed archive: no transformer is registered, and Core Data's own would make an archive.
  private var isKeyedArchive: Bool {
    transformer == nil && option.transformerName.map { ArchivedCollection.transformerNames.contains($0) } ?? true
  }

  /// Whether the transformer makes values of bytes, as Core Data's own do, instead of bytes of values.
  private var isReversed: Bool { transformer is NSSecureUnarchiveFromDataTransformer }

  private var transformer: ValueTransformer? {
    option.transformerName.flatMap { ValueTransformer.transformer(forName: $0) }
  }
}
