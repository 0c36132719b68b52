import CoreDataStore
import Foundation
import SQLite

extension StoreChecker {
  /// An SQL function that tells whether the bytes of a text are UTF-8.
  private static let isUTF8 = "OSD_IS_UTF8"

  /// Registers ``invalidText(_:)``'s function with the store's connection.
  func registerFunctions() throws {
    try store.connection.registerFunction(Self.isUTF8, argumentCount: 1) { arguments in
      .integer(arguments.blob(0).map { String(validating: $0, as: UTF8.self) != nil } ?? true ? 1 : 0)
    }
  }

  /// The SQL condition for a text that is not UTF-8. SQLite stores any bytes as a text.
  static func invalidText(_ column: Identifier) -> String {
    "typeof(\(column)) = 'text' AND NOT \(isUTF8)(CAST(\(column) AS BLOB))"
  }
}

extension StoreSnapshot {
  /// Whether the database keeps its texts in UTF-8 (https://www.sqlite.org/fileformat.html, 1.3.13).
  var isUTF8: Bool { header.map { $0.count > 59 && $0[$0.startIndex + 59] == 1 } ?? true }
}
