import Foundation
import SQLite
import StoreExchange
import StoreInspection
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Big values in files beside the store.
@Suite struct ExternalDataTests {
  private typealias World = ExternalDataWorld

  @Test("CD-5 a value above the threshold is a file, named by the row; others stand in the row behind a prefix")
  func threshold() throws {
    let world = try World()
    let (big, limit) = (World.big(1), World.big(2, count: StoredData.threshold))
    try world.insert(["title": .text("big"), "image": .blob(big), "plain": .blob(big)])
    try world.insert(["title": .text("limit"), "image": .blob(limit)])
    try world.insert(["title": .text("empty"), "image": .blob(Data())])
    try world.insert(["title": .text("none"), "image": .null])
    let files = try world.files()
    #expect(files.count == 1)
    let name = try #require(files.first)
    #expect(UUID(uuidString: name)?.uuidString == name)
    #expect(try Data(contentsOf: world.filesFolder().appendingPathComponent(name)) == big)
    #expect(try world.stored() == [Data([2]) + Data(name.utf8) + Data([0]), Data([1]) + limit, Data([1]), nil])
    #expect(try world.stored("ZPLAIN")[0] == big)
    #expect(try world.images() == [.blob(big), .blob(limit), .blob(Data()), .null])
    #expect(try world.absentCount() == 1)
    #expect(try world.images(in: world.another()) == [.blob(big), .blob(limit), .blob(Data()), .null])
  }

  @Test("CD-5 the checker accepts what was written", .enabled(if: Fixtures.areAvailable, "needs ../shared"))
  func oracle() throws {
    let world = try World()
    for seed: UInt8 in 1...3 { try world.insert(["title": .text("\(seed)"), "image": .blob(World.big(seed))]) }
    try world.insert(["title": .text("p"), "image": .blob(World.big(4)), "print": .blob(World.big(5))], of: "Poster")
    let report = try Oracle.checkStore(world.folder.url, fresh: true)
    #expect(report.status == 0 && !report.output.contains("external files are not in"), "\(report.output)")
    #expect(try world.files().count == 5)
  }

  @Test("A file goes when its row does, or takes another value; the same value keeps it")
  func removal() throws {
    let world = try World()
    let one = try world.insert(["title": .text("a"), "image": .blob(World.big(1))])
    let two = try world.insert(["title": .text("b"), "image": .blob(World.big(2))])
    let first = try world.files()
    try world.update(one, ["image": .blob(World.big(1)), "title": .text("still")])
    #expect(try world.files() == first)
    try world.update(one, ["image": .blob(World.big(3))])
    let second = try world.files()
    #expect(second.count == 2 && second != first && Set(first).intersection(second).count == 1)
    #expect(try world.images() == [.blob(World.big(3)), .blob(World.big(2))])
    try world.update(one, ["image": .blob(Data([7]))])
    #expect(try world.files().count == 1 && world.images()[0] == .blob(Data([7])))
    try world.delete(two)
    #expect(try world.files() == [])
    let poster = try world.insert(
      ["title": .text("p"), "image": .blob(World.big(4)), "print": .blob(World.big(5))], of: "Poster")
    #expect(try world.files().count == 2)
    try world.delete(poster)
    #expect(try world.files() == [])
  }

  @Test("An insertion that takes an existing row's place replaces the row's file")
  func upsert() throws {
    let world = try World()
    try world.insert(["title": .text("same"), "image": .blob(World.big(1))])
    let before = try world.files()
    try world.insert(["title": .text("same"), "image": .blob(World.big(1))])
    #expect(try world.files() == before)
    try world.insert(["title": .text("same"), "image": .blob(World.big(2))])
    #expect(try world.files().count == 1 && world.files() != before)
    #expect(try world.images() == [.blob(World.big(2))])
  }

  @Test("A row that is written again, since another was in its way, leaves one file")
  func again() throws {
    let world = try World()
    let one = try world.insert(["title": .text("a")])
    let two = try world.insert(["title": .text("b")])
    var changes = ChangeSet()
    changes.updates = [(one, "b", 2), (two, "a", 3)].map { object, title, seed in
      .init(
        object: object, version: 1,
        columns: ["image", "title"].map { ColumnSelection(entityName: "Picture", propertyName: $0) },
        changedProperties: ["image", "title"],
        source: StoreValuesRow(values: ["title": .text(title), "image": .blob(World.big(seed))]))
    }
    _ = try world.store.save(changes)
    #expect(try world.images() == [.blob(World.big(2)), .blob(World.big(3))])
    #expect(try world.files().count == 2)
    #expect(try StoreChecker.check(world.folder.url).isEmpty)
  }

