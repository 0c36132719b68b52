import Foundation
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// What a save leaves in the tables, read back with SQL of the test's own.
@Suite struct SaveTests {
  private func columns(_ entity: String, _ names: [String]) -> [ColumnSelection] {
    names.map { ColumnSelection(entityName: entity, propertyName: $0) }
  }

  private func sql(_ world: FetchTestWorld, _ text: String) throws -> [[StoreValue]] {
    try PlainSQL.rows(world.folder.url, text)
  }

  private func insertion(_ world: FetchTestWorld, _ entity: String, _ values: [String: StoreValue]) throws
    -> ChangeSet.Insertion
  {
    ChangeSet.Insertion(
      entity: Int32(try world.store.layout.existingEntity(entity).number),
      columns: columns(entity, values.keys.sorted()), source: StoreValuesRow(values: values))
  }

  @Test("CD-6: keys come from the root's Z_MAX, which deletions do not lower; versions count from 1")
  func keysAndVersions() throws {
    let world = try FetchTestWorld()
    let people = world.all("Person")
    #expect(people.map(\.key) == Array(1...40))
    #expect(
      try sql(world, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME IN ('Person','Employee') ORDER BY Z_NAME")
        == [[.integer(0)], [.integer(40)]])
    let last = try #require(people.last)
    var changes = ChangeSet()
    changes.deletions = [.init(object: last.identity, version: 1)]
    changes.updates = [
      .init(
        object: people[0].identity, version: 1, columns: columns("Person", ["age"]), changedProperties: ["age"],
        source: StoreValuesRow(values: ["age": .integer(99)]))
    ]
    #expect(try world.store.save(changes).updatedVersions == [2])
    changes = ChangeSet()
    changes.insertions = [try insertion(world, "Employee", ["name": .text("new")])]
    let result = try world.store.save(changes)
    #expect(result.inserted.map(\.object.key) == [41])
    #expect(try sql(world, "SELECT Z_OPT, ZAGE FROM ZPERSON WHERE Z_PK = 1") == [[.integer(2), .integer(99)]])
    #expect(
      try sql(world, "SELECT Z_OPT, Z_ENT FROM ZPERSON WHERE Z_PK = 41")
        == [[.integer(1), .integer(Int64(result.inserted[0].object.entity))]])
    #expect(try sql(world, "SELECT count(*) FROM ZPERSON WHERE Z_PK = 40") == [[.integer(0)]])
  }

  @Test(
    "CD-6: an insertion has the key of its deleted row again, unless a row has it or no save handed it out",
    .damagesStores("objects of other classes with the keys of deleted ones"))
  func formerKeys() throws {
    let world = try FetchTestWorld()
    let people = world.all("Person")
    var changes = ChangeSet()
    changes.deletions = [2, 6].map { .init(object: people[$0].identity, version: nil) }
    _ = try world.store.save(changes)
    changes = ChangeSet()
    for key in [7, 3, 7, 5, 99, 0] as [Int64] {
      var new = try insertion(world, "Employee", ["name": .text("\(key)")])
      new.formerKey = key
      changes.insertions.append(new)
    }
    let result = try world.store.save(changes)
    #expect(result.inserted.map(\.object.key) == [7, 3, 41, 42, 43, 44])
    #expect(
      try sql(world, "SELECT Z_PK, Z_OPT, ZNAME FROM ZPERSON WHERE Z_PK IN (3, 7) ORDER BY Z_PK")
        == [[.integer(3), .integer(1), .text("3")], [.integer(7), .integer(1), .text("7")]])
    #expect(try sql(world, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person'") == [[.integer(44)]])
    #expect(
      try sql(
        world,
        """
        SELECT ZENTITYPK FROM ACHANGE WHERE ZCHANGETYPE = 0 AND ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION) \
        ORDER BY ZENTITYPK
        """) == ([3, 7, 41, 42, 43, 44] as [Int64]).map { [StoreValue.integer($0)] })
  }

  @Test("CD-6: rows of another version are conflicts, all of them are told, and nothing is written")
  func conflicts() throws {
    let world = try FetchTestWorld()
    let people = world.all("Person")
    let before = try sql(world, "SELECT * FROM ZPERSON ORDER BY Z_PK")
    var changes = ChangeSet()
    changes.insertions = [try insertion(world, "Note", ["text": .text("lost")])]
    for (index, version) in [(0, 1), (1, 7), (2, 3)] {
      changes.updates.append(
        .init(
          object: people[index].identity, version: Int64(version), columns: columns("Person", ["age"]),
          changedProperties: ["age"], source: StoreValuesRow(values: ["age": .integer(5)])))
    }
    changes.deletions = [
      .init(object: people[5].identity, version: 9),
      .init(object: ObjectKey(entity: people[0].number, key: 999), version: 1),
    ]
    let error = #expect(throws: SaveError.self) { try world.store.save(changes) }
    guard case .conflicts(let conflicts) = error else {
      Issue.record("not a conflict: \(String(describing: error))")
      return
    }
    #expect(conflicts.map(\.object.key) == [people[5].key, 999, people[1].key, people[2].key])
    #expect(conflicts.map(\.actualVersion) == [1, nil, 1, 1])
    #expect(try sql(world, "SELECT * FROM ZPERSON ORDER BY Z_PK") == before)
    #expect(try sql(world, "SELECT count(*) FROM ZNOTE") == [[.integer(30)]])
    #expect(try sql(world, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Note'") == [[.integer(30)]])
  }

  @Test("an insertion with the unique values of a row becomes that row; two of one save become one")
  func uniqueness() throws {
    let world = try FetchTestWorld()
    var changes = ChangeSet()
    for title in ["House 1", "fresh", "fresh", "House 1"] {
      changes.insertions.append(try insertion(world, "House", ["title": .text(title)]))
    }
    changes.insertions.append(try insertion(world, "House", ["title": .null]))
    let result = try world.store.save(changes)
    #expect(result.inserted.map(\.object.key) == [2, 7, 7, 2, 8])
    #expect(result.inserted.map(\.version) == [2, 1, 1, 2, 1])
    #expect(result.merged.map(\.insertion) == [0, 2, 3])
    #expect(
      try sql(world, "SELECT Z_PK, Z_OPT FROM ZHOUSE WHERE Z_PK IN (2, 7) ORDER BY 1")
        == [[.integer(2), .integer(2)], [.integer(7), .integer(1)]])
    #expect(try sql(world, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'House'") == [[.integer(8)]])
    // A value that a deletion of the same save sets free can be taken by a new row.
    let house = try #require(world.all("House").first)
    changes = ChangeSet()
    changes.deletions = [.init(object: house.identity, version: 1)]
    changes.insertions = [try insertion(world, "House", ["title": .text("House 0")])]
    #expect(try world.store.save(changes).merged.isEmpty)
    // An update cannot become another row.
    changes = ChangeSet()
    changes.updates = [
      .init(
        object: world.all("House")[3].identity, version: 1, columns: columns("House", ["title"]),
        changedProperties: ["title"], source: StoreValuesRow(values: ["title": .text("fresh")]))
    ]
    let clash = SaveError.Clash(
      entityName: "House", properties: ["title"], row: .update(changes.updates[0].object))
    #expect(throws: SaveError.notUnique(entity: "House", properties: ["title"], clashes: [clash])) {
      try world.store.save(changes)
    }
  }

  @Test("CD-3.4: order goes into gaps, and any order that is asked for is the one that is read")
  func order() throws {
    #expect(OrderKeys.assign([nil, nil, nil]) == [2048, 3072, 4096])
    #expect(OrderKeys.assign([2048, nil, 3072]) == [2048, 2560, 3072])
    #expect(OrderKeys.assign([nil, 2048]) == [1024, 2048])
    #expect(OrderKeys.assign([4096, 2048, 3072]).elementsEqual([1024, 2048, 3072]))
    #expect(OrderKeys.assign([]) == [])
    var random = SplitMix(seed: 131)
    for count in 0..<200 {
      let values = OrderKeys.assign(
        (0..<count).map { _ in Bool.random(using: &random) ? nil : Int64.random(in: -3...4000, using: &random) })
      #expect(values.allSatisfy { $0 > 0 } && zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
    }
    let world = try FetchTestWorld()
    let club = world.all("Club")[0]
    func members() throws -> [Int64] {
      let cursor = try world.store.related(
        to: ("Club", "members"), owners: [club.identity], columns: columns("Person", ["name"]))
      var keys: [Int64] = []
      while try cursor.next() { keys.append(cursor.key) }
      return keys
    }
    var wanted = try #require(club.toMany["members"])
    #expect(try members() == wanted)
    let people = Dictionary(uniqueKeysWithValues: world.all("Person").map { ($0.key, $0.identity) })
    for _ in 0..<30 {
      wanted.shuffle(using: &random)
      var change = ChangeSet()
      change.relationshipChanges = [
        .init(
          owner: .existing(club.identity), relationship: "members",
          order: wanted.compactMap { people[$0] }.map { .existing($0) })
      ]
      _ = try world.store.save(change)
      #expect(try members() == wanted)
    }
  }

  @Test("CD-3.2: the order column is NULL with its key, and a row that changes owners goes to the end")
  func orderOfForeignKeys() throws {
    let world = try FetchTestWorld()
    let houses = world.all("House")
    let person = try #require(world.all("Person").first { $0.toOne["home"] == houses[0].key })
    #expect(
      try sql(world, "SELECT count(*) FROM ZPERSON WHERE (ZHOME IS NULL) <> (Z_FOK_HOME IS NULL)") == [[.integer(0)]])
    for (version, home) in [houses[1].identity, nil, houses[1].identity].enumerated() {
      var changes = ChangeSet()
      changes.updates = [
        .init(
          object: person.identity, version: Int64(version + 1), columns: columns("Person", ["home"]),
          changedProperties: ["home"], source: StoreValuesRow(["home": .object(home)]))
      ]
      _ = try world.store.save(changes)
      #expect(
        try sql(world, "SELECT count(*) FROM ZPERSON WHERE (ZHOME IS NULL) <> (Z_FOK_HOME IS NULL)") == [[.integer(0)]])
    }
    let cursor = try world.store.related(to: ("House", "residents"), owners: houses.map(\.identity), columns: [])
    var keys: [Int64: [Int64]] = [:]
    while try cursor.next() { keys[cursor.owner, default: []].append(cursor.key) }
    #expect(keys[houses[1].key] == (houses[1].toMany["residents"] ?? []) + [person.key])
  }

  @Test("CD-6: a deleted row takes its pairs and the virtual keys that lead to it along")
  func deletion() throws {
    let world = try FetchTestWorld()
    let people = world.all("Person")
    let person = try #require(
      people.first { !($0.toMany["notes"] ?? []).isEmpty && !($0.toMany["friends"] ?? []).isEmpty })
    var changes = ChangeSet()
    changes.deletions = [.init(object: person.identity, version: nil), .init(object: person.identity, version: nil)]
    _ = try world.store.save(changes)
    let friends = try world.store.related(to: ("Person", "friends"), owners: people.map(\.identity), columns: [])
    while try friends.next() { #expect(friends.owner != person.key && friends.key != person.key) }
    let clubs = try world.store.related(to: ("Person", "clubs"), owners: people.map(\.identity), columns: [])
    while try clubs.next() { #expect(clubs.owner != person.key) }
    guard case .toMany(let notes) = try world.store.layout.existingEntity("Person").property(named: "notes"),
      case .key(let side) = notes.storage
    else {
      Issue.record("notes are not kept by a key")
      return
    }
    #expect(try sql(world, "SELECT count(*) FROM ZNOTE WHERE \(side.key) = \(person.key)") == [[.integer(0)]])
  }

  @Test(
    "CD-5: external data is written inline behind its prefix, and read from either place",
    .damagesStores("file names that lead elsewhere"))
  func externalData() throws {
    let world = try FetchTestWorld()
    #expect(
      try sql(world, "SELECT count(*) FROM ZPERSON WHERE ZPHOTO IS NOT NULL AND substr(ZPHOTO, 1, 1) <> x'01'")
        == [[.integer(0)]])
    let folder = URL(fileURLWithPath: try #require(world.store.externalData).path, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = UUID().uuidString
    try Data("from a file".utf8).write(to: folder.appendingPathComponent(file))
    let connection = try Connection(path: world.folder.url.path, mode: .readWrite)
    for (key, name) in [(1, file), (2, UUID().uuidString), (3, "../../../../../../etc/passwd\u{0}xxxxxxx")] {
      let set = try connection.prepare("UPDATE ZPERSON SET ZPHOTO = ?1 WHERE Z_PK = \(key)")
      try set.bind(Data([2]) + Data(name.utf8) + Data([0]), at: 1)
      try set.run()
    }
    connection.close()
    let rows = try world.store.rows(of: "Person", properties: ["photo"])
    #expect(rows[0][3] == .blob(Data("from a file".utf8)))
    #expect(rows[1][3] == .null && rows[2][3] == .null)
  }

  @Test func theSameChangesGiveTheSameSQL() throws {
    func recorded() throws -> [String] {
      let world = try FetchTestWorld()
      let recorder = Recorder()
      try world.store.write { try $0.onStatement { recorder.add($0) } }
      var changes = ChangeSet()
      for index in 0..<5 { changes.insertions.append(try insertion(world, "Note", ["text": .text("\(index)")])) }
      changes.deletions = [.init(object: world.all("Club")[1].identity, version: 1)]
      _ = try world.store.save(changes)
      return recorder.texts
    }
    #expect(try recorded() == recorded())
  }

  private final class Recorder: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var texts: [String] = []
    func add(_ text: String) { lock.withLock { texts.append(text) } }
  }
}
