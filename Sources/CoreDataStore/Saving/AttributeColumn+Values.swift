import ManagedModel
import SQLite
import StoreRequests

extension AttributeColumn {
  /// Checks that Core Data could have written a value into the column (CD-5).
  ///
  /// - Throws: ``UnstorableValue``
  func check(_ value: StoreValue) throws(UnstorableValue) {
    if case .real(let number) = value, number.isNaN { throw .notANumber }
    switch (attribute.type, value) {
    case (_, .null): return
    case (.boolean, .integer(let number)): try Self.check(number, within: 0...1)
    case (.integer16, .integer(let number)): try Self.check(number, within: .init(Int16.min)...(.init(Int16.max)))
    case (.integer32, .integer(let number)): try Self.check(number, within: .init(Int32.min)...(.init(Int32.max)))
    case (.integer64, .integer), (.float, .real), (.double, .real), (.float, .integer), (.double, .integer),
      (.date, .real), (.date, .integer), (.decimal, .real), (.decimal, .integer), (.decimal, .text("NaN")),
      (.string, .text), (.uri, .text), (.binary, .blob), (.transformable, .blob):
      return
    case (.uuid, .blob(let data)): if data.count != 16 { throw .wrongLength(bytes: 16) }
    default: throw .wrongKind(expected: attribute.type.valueKind)
    }
  }

  private static func check(_ number: Int64, within range: ClosedRange<Int64>) throws(UnstorableValue) {
    guard range.contains(number) else { throw .outOfRange(range) }
  }
}

extension AttributeType {
  /// The kind of value that a column of the type holds, with an article.
  fileprivate var valueKind: String {
    switch self {
    case .integer16, .integer32, .integer64: "an integer"
    case .boolean: "a truth value, 0 or 1"
    case .float, .double, .decimal: "a number"
    case .date: "a date, in seconds since 2001"
    case .string: "a text"
    case .uri: "the text of an address"
    case .uuid, .binary, .transformable: "bytes"
    case .undefined, .objectID, .composite: "of a type that is stored"
    }
  }
}
