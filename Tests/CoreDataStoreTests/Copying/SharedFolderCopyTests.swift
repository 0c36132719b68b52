import Foundation
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

/// Stores whose names differ only in the extension have one folder of big values (CD-5). No copy takes the files of another store.
@Suite("Copies beside stores that share a folder") struct SharedFolderCopyTests {
  private typealias World = ExternalDataWorld

  /// A store of two pictures, one of them in a file.
  private func world(_ name: String = "Album.sqlite", seed: UInt8 = 1) throws -> World {
    let world = try World(name: name)
    try world.insert(["title": .text("small"), "image": .blob(Data([1]))])
    try world.insert(["title": .text("big"), "image": .blob(World.big(seed))])
    return world
  }

  /// Copies the file of a store only, as `cp` does.
  private func cp(_ world: World, _ name: String) throws -> URL {
    world.store.close()
    let copy = world.folder.folder.appendingPathComponent(name)
    try FileManager.default.copyItem(at: world.folder.url, to: copy)
    world.store = try world.another()
    return copy
  }

  @Test func `CD-5 Replacing a plain copy of a store keeps the files of the store`() throws {
    let (library, other) = (try world(), try world("Other.sqlite", seed: 2))
    let copy = try cp(library, "Album.backup")
    let before = try Data(contentsOf: copy)
    let error = #expect(throws: StoreCopyError.self) { try other.store.copy(to: copy, replaces: true) }
    #expect(error?.kind == .sharedFolder(library.filesFolder().path, store: library.folder.url.path))
    #expect(error?.description.contains("name a file in another folder") == true)
    #expect(try library.images() == [.blob(Data([1])), .blob(World.big(1))])
    #expect(try Data(contentsOf: copy) == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: library.folder.folder.path)
    #expect(!names.contains { $0.contains("copying") })
  }

  @Test func `CD-5 A copy without files does not remove those of another store either`() throws {
    let (library, other) = (try world(), try World(name: "Other.sqlite"))
    let copy = try cp(library, "Album")
    #expect(throws: StoreCopyError.self) { try other.store.copy(to: copy, replaces: true) }
    #expect(try library.images() == [.blob(Data([1])), .blob(World.big(1))])
  }

  @Test func `CD-5 A neighbour that cannot be read keeps its files`() throws {
    let (library, other) = (try world(), try world("Other.sqlite", seed: 2))
    let copy = try cp(library, "Album.backup")
    library.store.close()
    // The header says that this is a database; its schema cannot be read.
    let file = try FileHandle(forUpdating: library.folder.url)
    try file.seek(toOffset: 100)
    try file.write(contentsOf: Data(repeating: 0xFF, count: 400))
    try file.close()
    let error = #expect(throws: StoreCopyError.self) { try other.store.copy(to: copy, replaces: true) }
    #expect(error?.kind == .sharedFolder(library.filesFolder().path, store: library.folder.url.path))
    #expect(try library.files().count == 1)
  }

  @Test(arguments: ["notes", "folder", "store without files", "link"])
  func `CD-5 A neighbour without files of its own is in nobody's way`(_ neighbour: String) throws {
    let (target, source) = (try world(), try world("Other.sqlite", seed: 2))
    target.store.close()
    let place = target.folder.folder.appendingPathComponent("Album.txt")
    switch neighbour {
    case "notes": try Data("notes".utf8).write(to: place)
    case "folder": try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    case "link": try FileManager.default.createSymbolicLink(at: place, withDestinationURL: source.folder.url)
    default: try PersistentStore.open(at: place, model: World.model).close()
    }
    try source.store.copy(to: target.folder.url, replaces: true)
    let store = try target.another()
    #expect(try target.images(in: store) == source.images())
    #expect(try target.files() == source.files())
  }

  @Test func `CD-5 Removing a copy keeps the files that another store names too`() throws {
    let library = try world()
    let copy = try cp(library, "Album.backup")
    try StoreCopy.remove(copy)
    #expect(!FileManager.default.fileExists(atPath: copy.path))
    #expect(try library.images() == [.blob(Data([1])), .blob(World.big(1))])
  }

  // MARK: Copies that are changed

  @Test func `A copy that is changed takes its place changed, with its new files`() throws {
    let (source, target) = (try world(), try world("Copy.sqlite", seed: 2))
    target.store.close()
    let report = try StoreCopy.copy(
      from: source.folder.url, to: target.folder.url, replaces: true,
      changing: { draft in
        let store = try PersistentStore.open(at: draft)
        defer { store.close() }
        try source.update(ObjectKey(entity: 1, key: 1), ["image": .blob(World.big(7))], in: store)
        try source.update(ObjectKey(entity: 1, key: 2), ["image": .blob(Data([2]))], in: store)
        #expect(try PersistentStore.open(at: target.folder.url).rows(of: "Picture").count == 2)
      })
    #expect(report.fileCount == 1 && report.missingFiles == [])
    let copy = try target.another()
    #expect(try target.images(in: copy) == [.blob(World.big(7)), .blob(Data([2]))])
    #expect(try target.externalFiles(of: copy).missing == [])
    #expect(try target.files().count == 1)
    #expect(try source.images() == [.blob(Data([1])), .blob(World.big(1))])
    #expect(try StoreChecker.report(target.folder.url).findings == [])
  }

  @Test func `A change that fails leaves the target as it was`() throws {
    struct Failure: Error {}
    let (source, target) = (try world(), try world("Copy.sqlite", seed: 2))
    let names = try FileManager.default.subpathsOfDirectory(atPath: target.folder.folder.path).sorted()
    #expect(throws: Failure.self) {
      try StoreCopy.copy(
        from: source.folder.url, to: target.folder.url, replaces: true,
        changing: { draft in
          try PersistentStore.open(at: draft).close()
          throw Failure()
        })
    }
    #expect(try target.images() == [.blob(Data([1])), .blob(World.big(2))])
    #expect(try FileManager.default.subpathsOfDirectory(atPath: target.folder.folder.path).sorted() == names)
  }

  // MARK: Saves meanwhile

  @Test(arguments: ["WAL", "DELETE", "TRUNCATE"])
  func `A save to a store with a log is not delayed, a save to another store waits`(_ journal: String) throws {
    let source = try world()
    source.store.close()
    let connection = try Connection(path: source.folder.url.path, mode: .readWrite, busyTimeout: .zero)
    defer { connection.close() }
    try connection.setPragma("journal_mode", journal)
    let target = try TemporaryStore(name: "Copy.sqlite")
    var (saves, refusals) = (0, 0)
    try StoreCopy.copy(from: source.folder.url, to: target.url) { _ in
      do {
        try connection.execute("UPDATE ZPICTURE SET ZTITLE = ZTITLE || 'x'")
        saves += 1
      } catch let error as SQLiteError where error.code == .busy { refusals += 1 }
    }
    #expect(
      journal == "WAL" ? saves > 0 && refusals == 0 : saves == 0 && refusals > 0)
    #expect(try StoreChecker.report(target.url).errors == [])
  }
}
