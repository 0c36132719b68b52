internal import Foundation
internal import ManagedModel
internal import PropertyLists

/// The elements of arrays that an engine may keep as values of their own, without the archive.
enum ArrayElement {
  private static let types: [(any Any.Type, AttributeType)] = [
    (String.self, .string), (Int.self, .integer64), (Int64.self, .integer64), (Int32.self, .integer32),
    (Int16.self, .integer16), (Float.self, .float), (Double.self, .double), (Decimal.self, .decimal),
    (Bool.self, .boolean), (UUID.self, .uuid), (Date.self, .date), (Data.self, .binary),
  ]

  /// The type of a column with one element; `nil` if some element has no such column.
  ///
  /// A `URL` with a base is more than its text.
  static func type(of element: any Any.Type) -> AttributeType? {
    if let raw = element as? any RawRepresentable.Type { return type(ofRaw: raw) }
    return types.first { $0.0 == element }?.1
  }

  /// The type of an enumeration's raw values. A hand-written coding may encode something else, so each case is asked.
  private static func type<Value: RawRepresentable>(ofRaw raw: Value.Type) -> AttributeType? {
    guard let type = types.first(where: { $0.0 == Value.RawValue.self })?.1,
      let cases = EnumerationBits.values(of: raw), cases.allSatisfy({ encodesRawValue($0) })
    else { return nil }
    return type
  }

  private static func encodesRawValue(_ value: some RawRepresentable) -> Bool {
    guard let encoded = try? ArchivedEncoder.encode(any: value) else { return false }
    return encoded == (try? ArchivedEncoder.encode(any: value.rawValue))
  }
}
