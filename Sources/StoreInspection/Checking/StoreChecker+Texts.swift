import CoreDataStore
import Foundation
import SQLite

extension StoreChecker {
  /// An SQL function: whether a text's bytes are UTF-8.
  private static let isUTF8 = "OSD_IS_UTF8"

  /// Makes ``invalidText(_:)`` known to the store's connection.
  func registerFunctions() throws {
    try store.connection.registerFunction(Self.isUTF8, argumentCount: 1) { arguments in
      .integer(arguments.blob(0).map { String(validating: $0, as: UTF8.self) != nil } ?? true ? 1 : 0)
    }
  }

  /// The condition, in SQL, that a value is a text and not UTF-8: SQLite stores the bytes that it is given.
  static func invalidText(_ column: Identifier) -> String {
    "typeof(\(column)) = 'text' AND NOT \(isUTF8)(CAST(\(column) AS BLOB))"
  }
}

extension StoreSnapshot {
  /// Whether the database keeps its texts in UTF-8 (https://www.sqlite.org/fileformat.html, 1.3.13).
  var isUTF8: Bool { header.map { $0.count > 59 && $0[$0.startIndex + 59] == 1 } ?? true }
}
