/// Rows of comma-separated values (RFC 4180).
package struct CSVText: Sendable {
  package private(set) var bytes: [UInt8] = []
  /// Whether a text that a spreadsheet would read as a formula gets an apostrophe in front. Numbers stay as they are.
  private let guardsFormulas: Bool

  package init(guardsFormulas: Bool = false) { self.guardsFormulas = guardsFormulas }

  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Writes a row. An empty field is no value; `""` is the empty text.
  package mutating func write(_ row: [String?]) {
    for (index, field) in row.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      if let field { write(field: field) }
    }
    bytes.append(contentsOf: [13, 10])
  }

  private mutating func write(field: String) {
    var field = field
    if guardsFormulas, let first = field.utf8.first, "=+-@\t\r".utf8.contains(first), !isNumber(field) {
      field = "'" + field
    }
    let special = field.utf8.contains { $0 == 34 || $0 == 44 || $0 == 10 || $0 == 13 }
    guard field.isEmpty || special || field.utf8.first == 32 || field.utf8.last == 32 else {
      bytes.append(contentsOf: field.utf8)
      return
    }
    bytes.append(34)
    for byte in field.utf8 {
      if byte == 34 { bytes.append(34) }
      bytes.append(byte)
    }
    bytes.append(34)
  }

  /// Whether a text is a decimal number, such as `-3` or `+1.5e-3`.
  private func isNumber(_ text: String) -> Bool {
    text.utf8.allSatisfy { (48...57).contains($0) || "+-.eE".utf8.contains($0) } && Double(text) != nil
  }
}
