import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

/// Migrations that make an entity unique whose rows have duplicates.
@Suite("Migrations of rows with equal unique values") struct MigratedDuplicatesTests {
  private static func model(isUnique: Bool, rule: RelationshipDescription.DeleteRule = .nullify) -> ModelDescription {
    func relationship(
      _ name: String, _ destination: String, _ inverse: String?, toMany: Bool = false,
      _ rule: RelationshipDescription.DeleteRule = .nullify
    ) -> PropertyDescription {
      .relationship(
        RelationshipDescription(
          name: name, destinationEntityName: destination, inverseName: inverse,
          inverseEntityName: inverse.map { _ in destination }, maximumCount: toMany ? 0 : 1, deleteRule: rule))
    }
    return MappingWorld.model(
      EntityDescription(
        name: "Author",
        properties: [
          .attribute(
            AttributeDescription(name: "name", type: .string, isOptional: true, preservesValueInHistoryOnDeletion: true)
          ),
          MappingWorld.attribute("born", .integer64),
          MappingWorld.attribute("portrait", .binary, isExternal: true),
          relationship("books", "Book", "author", toMany: true, .cascade),
          relationship("friends", "Author", "friends", toMany: true),
          relationship("genres", "Genre", "authors", toMany: true, .cascade),
          relationship("passport", "Passport", "holder", rule),
        ], uniquenessConstraints: isUnique ? [["name"]] : []),
      EntityDescription(
        name: "Poet", superentityName: "Author",
        properties: [relationship("poems", "Poem", "poet", toMany: true, .cascade)]),
      EntityDescription(
        name: "Book",
        properties: [
          MappingWorld.attribute("title", .string), relationship("author", "Author", "books"),
        ]),
      EntityDescription(
        name: "Genre",
        properties: [
          MappingWorld.attribute("title", .string), relationship("authors", "Author", "genres", toMany: true),
        ]),
      EntityDescription(
        name: "Passport", properties: [relationship("holder", "Author", "passport")]),
      EntityDescription(
        name: "Poem", properties: [MappingWorld.attribute("title", .string), relationship("poet", "Poet", "poems")]),
      EntityDescription(name: "Prize", properties: [relationship("winner", "Author", nil)]))
  }

  private let folder: TemporaryStore

  /// Authors 1 “Verne”, 2 “Wells”, 3 “Verne”, 4 a poet “Verne”, 5 and 6 without a name; each with what its number tells.
  init() throws {
    folder = try TemporaryStore(name: "Library.store")
    let store = try PersistentStore.open(at: folder.url, model: Self.model(isUnique: false))
    defer { store.close() }
    func columns(_ entity: String, _ names: [String]) -> [ColumnSelection] {
      names.map { ColumnSelection(entityName: entity, propertyName: $0) }
    }
    func number(_ entity: String) throws -> Int32 { Int32(try store.layout.existingEntity(entity).number) }
    var changes = ChangeSet()
    func insert(_ entity: String, _ contents: [String: StoreValuesRow.Content]) throws -> StoreValuesRow {
      let row = StoreValuesRow(contents)
      changes.insertions.append(
        .init(entity: try number(entity), columns: columns(entity, contents.keys.sorted()), source: row))
      return row
    }
    var authors: [StoreValuesRow] = []
    for (index, name) in (["Verne", "Wells", "Verne", "Verne", nil, nil] as [String?]).enumerated() {
      let entity = index == 3 ? "Poet" : "Author"
      authors.append(
        try insert(
          entity,
          [
            "name": .values([name.map { .text($0) } ?? .null]), "born": .values([.integer(Int64(index + 1))]),
            "portrait": .values([.blob(ExternalDataWorld.big(UInt8(index + 1)))]),
          ]))
    }
    for (index, author) in authors.enumerated() {
      _ = try insert("Book", ["title": .values([.text("Book \(index + 1)")]), "author": .row(author)])
    }
    for title in ["Adventure", "Future"] { _ = try insert("Genre", ["title": .values([.text(title)])]) }
    _ = try insert("Passport", ["holder": .row(authors[2])])
    _ = try insert("Poem", ["title": .values([.text("Sea")]), "poet": .row(authors[3])])
    _ = try insert("Prize", ["winner": .row(authors[2])])
    _ = try store.save(changes)
    let author = try number("Author")
    func key(_ entity: Int32, _ key: Int64) -> ChangeSet.Reference { .existing(ObjectKey(entity: entity, key: key)) }
    var links = ChangeSet()
    links.updates = try [
      .init(
        object: ObjectKey(entity: author, key: 3), version: nil, columns: columns("Author", ["passport"]),
        changedProperties: ["passport"],
        source: StoreValuesRow(["passport": .object(ObjectKey(entity: number("Passport"), key: 1))]))
    ]
    links.relationshipChanges = try [
      .init(owner: key(author, 1), relationship: "genres", added: [key(number("Genre"), 1)]),
      .init(
        owner: key(author, 3), relationship: "genres", added: [key(number("Genre"), 1), key(number("Genre"), 2)]),
      .init(owner: key(author, 3), relationship: "friends", added: [key(author, 2), key(author, 1)]),
    ]
    _ = try store.save(links)
    try store.write { try $0.execute("UPDATE ZAUTHOR SET Z_OPT = Z_OPT") }
  }

