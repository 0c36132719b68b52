package import Foundation
package import ManagedModel
import ModelArchive
package import SQLite
import Synchronization

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

  /// The models of the archives that were decoded last, the latest first. Programs open stores of the same models again and again.
  private static let recent = Mutex<[(data: Data, model: ModelDescription)]>([])
  private static let recentLimit = 64
  /// The bytes of the archives that are kept, all together.
  private static let recentBytes = 2 << 20
  /// The bytes of the largest archive that is kept. The largest of a real store has 180,000.
  private static let largestRecent = 1 << 20

  /// Decodes the archive: untrusted bytes, read within bounds. An archive that was read lately is not decoded again.
  ///
  /// - Throws: `ModelArchiveError`
  package static func model(_ data: Data) throws -> ModelDescription {
    let known = recent.withLock { recent in
      recent.firstIndex { $0.data == data }.map { index in
        recent.insert(recent.remove(at: index), at: 0)
        return recent[0].model
      }
    }
    if let known { return known }
    let model = try ModelArchive.decodeModelCache(data)
    guard data.count <= largestRecent else { return model }
    recent.withLock { recent in
      recent.insert((data, model), at: 0)
      var bytes = recent.reduce(0) { $0 + $1.data.count }
      while bytes > recentBytes || recent.count > recentLimit { bytes -= recent.removeLast().data.count }
    }
    return model
  }

  /// Writes the single row of an empty table; call it in a transaction.
  package static func write(_ model: ModelDescription, to connection: Connection) throws {
    let statement = try connection.prepare("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
    try statement.bind(try ModelArchive.encodeModelCache(model), at: 1)
    try statement.run()
  }
}
