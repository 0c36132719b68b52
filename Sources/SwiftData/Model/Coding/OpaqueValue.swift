internal import Foundation
internal import FoundationAdditions
internal import PropertyLists

/// A value that one column of bytes holds, whatever its type: `.transformable` and `.codable`.
///
/// An attribute of type `Data` returns a transformable's bytes unchanged. The bytes are a keyed archive if the
/// attribute names no transformer, or one of Core Data's own that the program has not replaced.
struct OpaqueValue {
  struct Problem: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
  }

  let option: Schema.Attribute.Option

  init(_ option: Schema.Attribute.Option) { self.option = option }

  /// The value of the bytes; without a valid value, `nil`, or for an optional type the value `nil`.
  ///
  /// - Parameter place: where the bytes are stored; bytes without a valid value are logged.
  func read<Value>(_ type: Value.Type, from data: Data?, at place: ValuePlace = ValuePlace()) -> Value? {
    let optional = type as? any OptionalType.Type
    let none = optional?.emptyValue as? Value
    guard let data else { return none }
    let target = optional?.wrappedType ?? type
    do {
      if let value = try content(target, of: data, isJSON: place.isJSON) as? Value { return value }
      place.reportMisfit(target)
    } catch {
      place.reportMisfit(target, error)
    }
    return none
  }

  /// - Throws: ``Problem``, and the errors of the archive and of the type's `init(from:)`.
  private func content(_ type: any Any.Type, of data: Data, isJSON: Bool) throws -> Any? {
    if option == .codable { return try ColumnJSON.decodeStored(Self.decodable(type), from: data, zeros: TypeZeros()) }
    if type == Data.self { return data }
    if isKeyedArchive {
      return try ArchivedCollection.decode(Self.decodable(type), from: data, isJSON: isJSON, zeros: TypeZeros())
    }
    guard let transformer else { throw missingTransformer }
    return isReversed ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
  }

  private static func decodable(_ type: any Any.Type) throws -> any Decodable.Type {
    if let decodable = type as? any Decodable.Type { return decodable }
    throw Problem(
      reason: "its type is not Decodable on this thread: make it Codable, and nonisolated if a global actor isolates it"
    )
  }

  private var missingTransformer: Problem {
    Problem(
      reason: "no value transformer '\(option.transformerName ?? "")' is registered: "
        + "call ValueTransformer.setValueTransformer(_:forName:) first, or make the property Data.")
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
    guard let transformer else { throw missingTransformer }
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
