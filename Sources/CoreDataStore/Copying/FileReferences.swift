import DatabaseFiles
import Foundation
import SQLite

extension StoreFile {
  /// The files of big values that the rows of a store name.
  ///
  /// The connection may write: if no other is open, it moves the log into the store's file when it closes.
  /// - Throws: `SQLiteError`
  static func namedFiles(at path: String) throws -> Set<UUID> {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    try connection.watch(StatementGuard(untrustedFile: path))
    return try connection.namedFiles()
  }
}

extension Connection {
  /// The files of big values that rows name (CD-5), found without a model: in every column of bytes.
  ///
  /// Cost: one scan of each table with such columns.
  /// - Throws: `SQLiteError`
  func namedFiles() throws -> Set<UUID> {
    let columns = try prepare(
      """
      SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c \
      WHERE m.type = 'table' AND m.name LIKE 'Z%' AND upper(c.type) = 'BLOB' \
      ORDER BY m.rowid, c.cid
      """)
    var places: [(table: Identifier, column: Identifier)] = []
    while try columns.step() {
      places.append((Identifier(columns.text(0) ?? ""), Identifier(columns.text(1) ?? "")))
    }
    var names: Set<UUID> = []
    for (table, column) in places {
      let rows = try prepare("SELECT \(column) FROM \(table) WHERE \(StoredData.namesFile("\(column)"))")
      while try rows.step() {
        if let name = rows.blob(0).flatMap({ StoredData($0).fileName }) { names.insert(name) }
      }
    }
    return names
  }
}
