import PostgreSQL
import StoreRequests

// The order of two texts, for texts of plain ASCII characters: -1, 0 or 1, and `NULL` if a text is missing.
extension QueryPrinter {
  /// The order of Foundation's `caseInsensitiveCompare`: that of the small letters, by bytes.
  func caseInsensitiveOrder(_ one: SQLValue, _ other: SQLValue) throws -> SQLValue {
    try checkLength(one, other)
    let (first, second) = (lower(one.sql), lower(other.sql))
    return order(isAfter: "\(first) > \(second)", isBefore: "\(first) < \(second)")
  }

  /// The order of Foundation's `localizedCompare`, by ``ASCIIOrder/characters``. The server's collations play no part.
  ///
  /// - Throws: ``Undecidable`` if the locale has another order.
  mutating func localizedOrder(_ one: SQLValue, _ other: SQLValue) throws -> SQLValue {
    guard let printable = ASCIIOrder.characters else { throw Undecidable() }
    try checkLength(one, other)
    let characters = "\t\n" + printable
    // Any scalars whose bytes ascend.
    let ascending = String(
      String.UnicodeScalarView((0x30..<0x30 + UInt8(characters.utf8.count)).map(Unicode.Scalar.init)))
    let (known, ranks) = (
      placeholder(.parameter(.text(characters))), placeholder(.parameter(.text(ascending)))
    )
    func key(_ text: SQLValue) -> String { "translate(\(lower(text.sql)), \(known), \(ranks))" }
    // A capital has a lower byte than its small letter, which is before it. So the texts themselves are compared the other way round.
    let left = "(\(key(one)), \(other.sql) COLLATE \"C\")"
    let right = "(\(key(other)), \(one.sql) COLLATE \"C\")"
    return order(isAfter: "\(left) > \(right)", isBefore: "\(left) < \(right)")
  }

  private func order(isAfter: String, isBefore: String) -> SQLValue {
    SQLValue(sql: "((\(isAfter))::int - (\(isBefore))::int)::bigint", kind: .integer)
  }
}
