import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// One store with everything that a save can touch, as a file to copy, and one save that touches all of it.
struct FaultWorld {
  /// The closed store's one file.
  let template: Data
  private let world: FetchTestWorld
  /// All rows before and after ``changes()``.
  let before: [[StoreValue]]
  let after: [[StoreValue]]

  init() throws {
    let world = try FetchTestWorld()
    self.world = world
    world.store.close()
    template = try Data(contentsOf: world.folder.url)
    before = try FaultWorld.rows(world.folder.url)
    let copy = try TemporaryStore()
    try template.write(to: copy.url)
    let store = try PersistentStore.open(at: copy.url)
    _ = try store.save(FaultWorld.changes(world))
    store.close()
    after = try FaultWorld.rows(copy.url)
  }

  /// Rows that come, go and change in every table, pairs, order, virtual keys, a merged insertion, and their history.
  func changes() -> ChangeSet { FaultWorld.changes(world) }

  private static func changes(_ world: FetchTestWorld) -> ChangeSet {
    func columns(_ entity: String, _ names: [String]) -> [ColumnSelection] {
      names.map { ColumnSelection(entityName: entity, propertyName: $0) }
    }
    let (people, houses, clubs, notes) = (
      world.all("Person"), world.all("House"), world.all("Club"), world.all("Note")
    )
    var changes = ChangeSet()
    changes.author = "fault"
    changes.deletions = [.init(object: people[7].identity, version: nil), .init(object: notes[2].identity, version: 1)]
    changes.updates = people.prefix(3).map {
      .init(
        object: $0.identity, version: nil, columns: columns("Person", ["home", "name", "photo"]),
        changedProperties: ["home", "name", "photo"],
        source: StoreValuesRow([
          "home": .object(houses[1].identity), "name": .values([.text("changed")]),
          "photo": .values([.blob(Data("a new photo".utf8))]),
        ]))
    }
    // The first of them meets a row with the same title and becomes it.
    changes.insertions = ["House 0", "House 7", "House 8"].map {
      .init(
        entity: houses[0].number, columns: columns("House", ["title"]),
        source: StoreValuesRow(values: ["title": .text($0)]))
    }
    changes.insertions += (0..<40).map {
      .init(
        entity: notes[0].number, columns: columns("Note", ["size", "text"]),
        source: StoreValuesRow(values: [
          "size": .integer($0), "text": .text(String(repeating: "long \($0) ", count: 60)),
        ]))
    }
    changes.relationshipChanges = [
      .init(
        owner: .existing(clubs[0].identity), relationship: "members",
        added: [.existing(people[0].identity)], removed: [.existing(people[39].identity)]),
      .init(
        owner: .existing(people[1].identity), relationship: "friends", added: [.existing(people[2].identity)]),
      .init(owner: .existing(people[1].identity), relationship: "notes", added: [.inserted(3), .inserted(4)]),
    ]
    return changes
  }

  /// Every row of every table, but for the times of history.
  static func rows(_ url: URL) throws -> [[StoreValue]] {
    let connection = try Connection(path: url.path, mode: .readWrite)
    defer { connection.close() }
    let names = try PlainSQL.lines(connection, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    var rows: [[StoreValue]] = []
    for name in names {
      let statement = try connection.prepare("SELECT * FROM \(Identifier(name))")
      let columns = (0..<statement.columnCount).filter { statement.columnName($0) != "ZTIMESTAMP" }
      while try statement.step() {
        rows.append(
          [.text(name)]
            + columns.map { column in
              var reader = RowReader(statement, startingAt: column)
              return reader.value()
            })
      }
    }
    return rows
  }
}
