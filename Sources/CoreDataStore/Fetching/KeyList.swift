import SQLite

/// The keys of a query by keys, for `IN (…)`.
///
/// Few keys are placeholders. Many keys are one text of JSON, so that one query reads them all: SQLite limits the number of
/// placeholders.
struct KeyList {
  private let keys: [Int64]

  private static var placeholderLimit: Int { 512 }

  init(_ keys: [Int64]) { self.keys = keys }

  private var isText: Bool { keys.count > Self.placeholderLimit }

  /// One text for each power of two, and one for all lists beyond the limit.
  var sql: String {
    isText ? "SELECT value FROM json_each(?)" : SQLText.placeholders(SQLText.paddedCount(keys.count))
  }

  /// Binds the keys. The last key fills the placeholders that are left.
  func bind(to statement: Statement) throws {
    if isText { return try statement.bind("[\(keys.map(String.init).joined(separator: ","))]", at: 1) }
    guard let last = keys.last else { return }
    for index in 0..<statement.parameterCount {
      try statement.bind(index < keys.count ? keys[index] : last, at: index + 1)
    }
  }
}
