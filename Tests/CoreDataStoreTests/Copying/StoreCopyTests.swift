import Foundation
import SQLite
import StoreRequests
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

/// Copies of stores that are in use.
@Suite("Copies of stores", .startsProcesses) struct StoreCopyTests {
  private typealias World = ExternalDataWorld
  private let target: TemporaryStore

  init() throws { target = try TemporaryStore(name: "Copy.store") }

  /// Everything in a folder, files of big values included.
  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
  }

  private func check(_ url: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try StoreChecker.report(url).findings == [], sourceLocation: sourceLocation)
    try Oracle.expectSound(url, fresh: true, sourceLocation: sourceLocation)
  }

  /// A store of two pictures, one of them in a file; its last save waits in the log.
  private func world() throws -> World {
    let world = try World()
    try world.insert(["title": .text("small"), "image": .blob(Data([1]))])
    try world.insert(["title": .text("big"), "image": .blob(World.big(1))])
    return world
  }

  @Test func `CD-5 A copy has the rows that wait in the log, and the files that rows name`() throws {
    let world = try world()
    let before = try names(world.folder.folder)
    #expect(before.contains("Album.sqlite-wal"))
    try Data([1]).write(to: world.filesFolder().appendingPathComponent(UUID().uuidString))
    let report = try StoreCopy.copy(from: world.folder.url, to: target.url)
    #expect(report.fileCount == 1 && report.fileByteCount == Int64(World.big(1).count) && report.missingFiles == [])
    #expect(try names(target.folder).filter { $0.hasPrefix("Copy") } == ["Copy.store"])
    #expect(try world.files(target.url).count == 1)
    #expect(try names(world.folder.folder).count == before.count + 1, "nothing is made beside the store")
    try check(target.url)
    let copy = try PersistentStore.open(at: target.url)
    #expect(copy.identifier == world.store.identifier)
    #expect(try world.images(in: copy) == world.images())
    // The copy goes its own way.
    try world.update(ObjectKey(entity: 1, key: 2), ["image": .blob(World.big(9))], in: copy)
    #expect(try world.images()[1] == .blob(World.big(1)))
  }

  @Test func `A store in memory is copied to a file`() throws {
    let world = try World(inMemory: true)
    try world.insert(["title": .text("big"), "image": .blob(World.big(1))])
    let report = try world.store.copy(to: target.url)
    #expect(report.fileCount == 0 && report.byteCount > 100_000)
    try check(target.url)
    let copy = try PersistentStore.open(at: target.url)
    #expect(try world.images(in: copy) == [.blob(World.big(1))])
  }

  @Test func `A file that a save removes while it is looked for is replaced by its successor`() throws {
    let world = try world()
    let writer = try world.another()
    let picture = ObjectKey(entity: 1, key: 2)
    var (calls, seed) = (0, UInt8(2))
    let report = try world.store.copy(to: target.url) { _ in
      calls += 1
      guard calls <= StoreCopy.attempts else { return }
      seed += 1
      try world.update(picture, ["image": .blob(World.big(seed))], in: writer)
      // The state that the copy has looked at names another file, which is gone.
      #expect(try world.files().count == 1)
    }
    #expect(calls > StoreCopy.attempts && report.fileCount == 1 && report.missingFiles == [])
    try check(target.url)
    let copy = try PersistentStore.open(at: target.url)
    #expect(try world.images(in: copy)[1] == .blob(World.big(seed)))
  }

  @Test func `The last attempt holds the write lock only until it has the files`() throws {
    let world = try world()
    let writer = try PersistentStore.open(at: world.folder.url, options: StoreOptions(busyTimeout: .zero))
    let picture = ObjectKey(entity: 1, key: 2)
    var (saved, refused, savedAfterwards) = (0, 0, 0)
    _ = try world.store.copy(to: target.url) { share in
      do {
        try world.update(picture, ["image": .blob(World.big(UInt8(2 + saved)))], in: writer)
        if share > 0 { savedAfterwards += 1 } else { saved += 1 }
      } catch let error as StoreError {
        guard case .locked = error.kind else { throw error }
        refused += 1
      }
    }
    #expect(saved >= StoreCopy.attempts && refused > 0 && savedAfterwards > 0)
    try check(target.url)
  }

  @Test func `A file that the store has lost is named, and the rest is copied`() throws {
    let world = try world()
    let name = try #require(try world.files().first)
    try FileManager.default.removeItem(at: world.filesFolder().appendingPathComponent(name))
    let report = try StoreCopy.copy(from: world.folder.url, to: target.url)
    #expect(report.missingFiles == [name] && report.fileCount == 0)
    #expect(try PersistentStore.open(at: target.url).rows(of: "Picture").count == 2)
  }

  @Test func `Every copy that is made while a process saves has whole saves and all their files`() async throws {
    let folder = try TemporaryStore(name: "Album.sqlite")
    try PersistentStore.open(at: folder.url, model: ExternalDataWorld.model).close()
    let isOver = Mutex(false)
    async let child: Void = {
      _ = await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
        TestProcess.run { try PictureProcess(path: path, first: 1).run(saves: 60) }
      }
      isOver.withLock { $0 = true }
    }()
    var seen: [Int] = []
    while true {
      let last = isOver.withLock { $0 }
      try StoreCopy.copy(from: folder.url, to: target.url, replaces: !seen.isEmpty)
      try check(target.url)
      let saves = try PictureProcess.check(target.url)
      #expect(saves >= seen.last ?? 0)
      seen.append(saves)
      if last { break }
      await Task.yield()
    }
    await child
    #expect(seen.last == 60 && Set(seen).count > 1, "\(seen)")
    #expect(try StoreChecker.report(folder.url).findings == [])
  }

  // MARK: Places

  @Test func `A target that exists is replaced on demand only, with its files`() throws {
    let world = try world()
    let other = try World(name: "Copy.store")
    try other.insert(["title": .text("former"), "image": .blob(World.big(7))])
    let former = try other.files()
    let error = #expect(throws: StoreCopyError.self) { try world.store.copy(to: other.folder.url) }
    #expect(error?.kind == .exists)
    #expect(try other.images() == [.blob(World.big(7))])
    // A program that has it open finds the new rows, and its log is not mixed into them.
    try world.store.copy(to: other.folder.url, replaces: true)
    #expect(try other.store.rows(of: "Picture").count == 2)
    other.store.close()
    try check(other.folder.url)
    #expect(try other.files() == world.files() && other.files() != former)
  }

  @Test func `A target that is the store, or belongs to it, is refused`() throws {
    let world = try world()
    let path = world.folder.url.path
    let link = world.folder.folder.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: world.folder.url)
    let hard = world.folder.folder.appendingPathComponent("hard")
    try FileManager.default.linkItem(at: world.folder.url, to: hard)
    for target in [path, path + "-wal", path + "-shm", path + "-journal", link.path, hard.path] {
      let error = #expect(throws: StoreCopyError.self, "\(target)") {
        try world.store.copy(to: URL(fileURLWithPath: target), replaces: true)
      }
      #expect(error?.kind == .isSource)
    }
    #expect(try world.images().count == 2)
  }

  @Test func `A target whose big values would be in the folder of another store is refused`() throws {
    let world = try world()
    let error = #expect(throws: StoreCopyError.self) {
      try world.store.copy(to: world.folder.folder.appendingPathComponent("Album.backup"))
    }
    // The folder has the very file; a later save of the store would take it from the copy.
    #expect(error?.kind == .sharedFolder(world.filesFolder().path, store: world.folder.url.path))
    #expect(!FileManager.default.fileExists(atPath: world.folder.folder.appendingPathComponent("Album.backup").path))
    #expect(try world.files().count == 1)
  }

  @Test func `What stands at the target and is no store stays`() throws {
    let world = try world()
    try Data("notes".utf8).write(to: target.url)
    let error = #expect(throws: StoreCopyError.self) { try world.store.copy(to: target.url, replaces: true) }
    #expect(error?.description.contains("the file there is no store that can be replaced") == true)
    #expect(try Data(contentsOf: target.url) == Data("notes".utf8))
    try FileManager.default.removeItem(at: target.url)
    let other = try Connection(path: target.url.path, mode: .create)
    try other.execute("CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('mine')")
    other.close()
    let database = #expect(throws: StoreCopyError.self) { try world.store.copy(to: target.url, replaces: true) }
    #expect(database?.description.contains("it is an SQLite database, but no Core Data store") == true)
    #expect(try Connection(path: target.url.path, mode: .readOnly).integer("SELECT count(*) FROM note") == 1)
    let folder = #expect(throws: StoreCopyError.self) { try world.store.copy(to: target.folder, replaces: true) }
    #expect(folder?.description.contains("it is a folder — name another file") == true)
    try FileManager.default.removeItem(at: target.url)
    try Data([1]).write(to: URL(fileURLWithPath: target.url.path + "-wal"))
    let leftover = #expect(throws: StoreError.self) { try world.store.copy(to: target.url) }
    #expect(leftover?.description.contains("is left over from another database") == true)
    #expect(try names(target.folder) == ["Copy.store-wal"])
    let missing = #expect(throws: StoreCopyError.self) {
      try world.store.copy(to: target.folder.appendingPathComponent("none/Copy.store"))
    }
    #expect(missing?.description.contains("there is no folder") == true)
  }

  @Test func `The copy may be read by those only who may read the store`() throws {
    let world = try world()
    chmod(world.folder.url.path, 0o600)
    for name in try world.files() { chmod(world.filesFolder().appendingPathComponent(name).path, 0o600) }
    try world.store.copy(to: target.url)
    let file = world.filesFolder(target.url).appendingPathComponent(try #require(try world.files(target.url).first))
    for path in [target.url.path, file.path] {
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test func `An error of the one who watches the progress ends the copy, and leaves nothing`() throws {
    struct Stop: Error {}
    let world = try world()
    for last in [0.0, 0.5] {
      #expect(throws: Stop.self) { try world.store.copy(to: target.url) { if $0 >= last { throw Stop() } } }
      #expect(try names(target.folder) == [])
    }
  }

  @Test func `The draft of a killed copy is removed by the next one`() throws {
    let world = try world()
    let draft = target.folder.appendingPathComponent(".Copy.store.copying-x")
    try FileManager.default.createDirectory(at: draft, withIntermediateDirectories: true)
    try Data([1]).write(to: draft.appendingPathComponent("Copy.store"))
    try world.store.copy(to: target.url)
    #expect(!FileManager.default.fileExists(atPath: draft.path))
  }

  @Test(.enabled(if: geteuid() == 0, "needs the superuser, who alone can become somebody else"))
  func `A store in a place where nothing may be written is copied, and nothing is copied to such a place`() async throws
  {
    let world = try world()
    let elsewhere = try TemporaryStore(name: "Copy.store")
    chmod(elsewhere.folder.path, 0o777)
    chmod(target.folder.path, 0o555)
    chmod(world.folder.folder.path, 0o555)
    await #expect(processExitsWith: .success) {
      [
        source = world.folder.url.path as String, target = elsewhere.url.path as String,
        other = target.url.path as String
      ] in
      guard setgroups(0, nil) == 0, setgid(65_534) == 0, setuid(65_534) == 0, access(source, W_OK) != 0 else {
        throw StoreDamager.Failure(text: "cannot become another user")
      }
      let source = URL(fileURLWithPath: source)
      let report = try StoreCopy.copy(from: source, to: URL(fileURLWithPath: target))
      guard report.fileCount == 1, report.missingFiles == [] else { throw StoreDamager.Failure(text: "\(report)") }
      do {
        _ = try StoreCopy.copy(from: source, to: URL(fileURLWithPath: other))
        throw StoreDamager.Failure(text: "copied")
      } catch let error as StoreCopyError {
        guard case .folderNotWritable = error.kind else { throw error }
      }
    }
    try check(elsewhere.url)
  }
}
