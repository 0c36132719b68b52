import Foundation
import PostgreSQL
import StoreRequests

// Conditions on the elements of array columns.
extension QueryPrinter {
  /// An array with the type of its elements.
  ///
  /// - Throws: ``Undecidable`` for a collection that is kept in another form.
  mutating func array(_ list: FetchExpression, depth: Int) throws -> (sql: String, element: DataType) {
    let value = try value(list, depth: depth)
    guard case .array(let element) = value.kind else { throw Undecidable() }
    return (value.sql, element)
  }

  /// Whether an array contains a value; `NULL` if there is no array.
  ///
  /// A constant is searched for by `&&`, which an index of the kind GIN can serve, and a text in all of its normal forms.
  mutating func containment(_ list: FetchExpression, _ element: FetchExpression, depth: Int) throws -> SQLValue {
    let (array, type) = try array(list, depth: depth)
    if case .constant(let constant) = element {
      let composed = constant.composed
      guard let forms = type == .text ? [constant].textForms : [constant] else {
        return texts(in: array, equal: try value(.constant(composed), depth: depth).sql)
      }
      let sources = forms.compactMap { reader.source($0, .element(of: type)) }
      return SQLValue(sql: "(\(array) && \(placeholder(.array(type, sources))))", kind: .boolean)
    }
    let value = try value(element, depth: depth)
    switch (type, value.kind) {
    case (.text, .text), (.text, .address): return texts(in: array, equal: value.composed)
    case (.boolean, .boolean), (.integer16, .integer), (.integer32, .integer), (.integer64, .integer),
      (.single, .single), (.double, .real), (.moment, .moment), (.uuid, .uuid):
      return SQLValue(sql: "(\(value.sql) = ANY (\(array)))", kind: .boolean)
    default: throw Undecidable()
    }
  }

  private func texts(in array: String, equal text: String) -> SQLValue {
    let element = SQLValue(sql: "e", kind: .text)
    let test = "EXISTS (SELECT 1 FROM unnest(\(array)) e WHERE \(element.composed) = \(text))"
    return SQLValue(sql: "(CASE WHEN \(array) IS NOT NULL THEN \(test) END)", kind: .boolean)
  }
}

extension StoreValue {
  /// The binary form in a type; `nil` if no value of the type equals the constant.
  func form(in type: DataType) -> [UInt8]? {
    if isMissing { return nil }
    var bytes: [UInt8] = []
    let isThere: Void? =
      switch self {
      case .null: nil
      // A number of more digits equals none of 32 bits.
      case .real(let number) where type == .single && Double(Float(number)) != number: nil
      case .integer(let number): try? ColumnForm.append(number, as: type, to: &bytes)
      case .real(let number): try? ColumnForm.append(number, as: type, to: &bytes)
      case .text(let text): try? ColumnForm.append(text, as: type, to: &bytes)
      case .blob(let data): try? data.withUnsafeBytes { try ColumnForm.append($0, as: type, to: &bytes) }
      }
    return isThere == nil ? nil : bytes
  }
}
