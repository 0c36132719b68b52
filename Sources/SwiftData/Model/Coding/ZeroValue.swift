internal import Foundation

/// The zero of a type: `nil`, 0, "", an empty collection, the first case; `nil` if the type has none.
func zero<Value>(_ type: Value.Type) -> Value? {
  if let optional = type as? any OptionalType.Type { return optional.emptyValue as? Value }
  if let column = type as? any _ColumnValue.Type { return column._zero as? Value }
  if let array = type as? any ArrayValue.Type { return array.empty as? Value }
  if let collection = type as? any EmptyCollectionValue.Type { return collection.empty as? Value }
  if let cases = type as? any CaseIterable.Type { return firstCase(cases) as? Value }
  if let raw = type as? any RawRepresentable.Type, let value = rawZero(raw) as? Value { return value }
  if type is any RawRepresentable.Type, let first = EnumerationBits.values(of: type)?.first { return first }
  if let value = AttributeLayout.of(type).zero(type) { return value }
  return (type as? any Decodable.Type).flatMap { decodedZero($0) as? Value }
}

/// The zeros of all types, for decoders that know none.
struct TypeZeros: ZeroSource {
  func zero<Value>(of type: Value.Type) -> Value? { SwiftData.zero(type) }
}

/// The value that a type decodes from zeros, or from one of the shortest JSON texts.
private func decodedZero<Value: Decodable>(_ type: Value.Type) -> Value? {
  // Foundation on Linux traps when it decodes a character set from a number that identifies no set.
  if type == CharacterSet.self { return nil }
  if let value = try? Value(from: LeafRecorder()) { return value }
  let texts = ["{}", "[]", "\"\"", "0", "false"]
  return texts.lazy.compactMap { try? ColumnJSON.decode(type, from: Data($0.utf8)) }.first
}

private func rawZero<Raw: RawRepresentable>(_ type: Raw.Type) -> Any? {
  (Raw.RawValue.self as? any _ColumnValue.Type).flatMap { $0._zero as? Raw.RawValue }.flatMap { Raw(rawValue: $0) }
}

private func firstCase<Value: CaseIterable>(_ type: Value.Type) -> Any? { type.allCases.first }
