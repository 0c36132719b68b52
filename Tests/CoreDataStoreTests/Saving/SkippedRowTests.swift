import Foundation
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Saves into a store with a trigger of another program that skips rows without an error, by `RAISE(IGNORE)`.
@Suite("Rows that a trigger skips", .damagesStores("rows that no reader can use")) struct SkippedRowTests {
  /// A change of the sample, and an event of a trigger that meets it.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let event: String
    private let apply: @Sendable (inout ChangeSet) -> Void

    init(_ name: String, _ event: String, _ apply: @escaping @Sendable (inout ChangeSet) -> Void) {
      (testDescription, self.event, self.apply) = (name, event, apply)
    }

    var change: ChangeSet {
      var changes = ChangeSet()
      apply(&changes)
      return changes
    }
  }

  private static let book = ObjectKey(entity: 1, key: 1)
  private static let novel = ObjectKey(entity: 2, key: 2)
  private static let favorite = ObjectKey(entity: 2, key: 3)
  private static let genre = ObjectKey(entity: 3, key: 1)
  private static let shelf = ObjectKey(entity: 4, key: 1)

  private static func relating(
    _ owner: ObjectKey, _ name: String, added: [ObjectKey] = [], removed: [ObjectKey] = [], order: [ObjectKey]? = nil
  ) -> @Sendable (inout ChangeSet) -> Void {
    {
      $0.relationshipChanges = [
        .init(
          owner: .existing(owner), relationship: name, added: added.map { .existing($0) },
          removed: removed.map { .existing($0) }, order: order?.map { .existing($0) })
      ]
    }
  }

  private static func deleting(_ object: ObjectKey) -> @Sendable (inout ChangeSet) -> Void {
    { $0.deletions = [.init(object: object, version: nil)] }
  }

  private static func batch(_ change: BatchChange) -> @Sendable (inout ChangeSet) -> Void { { $0.batches = [change] } }

  static let cases: [Case] = [
    Case("a new pair", "INSERT ON Z_1GENRES", relating(novel, "genres", added: [genre])),
    Case("a new reflexive pair", "INSERT ON Z_1RELATED", relating(book, "related", added: [novel])),
    Case("a pair that goes", "DELETE ON Z_1GENRES", relating(book, "genres", removed: [genre])),
    Case("the pairs of a deleted object", "DELETE ON Z_1GENRES", deleting(book)),
    Case("a new key of an object", "UPDATE OF Z4FAVORITES ON ZBOOK", relating(shelf, "favorites", added: [novel])),
    Case("a key that goes", "UPDATE OF Z4FAVORITES ON ZBOOK", relating(shelf, "favorites", removed: [favorite])),
    Case("the keys of a deleted owner", "UPDATE OF Z4FAVORITES ON ZBOOK", deleting(shelf)),
    Case("a place in the order", "UPDATE OF Z_FOK_SHELF ON ZBOOK", relating(shelf, "books", order: [novel, book])),
    Case("a row of a batch deletion", "DELETE ON ZBOOK WHEN old.Z_PK = 2", batch(.delete(.init(entityName: "Book")))),
    Case("pairs of a batch deletion", "DELETE ON Z_1GENRES", batch(.delete(.init(entityName: "Genre")))),
    Case("keys of a batch deletion", "UPDATE OF ZSHELF ON ZBOOK", batch(.delete(.init(entityName: "Shelf")))),
    Case(
      "virtual keys of a batch deletion", "UPDATE OF Z4FAVORITES ON ZBOOK", batch(.delete(.init(entityName: "Shelf")))),
    Case("the versions of a batch deletion", "UPDATE OF Z_OPT ON ZBOOK", batch(.delete(.init(entityName: "Shelf")))),
    Case(
      "a row of a batch update", "UPDATE OF ZTITLE ON ZBOOK WHEN old.Z_PK = 2",
      batch(.update(.init(entityName: "Book"), [.init(attribute: "title", value: .constant(.text("x")))]))),
    Case("a row of an emptied entity", "DELETE ON ZGENRE", batch(.empty(["Genre"]))),
  ]

  private static func inserting(_ changes: inout ChangeSet) {
    changes.author = "author"
    changes.insertions = [
      .init(
        entity: 3, columns: [ColumnSelection(entityName: "Genre", propertyName: "name")],
        source: StoreValuesRow(values: ["name": .text("new")]))
    ]
  }

  private static func updating(_ changes: inout ChangeSet) {
    changes.updates = [
      .init(
        object: genre, version: 1, columns: [ColumnSelection(entityName: "Genre", propertyName: "name")],
        changedProperties: ["name"], source: StoreValuesRow(values: ["name": .text("new")]))
    ]
  }

  /// What a save writes beside the rows of objects.
  static let books: [Case] = [
    Case("the history of an insertion", "INSERT ON ACHANGE", inserting),
    Case("the history of an update", "INSERT ON ACHANGE WHEN new.ZCHANGETYPE = 1", updating),
    Case("the history of a deletion", "INSERT ON ACHANGE WHEN new.ZCHANGETYPE = 2", deleting(genre)),
    Case(
      "the history of a batch update", "INSERT ON ACHANGE",
      batch(.update(.init(entityName: "Genre"), [.init(attribute: "name", value: .constant(.text("x")))]))),
    Case("the history of a batch deletion", "INSERT ON ACHANGE", batch(.delete(.init(entityName: "Genre")))),
    Case(
      "the values of deleted objects", "INSERT ON ACHANGE WHEN new.ZENTITY = 1",
      batch(.delete(.init(entityName: "Book")))),
    Case("the transaction", "INSERT ON ATRANSACTION", updating),
    Case("the author of the transaction", "INSERT ON ATRANSACTIONSTRING", inserting),
    Case("the counter of keys", "UPDATE ON Z_PRIMARYKEY WHEN old.Z_ENT = 3", inserting),
    Case("the counter of changes", "UPDATE ON Z_PRIMARYKEY WHEN old.Z_ENT = 16001", updating),
    Case("a new counter", "INSERT ON Z_PRIMARYKEY", updating),
  ]

  @Test("A save that a trigger keeps from writing history or keys fails with the trigger's name", arguments: books)
  func skippedBooks(_ test: Case) throws {
    let folder = try make()
    // The counters of history come with the first transaction.
    if !test.event.hasPrefix("INSERT ON Z_PRIMARYKEY") {
      let store = try PersistentStore.open(at: folder.url)
      var changes = ChangeSet()
      changes.deletions = [.init(object: Self.favorite, version: nil)]
      _ = try store.save(changes)
      store.close()
    }
    try PlainSQL.run(
      folder.url,
      """
      CREATE TRIGGER OTHER BEFORE DELETE ON ZGENRE WHEN 0 BEGIN SELECT RAISE(IGNORE); END;
      CREATE TRIGGER SKIP BEFORE \(test.event) BEGIN SELECT RAISE(IGNORE); END;
      """)
    let before = try FaultWorld.rows(folder.url)
    let store = try PersistentStore.open(at: folder.url)
    defer { store.close() }
    let error = #expect(throws: SaveError.self) { try store.save(test.change) }
    let message = "\(String(describing: error))"
    #expect(message.contains("the trigger “SKIP” of another program") && message.contains("nothing was saved"))
    #expect(try FaultWorld.rows(folder.url) == before)
    try PlainSQL.run(folder.url, "DROP TRIGGER SKIP")
    #expect(throws: Never.self) { try store.save(test.change) }
  }

  /// A shelf with a book and two novels, the second of them a favourite; the book has a genre.
  private func make() throws -> TemporaryStore {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: SampleModel.library)
    try store.write {
      try $0.execute(
        """
        INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZLABEL) VALUES (1, 4, 1, 'top');
        INSERT INTO ZGENRE (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 3, 1, 'tale');
        INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZCODE, ZSHELF, Z_FOK_SHELF) VALUES
          (1, 1, 1, 'one', x'01', 1, 2048), (2, 2, 1, 'two', x'02', 1, 3072), (3, 2, 1, 'three', x'03', NULL, NULL);
        UPDATE ZBOOK SET Z4FAVORITES = 1, Z_FOK_4FAVORITES = 2048 WHERE Z_PK = 3;
        INSERT INTO Z_1GENRES (Z_1BOOKS, Z_3GENRES, Z_FOK_3GENRES) VALUES (1, 1, 2048);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_SUPER = 0;
        """)
    }
    store.close()
    return folder
  }

  @Test("A save that a trigger keeps from writing a row fails, and nothing is saved", arguments: cases)
  func skipped(_ test: Case) throws {
    let folder = try make()
    try PlainSQL.run(
      folder.url, "CREATE TRIGGER SKIP BEFORE \(test.event) BEGIN SELECT RAISE(IGNORE); END")
    let before = try FaultWorld.rows(folder.url)
    let store = try PersistentStore.open(at: folder.url)
    defer { store.close() }
    let error = #expect(throws: SaveError.self) { try store.save(test.change) }
    guard case .ignored? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try FaultWorld.rows(folder.url) == before)
    // Without the trigger, the same open store goes on.
    try PlainSQL.run(folder.url, "DROP TRIGGER SKIP")
    #expect(throws: Never.self) { try store.save(test.change) }
  }

  @Test("A trigger that skips other rows than those of the save does not stop it", arguments: cases)
  func others(_ test: Case) throws {
    let folder = try make()
    let event = test.event.components(separatedBy: " WHEN ")[0]
    try PlainSQL.run(folder.url, "CREATE TRIGGER SKIP BEFORE \(event) WHEN 0 BEGIN SELECT RAISE(IGNORE); END")
    let store = try PersistentStore.open(at: folder.url)
    defer { store.close() }
    #expect(throws: Never.self) { try store.save(test.change) }
  }
}
