internal import Foundation
internal import StoreRequests

/// The value inside any number of optionals, or `nil`.
func unwrap(_ value: Any) -> Any? {
  guard let optional = value as? any OptionalType else { return value }
  return optional.wrappedValue.flatMap { unwrap($0) }
}

/// What a column holds for a value: of a scalar itself, of a `RawRepresentable` its raw value; `nil` for other types.
func storeValue(_ value: Any) -> StoreValue? {
  if let value = value as? any _ColumnValue { return value._columnConstant.value }
  if let value = value as? any StringProtocol { return .text(String(value)) }
  guard let value = value as? any RawRepresentable else { return nil }
  return storeValue(rawValue(value))
}

private func rawValue(_ value: some RawRepresentable) -> Any { value.rawValue }

/// Types whose order in Swift is the order of their columns.
func isOrderedAsStored(_ type: Any.Type) -> Bool {
  type != UInt64.self && type != UInt.self && type is any _ColumnValue.Type
}
