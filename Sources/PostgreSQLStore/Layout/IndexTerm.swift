import PostgreSQL

/// The form and the order in which an index has a column: those in which fetches compare and sort.
struct IndexTerm: Hashable {
  /// Whether strings are in composed form.
  let isComposed: Bool
  let mayBeNull: Bool

  init(_ column: Identifier, of table: TableLayout) {
    isComposed = table.columns.first { $0.name == column }?.holdsStrings ?? false
    mayBeNull = !table.requiresValue(in: column)
  }

  func sql(_ column: Identifier) -> String {
    let value = isComposed ? "(\(Self.composed("\(column)")))" : "\(column)"
    return mayBeNull ? "\(value) NULLS FIRST" : value
  }

  /// A text in the form in which equal texts of Swift have equal bytes, and the order of bytes is Swift's. The form depends on nothing but
  /// the text, so an index may have it.
  static func composed(_ text: String) -> String { "normalize(\(text), NFC) COLLATE \"C\"" }
}

extension TableLayout {
  /// Whether an index has strings in composed form.
  func isComposed(_ index: TableIndex) -> Bool { index.columns.contains { IndexTerm($0, of: self).isComposed } }
}
