import Foundation
import ModelArchive
import PropertyLists
import SQLite
import TestSupport

/// Stores that carry no model, or one that cannot be read.
extension BadInput {
  static let stores: [BadInput] = [
    BadInput(
      "an empty store", "S.sqlite",
      says: "S.sqlite:1: error: the file is empty"
        + " — restore it, or name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"
    ) { try $0.write("", to: "S.sqlite") },
    BadInput(
      "a store of text", "S.sqlite",
      says: "S.sqlite:1: error: the file is no SQLite database: it is encrypted or a file of another kind"
        + " — name an unencrypted store, or the model that it was made with"
    ) { try $0.write("not a database", to: "S.sqlite") },
    BadInput(
      "an encrypted store", "S.sqlite",
      says: "S.sqlite:1: error: the file is no SQLite database: it is encrypted or a file of another kind"
        + " — name an unencrypted store, or the model that it was made with"
    ) {
      try $0.write(Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 * 7919 >> 3) }), to: "S.sqlite")
    },
    BadInput(
      "a header alone of a store", "S.sqlite",
      says: "S.sqlite:1: error: the store is cut off: it has 100 of 225280 bytes"
        + " — restore it from a backup, together with its -wal file"
    ) { folder in
      try folder.write(Data(contentsOf: soundStore).prefix(100), to: "S.sqlite")
    },
    BadInput(
      "half a store", "S.sqlite",
      says: "S.sqlite:1: error: the store is cut off: it has 110592 of 225280 bytes"
        + " — restore it from a backup, together with its -wal file"
    ) { folder in
      let bytes = try Data(contentsOf: soundStore)
      try folder.write(bytes.prefix(bytes.count / 8192 * 4096), to: "S.sqlite")
    },
    BadInput(
      "a store with a damaged first page", "S.sqlite",
      says: "S.sqlite:1: error: the store is damaged: database disk image is malformed"
        + " — restore it from a backup, together with its -wal file"
    ) { folder in
      try folder.write(Data(contentsOf: soundStore).with([UInt8](repeating: 0xFF, count: 400), at: 100), to: "S.sqlite")
    },
    BadInput(
      "a folder for a store", "S.sqlite",
      says: "S.sqlite:1: error: the folder holds no version of a model"
        + " — name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"
    ) { try $0.makeFolder("S.sqlite") },
    BadInput(
      "a database of something else", "S.sqlite",
      says: "S.sqlite:1: error: the store is an SQLite database, but no Core Data store: it has no Z_METADATA"
        + " and no Z_PRIMARYKEY"
        + " — give a store made by Core Data or SwiftData"
    ) {
      try $0.database("CREATE TABLE T (A); INSERT INTO T VALUES (1)")
    },
    store(
      "a store without its model", "DROP TABLE Z_MODELCACHE",
      says: "S.sqlite:1: error: the store carries no model, as stores written before 2013 do not"
        + " — name the .xcdatamodeld, .xcdatamodel, .momd or .mom that it was made with"),
    store(
      "a store of no model", "DELETE FROM Z_MODELCACHE",
      says: "S.sqlite:1: error: the store carries no model, as stores written before 2013 do not"
        + " — name the .xcdatamodeld, .xcdatamodel, .momd or .mom that it was made with"),
    store(
      "a cached model of no bytes", "UPDATE Z_MODELCACHE SET Z_CONTENT = x''",
      says: "S.sqlite:1: error: the store carries no model, as stores written before 2013 do not"
        + " — name the .xcdatamodeld, .xcdatamodel, .momd or .mom that it was made with"),
    store(
      "a cached model of NULL", "UPDATE Z_MODELCACHE SET Z_CONTENT = NULL",
      says: "S.sqlite:1: error: the store carries no model, as stores written before 2013 do not"
        + " — name the .xcdatamodeld, .xcdatamodel, .momd or .mom that it was made with"),
    store(
      "a cached model of text", "UPDATE Z_MODELCACHE SET Z_CONTENT = 'model'",
      says: "S.sqlite:1: error: the store carries a model that cannot be read: the cached model cannot be"
        + " decompressed: the bytes are not raw DEFLATE"
        + " — give the model the store was made with"),
    store(
      "a cached model that is cut off",
      "UPDATE Z_MODELCACHE SET Z_CONTENT = substr(Z_CONTENT, 1, length(Z_CONTENT) / 2)",
      says: "S.sqlite:1: error: the store carries a model that cannot be read: the cached model cannot be"
        + " decompressed: the compressed bytes end too early"
        + " — give the model the store was made with"),
    store(
      "a cached model with something behind", "UPDATE Z_MODELCACHE SET Z_CONTENT = Z_CONTENT || x'00'",
      says: "S.sqlite:1: error: the store carries a model that cannot be read: the cached model cannot be"
        + " decompressed: there are bytes after the compressed ones"
        + " — give the model the store was made with"),
    store(
      "a cached model that swells", Data(count: 80 << 20),
      says: "S.sqlite:1: error: the store carries a model that cannot be read: the cached model cannot be"
        + " decompressed: it decompresses to more than this program reads"
        + " — give the model the store was made with"),
    store(
      "a cached model of something else", keyed([.string("$null"), .string("hello")]),
      says: "S.sqlite:1: error: the store carries a model that cannot be read: the file is no keyed archive of a"
        + " managed object model: its root is no NSManagedObjectModel"
        + " — give the model the store was made with"),
    store(
      "a store without metadata", "DROP TABLE Z_METADATA",
      says: "S.sqlite:1: error: the store is an SQLite database, but no Core Data store: it has no Z_METADATA"
        + " — give a store made by Core Data or SwiftData"),
    store(
      "a store of empty metadata", "DELETE FROM Z_METADATA",
      says: "S.sqlite:1: error: the store has unusable metadata: Z_METADATA has no row"
        + " — restore the store from a backup"),
    store(
      "a store of broken metadata", "UPDATE Z_METADATA SET Z_PLIST = x'00010203'",
      says: "S.sqlite:1: error: the store has unusable metadata: Z_PLIST is no property list with keys"
        + " — restore the store from a backup"),
  ]

  private static let soundStore = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.sqlite")

  private static func store(_ name: String, _ change: String, says: String) -> BadInput {
    BadInput(name, "S.sqlite", says: says) { folder in
      try FileManager.default.copyItem(at: soundStore, to: folder.place("S.sqlite"))
      try folder.database(change)
    }
  }

  /// A store whose cached model is these bytes when it is inflated.
  private static func store(_ name: String, _ model: Data, says: String) -> BadInput {
    BadInput(name, "S.sqlite", says: says) { folder in
      try FileManager.default.copyItem(at: soundStore, to: folder.place("S.sqlite"))
      let bytes = try RawDeflate.deflate(model).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      try folder.database("UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(bytes.joined())'")
    }
  }
}

extension InputFolder {
  /// Runs SQL on the store, and leaves one file.
  fileprivate func database(_ script: String) throws {
    let connection = try Connection(path: place("S.sqlite").path, mode: .create)
    try connection.execute(script + "; PRAGMA journal_mode = DELETE; PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(at: place("S.sqlite" + suffix)) }
  }
}