  @Test("A save that fails leaves the files as they were")
  func failure() throws {
    let world = try World()
    let kept = try world.insert(["title": .text("a"), "image": .blob(World.big(1))])
    let before = try world.files()
    #expect(throws: SaveError.self) { try world.update(kept, version: 9, ["image": .blob(World.big(2))]) }
    #expect(try world.files() == before)
    // The second row has no value for what it is to be written with: the first has its file by then.
    var changes = ChangeSet()
    changes.insertions = [
      world.insertion("Picture", ["title": .text("b"), "image": .blob(World.big(3))]),
      .init(
        entity: kept.entity, columns: [ColumnSelection(entityName: "Picture", propertyName: "image")],
        source: StoreValuesRow()),
    ]
    changes.deletions = [.init(object: kept, version: nil)]
    #expect(throws: QueryError.self) { try world.store.save(changes) }
    #expect(try world.files() == before && world.images() == [.blob(World.big(1))])
  }

  @Test("Part of a transaction that is undone takes its files with it, and gives back those it had given up")
  func nestedTransactions() throws {
    struct Undo: Error {}
    let world = try World()
    let kept = try world.insert(["title": .text("a"), "image": .blob(World.big(1))])
    let before = try world.files()
    try world.store.write { _ in
      try? world.store.write { _ in
        try world.delete(kept)
        try world.insert(["title": .text("b"), "image": .blob(World.big(2))])
        throw Undo()
      }
      try world.insert(["title": .text("c"), "image": .blob(World.big(3))])
    }
    #expect(try world.files().count == 2 && Set(before).isSubset(of: world.files()))
    #expect(try world.images() == [.blob(World.big(1)), .blob(World.big(3))])
    #expect(throws: Undo.self) {
      try world.store.write { _ in
        try world.insert(["title": .text("d"), "image": .blob(World.big(4))])
        throw Undo()
      }
    }
    #expect(try world.files().count == 2 && world.externalFiles().unreferenced == [])
  }

  @Test("A transaction that is told to have failed keeps the files of what was committed, and no others")
  func committedFailure() throws {
    struct Late: Error {}
    let world = try World()
    let writer = ExternalDataWriter(
      folder: world.store.externalData, columns: world.store.layout.externalColumns, storePath: world.folder.url.path)
    let connection = try Connection(path: world.folder.url.path, mode: .readWrite)
    try writer.register(on: connection)
    let value = ExternalDataWriter.sql("zeroblob(200000)", replacing: nil)
    for (end, count) in [("ROLLBACK", 0), ("COMMIT", 1)] {
      try connection.execute(
        "BEGIN; INSERT INTO ZPICTURE (Z_PK, Z_ENT, Z_OPT, ZIMAGE) VALUES (9, 1, 1, \(value)); \(end)")
      #expect(writer.failed(on: connection, after: Late()) is Late)
      #expect(try world.files().count == count)
    }
  }

  @Test("A file that another row refers to as well stays until the last of them goes")
  func sharedFile() throws {
    let world = try World()
    let one = try world.insert(["title": .text("a"), "image": .blob(World.big(1))])
    let two = try world.insert(["title": .text("b")])
    try world.store.write {
      try $0.execute("UPDATE ZPICTURE SET ZIMAGE = (SELECT ZIMAGE FROM ZPICTURE WHERE Z_PK = 1)")
    }
    try world.delete(one)
    #expect(try world.files().count == 1 && world.images() == [.blob(World.big(1))])
    try world.delete(two)
    #expect(try world.files() == [])
  }

  @Test("A reader of an earlier state is given the row's present value where the file is gone")
  func earlierState() throws {
    let world = try World()
    for number in 0..<3 {
      try world.insert(["title": .text("\(number)"), "image": .blob(World.big(UInt8(number)))])
    }
    let entity = Int32(try world.store.layout.existingEntity("Picture").number)
    let cursor = try world.store.fetch(
      FetchRequest(
        entityName: "Picture", sortTerms: [SortTerm(expression: .object(FetchPath()))],
        columns: [ColumnSelection(entityName: "Picture", propertyName: "image")]))
    #expect(try cursor.next())
    let other = try world.another()
    try world.update(ObjectKey(entity: entity, key: 2), ["image": .blob(World.big(8))], in: other)
    try world.delete(ObjectKey(entity: entity, key: 3), in: other)
    #expect(try world.files().count == 2)
    #expect(try cursor.next())
    var reader = cursor.reader()
    #expect(cursor.version == 1 && reader.blob() == World.big(8))
    #expect(try cursor.next())
    reader = cursor.reader()
    #expect(cursor.key == 3 && reader.isNull)
    cursor.close()
  }

  @Test(
    "A store that is moved, copied or renamed with its folder has its big values; without it they are nil and told of")
  func moving() throws {
    let world = try World()
    let key = try world.insert(["title": .text("a"), "image": .blob(World.big(1))])
    world.store.close()
    let manager = FileManager.default
    let elsewhere = world.folder.folder.appendingPathComponent("elsewhere")
    try manager.createDirectory(at: elsewhere, withIntermediateDirectories: true)
    let copy = elsewhere.appendingPathComponent("Album.sqlite")
    try manager.copyItem(at: world.folder.url, to: copy)
    try manager.copyItem(
      at: world.filesFolder().deletingLastPathComponent(),
      to: world.filesFolder(copy).deletingLastPathComponent())
    #expect(try world.images(in: PersistentStore.open(at: copy)) == [.blob(World.big(1))])

    // Renamed alone.
    let renamed = world.folder.folder.appendingPathComponent("Other.sqlite")
    try manager.moveItem(at: world.folder.url, to: renamed)
    let store = try PersistentStore.open(at: renamed)
    #expect(try world.images(in: store) == [.null])
    #expect(try world.absentCount(in: store) == 1)
    #expect(try world.externalFiles(of: store).missing.count == 1)
    // What is not touched keeps its reference, and is there again with the folder.
    try world.update(key, ["title": .text("new")], in: store)
    store.close()
    try manager.moveItem(
      at: world.filesFolder().deletingLastPathComponent(), to: world.filesFolder(renamed).deletingLastPathComponent())
    #expect(try world.images(in: PersistentStore.open(at: renamed)) == [.blob(World.big(1))])
    // Through a link the files are those beside the store itself.
    let link = elsewhere.appendingPathComponent("link.sqlite")
    try manager.createSymbolicLink(at: link, withDestinationURL: renamed)
    let linked = try PersistentStore.open(at: link)
    #expect(try world.images(in: linked) == [.blob(World.big(1))])
    try world.delete(key, in: linked)
    #expect(try world.files(renamed) == [])
  }

  @Test("In memory all values stand in their rows")
  func inMemory() throws {
    let world = try World(inMemory: true)
    let key = try world.insert(["title": .text("a"), "image": .blob(World.big(1))])
    #expect(try world.images() == [.blob(World.big(1))])
    try world.update(key, ["image": .blob(World.big(2))])
    #expect(try world.images() == [.blob(World.big(2))])
    #expect(world.store.externalData == nil)
    #expect(try world.files() == [])
  }

  @Test("Nothing of the watching of rows is in the store")
  func triggers() throws {
    let world = try World()
    try world.insert(["title": .text("a"), "image": .blob(World.big(1))])
    #expect(try PlainSQL.rows(world.folder.url, "SELECT name FROM sqlite_master WHERE type = 'trigger'") == [])
  }

  @Test("What a store has under the names of our temporary triggers and tables is in nobody's way")
  func temporaryNames() throws {
    let world = try World()
    let one = try world.insert(["title": .text("a"), "image": .blob(World.big(1))])
    world.store.close()
    let connection = try Connection(path: world.folder.url.path, mode: .readWrite)
    for name in ["OSD_RELEASE_0_UPDATE", "OSD_RELEASE_1_DELETE", "LAST_CHANGE", "LAST_CHANGE_ENTITY", "Picture"] {
      try connection.execute("CREATE TABLE \(name) (A)")
      try connection.execute("CREATE INDEX \(name)_0_DELETE ON \(name) (A)")
    }
    connection.close()
    world.store = try world.another()
    try world.update(one, ["image": .blob(World.big(2))])
    #expect(try world.files().count == 1 && world.images() == [.blob(World.big(2))])
    #expect(try StoreChecker.check(world.folder.url).filter { $0.severity == .error } == [])
    let query = try StoreQuery("SELECT title FROM Picture_2", on: world.store)
    #expect(try query.next() == [.text("a")])
    try world.delete(one)
    #expect(try world.files() == [])
  }
}
