import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import StoreInspection
import StoreTestSupport
import TestSupport
import Testing

/// Files that are no store, and stores that cannot be opened: path, cause, way out, and an untouched disk.
@Suite(.damagesStores("stores with metadata and models of no program"))
struct BadInputStoreTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Parts of the message.
    let words: [String]
    /// Prepares the folder, given a sound store's file.
    let prepare: @Sendable (URL) throws -> Void
  }

  private static let cases: [Case] = [
    Case(testDescription: "missing", words: ["does not exist", "give a model"]) {
      try FileManager.default.removeItem(at: $0)
    },
    Case(testDescription: "empty", words: ["empty file", "remove the file"]) { try Data().write(to: $0) },
    Case(testDescription: "a folder", words: ["is a folder"]) {
      try FileManager.default.removeItem(at: $0)
      try FileManager.default.createDirectory(at: $0, withIntermediateDirectories: false)
    },
    Case(testDescription: "a link to itself", words: ["circle"]) {
      try FileManager.default.removeItem(at: $0)
      try FileManager.default.createSymbolicLink(atPath: $0.path, withDestinationPath: $0.path)
    },
    Case(testDescription: "a link to nothing", words: ["does not exist"]) {
      try FileManager.default.removeItem(at: $0)
      try FileManager.default.createSymbolicLink(atPath: $0.path, withDestinationPath: $0.path + ".gone")
    },
    Case(testDescription: "encrypted", words: ["encrypted or a file of another kind"]) {
      try Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ 13) }).write(to: $0)
    },
    Case(testDescription: "an XML store", words: ["XML store of Core Data", "migratePersistentStore"]) {
      let text = """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database><databaseInfo><version>134481920</version></databaseInfo></database>
        """
      try Data(text.utf8).write(to: $0)
    },
    Case(testDescription: "a property list", words: ["binary property list", "migratePersistentStore"]) {
      try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0).write(to: $0)
    },
    Case(testDescription: "a pointer of Git LFS", words: ["Git LFS", "git lfs pull"]) {
      try Data("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4096\n".utf8).write(to: $0)
    },
    Case(testDescription: "compressed", words: ["gzip", "unpack it"]) {
      try Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]).write(to: $0)
    },
    Case(testDescription: "a ZIP archive", words: ["ZIP", "unpack it"]) {
      try Data("PK\u{3}\u{4}\u{14}".utf8).write(to: $0)
    },
    Case(testDescription: "a dump of statements", words: ["SQL statements", "sqlite3"]) {
      try Data("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCOMMIT;\n".utf8).write(to: $0)
    },
    Case(testDescription: "a text file", words: ["no SQLite database"]) { try Data("hello".utf8).write(to: $0) },
    Case(testDescription: "cut off in the header", words: ["cut off", "100 bytes"]) {
      try Data(contentsOf: $0).prefix(50).write(to: $0)
    },
    Case(testDescription: "cut off in the middle", words: ["cut off", "backup"]) {
      let data = try Data(contentsOf: $0)
      try data.prefix(data.count / 2).write(to: $0)
    },
    Case(testDescription: "header alone is sound", words: ["is damaged", "backup"]) {
      var data = try Data(contentsOf: $0)
      data.replaceSubrange(100..<data.count, with: Data(repeating: 0xA5, count: data.count - 100))
      try data.write(to: $0)
    },
    Case(testDescription: "another SQLite database", words: ["no Core Data store", "Z_METADATA"]) {
      try FileManager.default.removeItem(at: $0)
      let connection = try Connection(path: $0.path, mode: .create)
      try connection.execute("CREATE TABLE T (A)")
      connection.close()
    },
    Case(testDescription: "no metadata row", words: ["unusable metadata"]) {
      try PlainSQL.run($0, "DELETE FROM Z_METADATA")
    },
    Case(testDescription: "metadata of junk", words: ["no property list"]) {
      try PlainSQL.run($0, "UPDATE Z_METADATA SET Z_PLIST = x'62706c6973743030ff'")
    },
    Case(testDescription: "metadata without hashes", words: ["no version hashes"]) {
      let plist = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
      try PlainSQL.run($0, "UPDATE Z_METADATA SET Z_PLIST = x'\(plist.map { String(format: "%02x", $0) }.joined())'")
    },
    Case(testDescription: "metadata of another shape", words: ["no column “Z_PLIST”"]) {
      try PlainSQL.run($0, "ALTER TABLE Z_METADATA RENAME COLUMN Z_PLIST TO OTHER")
    },
    Case(testDescription: "a model of junk", words: ["model that cannot be read"]) {
      try PlainSQL.run($0, "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00010203'")
    },
    Case(testDescription: "no model", words: ["no model of its own"]) {
      try PlainSQL.run($0, "DELETE FROM Z_MODELCACHE")
    },
    Case(testDescription: "a table missing", words: ["no table “ZTAG”"]) { try PlainSQL.run($0, "DROP TABLE ZTAG") },
  ]

  @Test("is refused with path, cause and way out, and nothing on disk has changed", arguments: cases)
  func refused(_ badInput: Case) throws {
    let folder = try TemporaryStore()
    try PersistentStore.open(at: folder.url, model: SampleModel.twoIslands).close()
    try badInput.prepare(folder.url)
    let before = try FolderState(folder.folder)
    for options in [StoreOptions(createsIfMissing: false), StoreOptions(isReadOnly: true)] {
      let message = failure { try PersistentStore.open(at: folder.url, options: options) }
      #expect(message.contains(folder.url.path))
      #expect(message.contains(" — "))
      for word in badInput.words { #expect(message.contains(word), "\(message)") }
    }
    #expect(try FolderState(folder.folder) == before)
  }

  @Test(
    "a store whose metadata lacks the hash of one entity is told so, and its model is not blamed",
    arguments: [("Shelf", "Book"), ("Book", "Genre")])
  func missingHash(entity: String, origin: String) throws {
    let folder = try TemporaryStore()
    try PersistentStore.open(at: folder.url, model: SampleModel.library).close()
    let connection = try Connection(path: folder.url.path, mode: .readWrite)
    let metadata = try StoreMetadata(connection)
    var hashes = metadata.hashes.hashes
    #expect(hashes.removeValue(forKey: entity) != nil)
    let write = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
    try write.bind(metadata.propertyList(setting: [StoreMetadata.Key.hashes: hashes]), at: 1)
    try write.run()
    connection.close()
    let problem = "Z_PLIST has no version hash of entity “\(entity)”, to which “\(origin)” leads"
    let message = failure { try PersistentStore.open(at: folder.url) }
    #expect(message.contains("unusable metadata: \(problem) — restore the store from a backup"), "\(message)")
    let found = try StoreChecker.check(folder.url)
    #expect(found.contains { $0.problem == problem }, "\(found)")
  }

  @Test("a failed opening leaves a log that waits beside the store as it is, and no file more")
  func failureWithLog() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: SampleModel.twoIslands)
    try store.write { try $0.execute("DROP TABLE ZTAG") }
    let copy = try TemporaryStore()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: folder.url.path + suffix, toPath: copy.url.path + suffix)
    }
    let before = try FolderState(copy.folder)
    #expect(before.files.count == 2)
    #expect(failure { try PersistentStore.open(at: copy.url) }.contains("no table “ZTAG”"))
    #expect(try FolderState(copy.folder) == before)
  }

  @Test("a locked store says so, and opens when the lock is gone")
  func locked() throws {
    let folder = try TemporaryStore()
    let options = StoreOptions(busyTimeout: .milliseconds(20))
    let store = try PersistentStore.open(at: folder.url, options: options, model: SampleModel.twoIslands)
    let other = try Connection(path: folder.url.path, mode: .readWrite)
    try other.execute("BEGIN IMMEDIATE")
    let message = failure { try store.write { try $0.execute("DELETE FROM ZTAG") } }
    #expect(message.contains("is locked") && message.contains(folder.url.path) && message.contains("longer timeout"))
    try other.execute("COMMIT")
    try store.write { try $0.execute("DELETE FROM ZTAG") }
    store.close()
    try other.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE Z_METADATA SET Z_VERSION = 1")
    #expect(failure { try PersistentStore.open(at: folder.url, options: options) }.contains("is locked"))
  }

  @Test("creating is refused where it cannot be done, and leaves nothing behind")
  func creation() throws {
    let folder = try TemporaryStore()
    let model = SampleModel.twoIslands
    var hole = model
    hole.entities[0].superentityName = "Nothing"
    #expect(failure { try PersistentStore.open(at: folder.url, model: hole) }.contains("“Nothing” of entity “Note”"))
    var unique = model
    unique.entities[0].uniquenessConstraints = [["tex"]]
    #expect(failure { try PersistentStore.open(at: folder.url, model: unique) }.contains("did you mean “text”?"))
    #expect(failure { try PersistentStore.open(at: folder.url) }.contains("does not exist"))
    #expect(try FolderState(folder.folder).files.isEmpty)
    try Data("log of another store".utf8).write(to: URL(fileURLWithPath: folder.url.path + "-wal"))
    #expect(failure { try PersistentStore.open(at: folder.url, model: model) }.contains("left over"))
    #expect(try FolderState(folder.folder).files.count == 1)
    let deep = URL(fileURLWithPath: folder.url.path + "-wal/none/default.store")
    #expect(failure { try PersistentStore.open(at: deep, model: model) }.contains("is a file, not a folder"))
  }

  @Test("an SQL failure in the middle of creation leaves nothing behind")
  func failingDefinition() throws {
    let folder = try TemporaryStore()
    // SQLite gives a table 2,000 columns at most; that of the other entity has been made already.
    var model = SampleModel.twoIslands
    model.entities[1].properties += (0..<2_000).map { FetchTestWorld.attribute("number\($0)", .integer16) }
    #expect(failure { try PersistentStore.open(at: folder.url, model: model) }.contains("too many columns"))
    #expect(try FolderState(folder.folder).files.isEmpty)
  }

  @Test(
    "a folder or file that may only be read is refused for writing and opens for reading",
    .disabled(if: geteuid() == 0, "permissions do not bind the superuser"))
  func readOnlyPlaces() throws {
    let folder = try TemporaryStore()
    try PersistentStore.open(at: folder.url, model: SampleModel.twoIslands).close()
    func allow(_ mode: Int, _ url: URL) throws {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }
    try allow(0o555, folder.folder)
    defer { try? allow(0o755, folder.folder) }
    let before = try FolderState(folder.folder)
    #expect(failure { try PersistentStore.open(at: folder.url) }.contains("may not create files in the folder"))
    let other = folder.folder.appendingPathComponent("other.store")
    #expect(
      failure { try PersistentStore.open(at: other, model: SampleModel.twoIslands) }.contains("may not create files"))
    let store = try PersistentStore.open(at: folder.url, options: StoreOptions(isReadOnly: true))
    #expect(try store.read { try $0.integer("SELECT count(*) FROM Z_PRIMARYKEY") } == 2)
    store.close()
    #expect(try FolderState(folder.folder) == before)
    try allow(0o755, folder.folder)
    try allow(0o444, folder.url)
    #expect(failure { try PersistentStore.open(at: folder.url) }.contains("may only be read"))
  }
}
