import Foundation
import ManagedModel
import ModelArchive
import SQLite
import StoreTestSupport
import TestSupport

@testable import CoreDataStore

extension HostileStoreTests {
  /// The file's header (https://www.sqlite.org/fileformat.html).
  static let files: [Case] = [
    Case("page size 0") { try $0.bytes { $0.replaceSubrange(16..<18, with: [0, 0]) } },
    Case("page size 1, which means 65536") { try $0.bytes { $0.replaceSubrange(16..<18, with: [0, 1]) } },
    Case("page size 256") { try $0.bytes { $0.replaceSubrange(16..<18, with: [1, 0]) } },
    Case("page size 512") { try $0.bytes { $0.replaceSubrange(16..<18, with: [2, 0]) } },
    Case("page size 1000") { try $0.bytes { $0.replaceSubrange(16..<18, with: [3, 0xe8]) } },
    Case("page size 32768") { try $0.bytes { $0.replaceSubrange(16..<18, with: [0x80, 0]) } },
    Case("write version 9") { try $0.bytes { $0[18] = 9 } },
    Case("read version 9") { try $0.bytes { $0[19] = 9 } },
    Case("255 reserved bytes") { try $0.bytes { $0[20] = 255 } },
    Case("a schema of format 9") { try $0.bytes { $0[47] = 9 } },
    Case("text in UTF-16") { try $0.bytes { $0[59] = 2 } },
    Case("text in an encoding there is not") { try $0.bytes { $0[59] = 77 } },
    Case("a page count of four thousand million") {
      try $0.bytes { $0.replaceSubrange(28..<32, with: [255, 255, 255, 255]) }
    },
    Case("a page count of 1") { try $0.bytes { $0.replaceSubrange(28..<32, with: [0, 0, 0, 1]) } },
    Case("a free list that leads nowhere") {
      try $0.bytes { $0.replaceSubrange(32..<40, with: [0, 255, 255, 255, 0, 0, 0, 9]) }
    },
    Case("the schema's page refers to itself") { vandal in
      try vandal.bytes { data in
        // An interior page with one cell, which leads to page 1, and page 1 as the last.
        data.replaceSubrange(100..<112, with: [5, 0, 0, 0, 1, 0x0f, 0xf0, 0, 0, 0, 0, 1])
        data.replaceSubrange(112..<114, with: [0x0f, 0xf0])
        data.replaceSubrange(0xff0..<0xff5, with: [0, 0, 0, 1, 5])
      }
    },
    Case("all but the header is zero") {
      try $0.bytes { $0.replaceSubrange(100..<$0.count, with: Data(count: $0.count - 100)) }
    },
    Case("the second page is zero") {
      try $0.bytes { $0.replaceSubrange(4096..<8192, with: Data(count: 4096)) }
    },
  ]

