package import Foundation

/// The kind of a file that is no SQLite database, told by its first bytes.
///
/// Users give such files in place of a store: Core Data's stores of other types, archives of a store, pointers to one.
package enum FileKind: Sendable, Hashable, CaseIterable {
  /// Core Data's `NSXMLStoreType`.
  case xmlStore
  /// A binary property list.
  case propertyList
  /// A file that Git LFS has not fetched.
  case largeFilePointer
  case gzip
  case zip
  case postgreSQLDump
  /// The statements that the `.dump` command of `sqlite3` prints.
  case statements
  /// An encrypted database, or a kind that is not known.
  case unknown

  /// - Parameter start: the first bytes of the file; 100 are enough.
  package init(start: Data) {
    self = Self.allCases.first { $0.isSeen(in: start) } ?? .unknown
  }

  private func isSeen(in start: Data) -> Bool {
    switch self {
    case .xmlStore:
      // A store begins: <?xml version="1.0" standalone="yes"?> <!DOCTYPE database SYSTEM "….dtd">
      start.range(of: Data("<?xml".utf8)) != nil
        && ["<!DOCTYPE database", "<database>"].contains { start.range(of: Data($0.utf8)) != nil }
    case .propertyList: start.starts(with: Data("bplist".utf8))
    case .largeFilePointer: start.starts(with: Data("version https://git-lfs".utf8))
    case .gzip: start.starts(with: [0x1f, 0x8b])
    case .zip: start.starts(with: Data("PK\u{3}\u{4}".utf8))
    case .postgreSQLDump: start.starts(with: Data("PGDMP".utf8))
    case .statements: start.starts(with: Data("PRAGMA ".utf8)) || start.starts(with: Data("BEGIN TRANSACTION".utf8))
    case .unknown: false
    }
  }

  /// The problem, without its subject, which is the store.
  var predicate: String { "is no SQLite database: it is \(nature)" }

  private var nature: String {
    switch self {
    case .xmlStore: "an XML store of Core Data"
    case .propertyList: "a binary property list"
    case .largeFilePointer: "the pointer that Git LFS keeps in place of a file"
    case .gzip: "compressed with gzip"
    case .zip: "a ZIP archive"
    case .postgreSQLDump: "a dump of a PostgreSQL database"
    case .statements: "a text of SQL statements"
    case .unknown: "encrypted or a file of another kind"
    }
  }

  var remedy: String {
    switch self {
    case .xmlStore, .propertyList:
      "give an SQLite store; on Apple's systems, Core Data's migratePersistentStore(_:to:options:type:) makes one of a store of another type"
    case .largeFilePointer: "run git lfs pull, and try again"
    case .gzip, .zip: "unpack it, and give the store in it, together with its -wal file"
    case .postgreSQLDump: "restore it into a PostgreSQL database, and give the address of the database"
    case .statements: "make a database of it with sqlite3, and give the database"
    case .unknown: "give an unencrypted Core Data store"
    }
  }
}
