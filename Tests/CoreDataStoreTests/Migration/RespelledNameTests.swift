import Foundation
import ManagedModel
import SQLite
import StoreExchange
import StoreInspection
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// A name of the model has a letter with a mark as one character, then as two: names that Swift takes for equal, and SQLite does not.
@Suite("Names in another normal form in a migration")
struct RespelledNameTests {
  private static let composed = "f\u{E9}"
  private static let decomposed = "fe\u{301}"

  /// A model of everything whose definition has a name: tables of entities and of pairs, indexes, triggers, keys.
  private static func model(_ word: String) -> ModelDescription {
    func toMany(_ name: String, _ destination: String, _ inverse: String, isOrdered: Bool = false)
      -> PropertyDescription
    {
      .relationship(
        RelationshipDescription(
          name: name, destinationEntityName: destination, inverseName: inverse, isOrdered: isOrdered, maximumCount: 0))
    }
    return ModelDescription(entities: [
      EntityDescription(
        name: "Ca\(word)",
        properties: [
          .attribute(
            AttributeDescription(
              name: "name\(word)", type: .string, isOptional: true, preservesValueInHistoryOnDeletion: true)),
          .attribute(
            AttributeDescription(
              name: "image\(word)", type: .binary, isOptional: true, allowsExternalBinaryDataStorage: true)),
          .attribute(
            AttributeDescription(
              name: "plain\(word)", type: .string, isOptional: true,
              derivation: .init(expression: "canonical:(name\(word))"))),
          .attribute(
            AttributeDescription(
              name: "count\(word)", type: .integer64, isOptional: true,
              derivation: .init(expression: "guests\(word).@count"))),
          toMany("guests\(word)", "Guest\(word)", "place\(word)", isOrdered: true),
          // Only the inverse has a letter beyond ASCII, so only columns of the table of pairs get another name.
          toMany("friends", "Guest\(word)", "likes\(word)"),
        ],
        uniquenessConstraints: [["name\(word)"]],
        fetchIndexes: [
          FetchIndexDescription(
            name: "by\(word)",
            elements: [.init(subject: .property("image\(word)")), .init(subject: .property("name\(word)"))],
            partialIndexPredicate: "name\(word) != nil")
        ]),
      EntityDescription(
        name: "Sub\(word)", superentityName: "Ca\(word)",
        properties: [.attribute(AttributeDescription(name: "size\(word)", type: .integer64, isOptional: true))]),
      EntityDescription(
        name: "Guest\(word)",
        properties: [
          .relationship(
            RelationshipDescription(
              name: "place\(word)", destinationEntityName: "Ca\(word)", inverseName: "guests\(word)")),
          toMany("likes\(word)", "Ca\(word)", "friends"),
        ]),
      // A table without any such name stays as it is; its index does not.
      EntityDescription(
        name: "Plain",
        properties: [.attribute(AttributeDescription(name: "number", type: .integer64, isOptional: true))],
        fetchIndexes: [
          FetchIndexDescription(name: "on\(word)", elements: [.init(subject: .property("number"))])
        ]),
    ])
  }

  /// A closed store with a row of each entity, a file beside it, and a deleted object in its history.
  private static func store(_ word: String) throws -> (world: ImportExportWorld, dump: String) {
    let world = try ImportExportWorld(model(word))
    let image = Data.pattern(count: 300_000) { UInt8(truncatingIfNeeded: $0) }.base64EncodedString()
    try world.take(
      """
      {"$entity":"Ca\(word)","$id":"a","name\(word)":"one","image\(word)":"\(image)","guests\(word)":["x","y"],"friends":["y"]}
      {"$entity":"Sub\(word)","$id":"b","name\(word)":"two","size\(word)":7,"friends":["x","y"]}
      {"$entity":"Sub\(word)","$id":"gone","name\(word)":"three"}
      {"$entity":"Guest\(word)","$id":"x"}
      {"$entity":"Guest\(word)","$id":"y"}
      {"$entity":"Plain","$id":"p","number":5}
      """)
    var changes = ChangeSet()
    let subentity = try world.store.layout.existingEntity("Sub\(word)")
    changes.deletions = [.init(object: ObjectKey(entity: Int32(subentity.number), key: 3), version: 1)]
    _ = try world.store.save(changes)
    let dump = try world.dump()
    world.store.close()
    return (world, dump)
  }

  /// The bytes of all definitions, sorted, but for the quotation marks of tables that were renamed.
  private static func definitions(_ url: URL) throws -> [[UInt8]] {
    try PlainSQL.rows(url, "SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY type, name").compactMap { row in
      if case .text(let sql)? = row.first { Array(sql.utf8) } else { nil }
    }
  }

  @Test(
    "Tables, columns, indexes, triggers and numbered names get the new form, and the rows stay",
    arguments: [(composed, decomposed), (decomposed, composed)])
  func migrated(before: String, after: String) throws {
    let (world, dump) = try Self.store(before)
    let (twin, other) = try Self.store(after)
    let url = world.folder.url
    #expect(try PersistentStore.migrate(at: url, through: [Self.model(after)]))
    #expect(Set(try Self.definitions(url)) == Set(try Self.definitions(twin.folder.url)))
    let names = "SELECT CAST(Z_NAME AS BLOB) FROM Z_PRIMARYKEY ORDER BY Z_ENT"
    #expect(try PlainSQL.rows(url, names) == PlainSQL.rows(twin.folder.url, names))
    #expect(try StoreChecker.check(url).isEmpty)

    let migrated = try PersistentStore.open(at: url, model: Self.model(after))
    defer { migrated.close() }
    // The other store was given the same lines in the other form.
    let result = try ImportExportWorld.dump(migrated)
    #expect(result.utf8.elementsEqual(other.utf8) && result == dump)
    let history = try migrated.history()
    var kept: [[String: StoreValue]] = []
    while try history.next() != nil {
      while let change = try history.nextChange() { if change.kind == .delete { kept.append(change.tombstone) } }
    }
    #expect(kept == [["name\(after)": .text("three")]])
  }

  @Test("The model's changes name what is spelled anew, and a store of the other form does not open as it is")
  func refused() throws {
    let (world, _) = try Self.store(Self.composed)
    let plan = try PersistentStore.migrationPlan(at: world.folder.url, to: Self.model(Self.decomposed))
    #expect(!plan.isUpToDate && plan.changes.contains { $0.kind == .entityRenamed(from: "Ca\(Self.composed)") })
    #expect(throws: StoreError.self) {
      try PersistentStore.open(at: world.folder.url, model: Self.model(Self.decomposed)).close()
    }
    #expect(
      try PersistentStore.migrationObstacles(at: world.folder.url, to: Self.model(Self.decomposed)).isEmpty)
  }

  @Test("A table that has the name in another form is missing", .damagesStores("a table is renamed"))
  func missing() throws {
    let store = try TemporaryStore()
    let entity = EntityDescription(
      name: "Ca\(Self.composed)", properties: [.attribute(AttributeDescription(name: "number", type: .integer64))])
    try PersistentStore.open(at: store.url, model: ModelDescription(entities: [entity])).close()
    let (name, other) = ("ZCA" + Self.composed.uppercased(), "ZCA" + Self.decomposed.uppercased())
    try PlainSQL.run(store.url, "ALTER TABLE \(Identifier(name)) RENAME TO \(Identifier(other))")
    let error = #expect(throws: StoreError.self) { try PersistentStore.open(at: store.url).close() }
    guard case .missingColumns(let table, let columns)? = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(columns.isEmpty && Identifier(table) == Identifier(name))
  }
}