  private func migrate(_ policy: ChangeSet.DuplicatePolicy, rule: RelationshipDescription.DeleteRule = .nullify) throws
  {
    try PersistentStore.migrate(
      at: folder.url, through: [Self.model(isUnique: true, rule: rule)], duplicates: policy)
  }

  private func texts(_ sql: String) throws -> [String] {
    let store = try PersistentStore.open(at: folder.url)
    defer { store.close() }
    return try store.read { try PlainSQL.lines($0, sql) }
  }

  private func expectSound() throws {
    #expect(try StoreChecker.check(folder.url) == [])
    try Oracle.expectSound(folder.url)
  }

  @Test(
    "By default they are refused, with the entity, the property, their number and a value; the store stays as it was")
  func fails() throws {
    let before = try Data(contentsOf: folder.url)
    let error = #expect(throws: MigrationError.self) { try migrate(.fail) }
    #expect(
      error?.problem
        == "entity “Author” becomes unique by “name”, and 2 rows have the values of another, such as “Verne”")
    #expect(error?.remedy?.contains("migration.uniquenessPolicy") == true)
    #expect(try Data(contentsOf: folder.url) == before)
  }

  @Test("The oldest row stays, and gets what led to the others, their members and their pairs")
  func keepsOldest() throws {
    try migrate(.keep)
    #expect(
      try texts("SELECT Z_PK, ZNAME, ZBORN FROM ZAUTHOR ORDER BY 1") == ["1 Verne 1", "2 Wells 2", "5 - 5", "6 - 6"])
    #expect(try texts("SELECT ZAUTHOR FROM ZBOOK ORDER BY Z_PK") == ["1", "2", "1", "1", "5", "6"])
    #expect(try texts("SELECT ZWINNER FROM ZPRIZE") == ["1"])
    // The holder's other half has no place at the row that stays, which has no passport, and is released.
    #expect(try texts("SELECT ZHOLDER FROM ZPASSPORT") == ["-"])
    // The oldest row is no poet.
    #expect(try texts("SELECT count(*) FROM ZPOEM") == ["0"])
    let genres = try texts(
      "SELECT g.ZTITLE FROM ZGENRE g JOIN Z_1GENRES j ON j.Z_4GENRES = g.Z_PK AND j.Z_1AUTHORS = 1 ORDER BY 1")
    #expect(genres == ["Adventure", "Future"])
    #expect(try texts("SELECT count(*) FROM Z_1GENRES") == ["2"])
    try expectSound()
  }

  @Test("The newest row stays, also if it is of a subentity")
  func keepsNewest() throws {
    try migrate(.overwrite)
    #expect(try texts("SELECT Z_PK, ZBORN FROM ZAUTHOR ORDER BY 1") == ["2 2", "4 4", "5 5", "6 6"])
    #expect(try texts("SELECT ZAUTHOR FROM ZBOOK ORDER BY Z_PK") == ["4", "2", "4", "4", "5", "6"])
    #expect(try texts("SELECT count(*) FROM ZPOEM") == ["1"])
    #expect(try texts("SELECT ZWINNER FROM ZPRIZE") == ["4"])
    try expectSound()
  }

  @Test("History tells of the rows that are deleted, with their tombstones, and of those that lead elsewhere")
  func history() throws {
    let store = try PersistentStore.open(at: folder.url)
    let last = try #require(try store.lastTransaction())
    store.close()
    try migrate(.keep)
    let migrated = try PersistentStore.open(at: folder.url)
    defer { migrated.close() }
    let rows = try migrated.history(HistoryRequest(after: last))
    defer { rows.close() }
    var changes: [String] = []
    while try rows.next() != nil {
      while let change = try rows.nextChange() {
        let name = migrated.layout.entity(numbered: Int(change.object.entity))?.name ?? ""
        let values = change.kind == .delete ? change.tombstone.keys.sorted() : (change.changedProperties ?? []).sorted()
        changes.append("\(change.kind) \(name) \(change.object.key) \(values)")
      }
    }
    #expect(changes.contains("delete Author 3 [\"name\"]") && changes.contains("delete Poet 4 [\"name\"]"))
    #expect(changes.contains("update Book 3 [\"author\"]") && changes.contains("update Book 4 [\"author\"]"))
    #expect(changes.contains { $0.hasPrefix("update Author 1 ") && $0.contains("books") && $0.contains("genres") })
    #expect(changes.contains("update Prize 1 [\"winner\"]"))
    #expect(changes.contains("delete Poem 1 []"))
    #expect(!changes.contains { $0.hasPrefix("update Author 3") || $0.hasPrefix("update Poet 4") })
  }

  @Test("The files of rows that go are removed, and a rule that denies their deletion refuses the migration")
  func filesAndRules() throws {
    let error = #expect(throws: MigrationError.self) { try migrate(.keep, rule: .deny) }
    #expect(
      error?.problem.contains("relationship “passport” of entity “Author”") == true, "\(String(describing: error))")
    try migrate(.keep, rule: .cascade)
    #expect(try texts("SELECT count(*) FROM ZPASSPORT") == ["0"])
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.folder.path + "/.Library_SUPPORT/_EXTERNAL_DATA")
    #expect(names.count == 4)
    try expectSound()
  }

  @Test("What would happen can be asked before: the plan names the merge, and rules that deny it")
  func rehearsed() throws {
    let plan = try PersistentStore.migrationPlan(at: folder.url, to: Self.model(isUnique: true), duplicates: .keep)
    #expect(
      plan.steps.contains {
        if case .merge(entity: "Author", properties: ["name"]) = $0 { true } else { false }
      })
    func obstacles(_ policy: ChangeSet.DuplicatePolicy, _ rule: RelationshipDescription.DeleteRule = .nullify) throws
      -> Int
    {
      try PersistentStore.migrationObstacles(
        at: folder.url, to: Self.model(isUnique: true, rule: rule), duplicates: policy
      ).count
    }
    #expect(try obstacles(.fail) == 1 && obstacles(.keep) == 0 && obstacles(.keep, .deny) == 1)
    #expect(try texts("SELECT count(*) FROM ZAUTHOR") == ["6"])
  }

  @Test("Many duplicates are merged in parts")
  func many() throws {
    let tag = { (constraints: [[String]]) in
      MappingWorld.model(
        EntityDescription(
          name: "Tag", properties: [MappingWorld.attribute("name", .string)], uniquenessConstraints: constraints))
    }
    let rows = (1...1200).map { "(\($0), 1, 1, 'tag \($0 % 10)')" }.joined(separator: ", ")
    let world = try MappingWorld(
      tag([]), "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES \(rows); UPDATE Z_PRIMARYKEY SET Z_MAX = 1200")
    try PersistentStore.migrate(at: world.store.url, through: [tag([["name"]])], duplicates: .keep)
    #expect(
      try world.text("SELECT group_concat(Z_PK) FROM (SELECT Z_PK FROM ZTAG ORDER BY 1)") == "1,2,3,4,5,6,7,8,9,10")
    try Oracle.expectSound(world.store.url)
  }

  @Test("A row that requires a duplicate of itself leads to itself after the merge")
  func requiredReference() throws {
    func model(isUnique: Bool) -> ModelDescription {
      MappingWorld.model(
        EntityDescription(
          name: "Person",
          properties: [
            MappingWorld.attribute("name", .string),
            .relationship(RelationshipDescription(name: "boss", destinationEntityName: "Person", isOptional: false)),
          ], uniquenessConstraints: isUnique ? [["name"]] : []))
    }
    let folder = try TemporaryStore()
    try PersistentStore.open(at: folder.url, model: model(isUnique: false)).close()
    func connect() throws -> Connection { try Connection(path: folder.url.path, mode: .readWrite) }
    try connect().execute(
      "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZBOSS) VALUES (1, 1, 1, 'Ann', 2), (2, 1, 1, 'Ann', 2), (3, 1, 1, 'Ben', 2)"
    )
    try PersistentStore.migrate(at: folder.url, through: [model(isUnique: true)], duplicates: .keep)
    #expect(try connect().integer("SELECT ZBOSS FROM ZPERSON WHERE Z_PK = 1") == 1)
    #expect(try connect().integer("SELECT ZBOSS FROM ZPERSON WHERE Z_PK = 3") == 1)
  }

  @Test("A mapping model whose new rows have equal unique values is refused in the same words")
  func mapping() throws {
    let item = { (constraints: [[String]]) in
      MappingWorld.model(
        EntityDescription(
          name: "Item", properties: [MappingWorld.attribute("name", .string)], uniquenessConstraints: constraints))
    }
    let world = try MappingWorld(
      item([]), "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Rope'), (2, 1, 1, 'Rope')")
    let mapping = MappingModel(
      name: "Items",
      entityMappings: [
        EntityMapping(
          name: "Items", sourceEntityName: "Item", destinationEntityName: "Item",
          attributeMappings: [MappingWorld.expression("name", "$source.name")])
      ])
    let before = try Data(contentsOf: world.store.url)
    let error = #expect(throws: MigrationError.self) {
      try PersistentStore.migrate(at: world.store.url, by: mapping, from: item([]), to: item([["name"]]))
    }
    #expect(
      error?.problem == "entity “Item” becomes unique by “name”, and rows have the values of another")
    // A mapping model keeps no policy about them.
    #expect(error?.remedy?.contains("uniquenessPolicy") == false)
    #expect(try Data(contentsOf: world.store.url) == before)
  }
}