  static let logs: [Case] = [
    Case("an empty log") { try $0.companion("-wal", Data()) },
    Case("a log of noise") {
      try $0.companion("-wal", Data((0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
    },
    Case("a log of zeros") { try $0.companion("-wal", Data(count: 8300)) },
    Case("a log's header alone") { try $0.companion("-wal", logHeader()) },
    Case("a log with another page size") {
      try $0.companion("-wal", logHeader(pageSize: 512) + Data(count: 1200))
    },
    Case("a log of another version") { try $0.companion("-wal", logHeader(version: 9) + Data(count: 5000)) },
    Case("an index of noise and no log") {
      try $0.companion("-shm", Data((0..<32768).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
    },
    Case("a folder for a log") {
      try FileManager.default.createDirectory(atPath: $0.url.path + "-wal", withIntermediateDirectories: false)
    },
    Case("a folder for an index") { vandal in
      try vandal.companion("-wal", logHeader())
      try FileManager.default.createDirectory(atPath: vandal.url.path + "-shm", withIntermediateDirectories: false)
    },
    Case("a rollback journal of noise") {
      try $0.companion("-journal", Data((0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
    },
    Case("the log of another store") { vandal in
      let folder = try TemporaryStore()
      let other = try PersistentStore.open(at: folder.url, model: SampleModel.twoIslands)
      _ = try other.write { try $0.execute("INSERT INTO ZNOTE (Z_PK) VALUES (1)") }
      try vandal.companion("-wal", Data(contentsOf: URL(fileURLWithPath: folder.url.path + "-wal")))
    },
  ]

  static func logHeader(version: UInt32 = 3_007_000, pageSize: UInt32 = 4096) -> Data {
    var words: [UInt32] = [0x377f_0682, version, pageSize, 0, 1, 2]
    var (first, second): (UInt32, UInt32) = (0, 0)
    for pair in stride(from: 0, to: 6, by: 2) {
      first = first &+ words[pair].byteSwapped &+ second
      second = second &+ words[pair + 1].byteSwapped &+ first
    }
    words += [first, second]
    return words.reduce(into: Data()) { data, word in
      withUnsafeBytes(of: word.bigEndian) { data.append(contentsOf: $0) }
    }
  }

  static let metadata: [Case] = [
    Case("the property list is NULL") { try $0.sql("UPDATE Z_METADATA SET Z_PLIST = NULL") },
    Case("the property list is empty") { try $0.propertyList(Data()) },
    Case("the property list is a number") { try $0.sql("UPDATE Z_METADATA SET Z_PLIST = 7") },
    Case("the property list is a text") { try $0.sql("UPDATE Z_METADATA SET Z_PLIST = '{ a = b; }'") },
    Case("the property list is an array") {
      try $0.propertyList(PropertyListSerialization.data(fromPropertyList: ["a"], format: .binary, options: 0))
    },
    Case("the property list is a text in one") {
      try $0.propertyList(PropertyListSerialization.data(fromPropertyList: "a", format: .binary, options: 0))
    },
    Case("the property list is XML") { vandal in
      let connection = try Connection(path: vandal.url.path, mode: .readWrite)
      let metadata = try StoreMetadata(connection)
      connection.close()
      let entries = try PropertyListSerialization.propertyList(from: metadata.propertyList, format: nil)
      try vandal.propertyList(PropertyListSerialization.data(fromPropertyList: entries, format: .xml, options: 0))
    },
    Case("the property list is nested twenty thousand deep") { try $0.propertyList(nestedArrays(20_000)) },
    Case("the property list holds itself") { try $0.propertyList(selfReferentialArray) },
    Case("the property list is nested XML") {
      try $0.propertyList(Data(("<plist>" + String(repeating: "<array>", count: 20_000)).utf8))
    },
    Case("the property list is nested text") {
      try $0.propertyList(Data(String(repeating: "(", count: 20_000).utf8))
    },
    Case("the property list has seventeen megabytes") {
      try $0.sql("UPDATE Z_METADATA SET Z_PLIST = zeroblob(17 << 20)")
    },
    Case("the property list doubles at every level") { try $0.propertyList(doublingArrays(60)) },
    Case("no version hashes") { try $0.metadata { $0[StoreMetadata.Key.hashes] = nil } },
    Case("the version hashes are a text") { try $0.metadata { $0[StoreMetadata.Key.hashes] = "none" } },
    Case("a version hash is a text") { try $0.metadata { $0[StoreMetadata.Key.hashes] = ["Book": "x"] } },
    Case("a version hash is too short") {
      try $0.metadata { $0[StoreMetadata.Key.hashes] = ["Book": Data(count: 31)] }
    },
    Case("no entity has a version hash") {
      try $0.metadata { $0[StoreMetadata.Key.hashes] = [String: Data]() }
    },
    Case("an entity too many has a version hash") {
      try $0.metadata { $0[StoreMetadata.Key.hashes] = ["Book\u{0}\n\"": Data(count: 32)] }
    },
    Case("the edition of the hashes is another") {
      try $0.metadata { $0[StoreMetadata.Key.hashesVersion] = 99 }
    },
    Case("the edition of the hashes is a text") {
      try $0.metadata { $0[StoreMetadata.Key.hashesVersion] = "three" }
    },
    Case("the model's identifiers are a number") {
      try $0.metadata { $0[StoreMetadata.Key.versionIdentifiers] = 7 }
    },
    Case("the framework's version is a text") {
      try $0.metadata { $0[StoreMetadata.Key.frameworkVersion] = "new" }
    },
    Case("the framework's version is negative") {
      try $0.metadata { $0[StoreMetadata.Key.frameworkVersion] = Int.min }
    },
    Case("the digest is of other hashes") { try $0.metadata { $0[StoreMetadata.Key.digest] = "AAAA" } },
    Case("no identifier") { try $0.sql("UPDATE Z_METADATA SET Z_UUID = NULL") },
    Case("an identifier that is none") { try $0.sql("UPDATE Z_METADATA SET Z_UUID = '../../etc/passwd'") },
    Case("an identifier with a NUL") { try $0.sql("UPDATE Z_METADATA SET Z_UUID = Z_UUID || char(0) || 'x'") },
    Case("no row of metadata") { try $0.sql("DELETE FROM Z_METADATA") },
    Case("two rows of metadata") {
      try $0.sql("INSERT INTO Z_METADATA SELECT 2, Z_UUID, Z_PLIST FROM Z_METADATA")
    },
    Case("a view for the metadata") {
      try $0.sql("ALTER TABLE Z_METADATA RENAME TO M; CREATE VIEW Z_METADATA AS SELECT * FROM M")
    },
    Case("metadata without a column") { try $0.sql("ALTER TABLE Z_METADATA DROP COLUMN Z_UUID") },
  ]

  /// A binary property list of arrays, each the only element of the one before.
  static func nestedArrays(_ depth: Int) -> Data { arrays(depth) { $0 + 1 < depth ? [$0 + 1] : [] } }
  static func doublingArrays(_ depth: Int) -> Data { arrays(depth) { $0 + 1 < depth ? [$0 + 1, $0 + 1] : [] } }
  static var selfReferentialArray: Data { arrays(2) { [1 - $0] } }

  private static func arrays(_ count: Int, _ elements: (Int) -> [Int]) -> Data {
    var data = Data("bplist00".utf8)
    var offsets: [Int] = []
    func append(_ value: Int) {
      for shift in [24, 16, 8, 0] { data.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    for index in 0..<count {
      offsets.append(data.count)
      let list = elements(index)
      data.append(0xA0 | UInt8(list.count))
      for element in list { append(element) }
    }
    let table = data.count
    for offset in offsets { append(offset) }
    data.append(contentsOf: [0, 0, 0, 0, 0, 0, 4, 4])
    for value in [count, 0, table] { data.append(contentsOf: [0, 0, 0, 0]); append(value) }
    return data
  }
}
