internal import Foundation
internal import StoreRequests

/// The value inside any number of optionals, or `nil`.
func unwrap(_ value: Any) -> Any? {
  guard let optional = value as? any OptionalType else { return value }
  return optional.wrappedValue.flatMap { unwrap($0) }
}

/// The column's value for a scalar, for the raw value of a `RawRepresentable`, or for a value that encodes itself as a single
/// value; `nil` for other types.
///
/// - Parameter keepsAllDigits: whether the value is for a store that keeps all digits of decimal numbers.
func storeValue(_ value: Any, keepsAllDigits: Bool = false) -> StoreValue? {
  if keepsAllDigits, let number = value as? Decimal { return StoreValue(allDigitsOf: number) }
  if let value = value as? any _ColumnValue { return value._columnConstant.value }
  if let value = value as? any StringProtocol { return .text(String(value)) }
  if let raw = (value as? any RawRepresentable).flatMap({ storeValue(rawValue($0), keepsAllDigits: keepsAllDigits) }) {
    return raw
  }
  return singleValue(value, keepsAllDigits: keepsAllDigits)
}

/// The column's value for a value that encodes itself as a single value; `nil` for other types.
func singleValue(_ value: Any, keepsAllDigits: Bool = false) -> StoreValue? {
  let type = type(of: value)
  guard let value = value as? any Codable, !(type is AnyClass),
    case .singleValue(let leaf) = AttributeLayout.of(type).shape
  else { return nil }
  return try? LeafEncoder.encode(value, keepsAllDigits: keepsAllDigits)[leaf.key]
}

private func rawValue(_ value: some RawRepresentable) -> Any { value.rawValue }

/// Whether the order of a type's values is the order of their columns.
func isOrderedAsStored(_ type: Any.Type) -> Bool {
  type != UInt64.self && type != UInt.self && type is any _ColumnValue.Type
}
