package import Foundation
package import ManagedModel
import ModelArchive
package import SQLite

/// The model in a store's `Z_MODELCACHE` (CD-1.4, VH-15, VH-16).
package enum ModelCache {
  /// The archive as it is stored; `nil` without the table, without a row, or with an empty value.
  ///
  /// - Throws: `SQLiteError`
  package static func data(in connection: Connection, _ catalogue: Catalogue) throws -> Data? {
    guard catalogue.columns["Z_MODELCACHE"]?.contains("Z_CONTENT") == true else { return nil }
    let row = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
    guard try row.step(), let data = row.blob(0), !data.isEmpty else { return nil }
    return data
  }

  /// Decodes the archive: untrusted bytes, read within bounds.
  ///
  /// - Throws: `ModelArchiveError`
  package static func model(_ data: Data) throws -> ModelDescription { try ModelArchive.decodeModelCache(data) }

  /// Writes the single row of an empty table; call it in a transaction.
  package static func write(_ model: ModelDescription, to connection: Connection) throws {
    let statement = try connection.prepare("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
    try statement.bind(try ModelArchive.encodeModelCache(model), at: 1)
    try statement.run()
  }
}
