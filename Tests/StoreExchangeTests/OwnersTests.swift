import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import StoreInspection
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import StoreExchange

/// Objects of the store that lines relate to others without naming them: they change as well, once in a save (CD-6, CD-7).
@Suite struct OwnersTests {
  private static func model() -> ModelDescription {
    func to(_ name: String, _ entity: String, _ inverse: String?, many: Bool = false, isOrdered: Bool = false)
      -> PropertyDescription
    {
      .relationship(
        RelationshipDescription(
          name: name, destinationEntityName: entity, inverseName: inverse, isOptional: true, isOrdered: isOrdered,
          maximumCount: many ? 0 : 1))
    }
    let name = PropertyDescription.attribute(AttributeDescription(name: "name", type: .string, isOptional: true))
    return ModelDescription(entities: [
      EntityDescription(name: "Shelf", properties: [name, to("books", "Book", "shelf", many: true)]),
      EntityDescription(
        name: "Book",
        properties: [
          name, to("shelf", "Shelf", "books"), to("tags", "Tag", "books", many: true), to("cover", "Cover", "book"),
          to("plain", "Shelf", nil),
        ]),
      EntityDescription(name: "Tag", properties: [name, to("books", "Book", "tags", many: true, isOrdered: true)]),
      EntityDescription(name: "Cover", properties: [name, to("book", "Book", "cover")]),
    ])
  }

  private static func world() throws -> ImportExportWorld {
    let world = try ImportExportWorld(model())
    try world.take(
      """
      {"$entity":"Shelf","$id":"s1","name":"1"}
      {"$entity":"Shelf","$id":"s2","name":"2"}
      {"$entity":"Tag","$id":"t1"}
      {"$entity":"Tag","$id":"t2"}
      {"$entity":"Cover","$id":"c1"}
      {"$entity":"Cover","$id":"c2"}
      {"$entity":"Book","name":"a","shelf":"s1","tags":["t1"],"cover":"c1"}
      {"$entity":"Book","name":"b","shelf":"s1","tags":["t1"]}
      """)
    return world
  }

  /// The changes of the last transaction as "entity key: properties"; every one has `Z_OPT` 2, and all other rows 1.
  private func changes(_ world: ImportExportWorld, after transaction: Int64 = 1) throws -> Set<String> {
    var changes: Set<String> = []
    var updated: Set<String> = []
    let cursor = try world.store.history(HistoryRequest(after: transaction))
    _ = try cursor.next()
    while let change = try cursor.nextChange() {
      let entity = try #require(world.store.layout.entity(numbered: Int(change.object.entity)))
      guard change.kind == .update else { continue }
      let names = (change.changedProperties ?? []).sorted().joined(separator: " ")
      changes.insert("\(entity.name) \(change.object.key): \(names)")
      updated.insert("\(entity.name) \(change.object.key)")
    }
    for entity in world.store.layout.entities {
      for row in try PlainSQL.rows(world.folder.url, "SELECT Z_PK, Z_OPT FROM \(entity.table)") {
        guard case .integer(let key) = row[0] else { continue }
        let isUpdated = updated.contains("\(entity.name) \(key)")
        #expect(row[1] == .integer(isUpdated ? 2 : 1), "\(entity.name) \(key)")
      }
    }
    return changes
  }

  private static let cases: [(lines: String, updates: Bool, changes: Set<String>)] = [
    // New members of objects that are there.
    (
      """
      {"$entity":"Book","name":"c","shelf":"Shelf/p1"}
      {"$entity":"Book","name":"d","shelf":"Shelf/p1"}
      """, false, ["Shelf 1: books"]
    ),
    (#"{"$entity":"Book","name":"c","tags":["Tag/p2","Tag/p1"]}"#, false, ["Tag 1: books", "Tag 2: books"]),
    (#"{"$entity":"Book","name":"c","plain":"Shelf/p1"}"#, false, []),
    // New owners of objects that are there, which others have owned.
    (#"{"$entity":"Shelf","books":["Book/p1"]}"#, false, ["Book 1: shelf", "Shelf 1: books"]),
    (#"{"$entity":"Tag","books":["Book/p1","Book/p2"]}"#, false, ["Book 1: tags", "Book 2: tags"]),
    (#"{"$entity":"Book","cover":"Cover/p2"}"#, false, ["Cover 2: book"]),
    (#"{"$entity":"Book","cover":"Cover/p1"}"#, false, ["Cover 1: book", "Book 1: cover"]),
    (#"{"$entity":"Cover","book":"Book/p1"}"#, false, ["Book 1: cover", "Cover 1: book"]),
    // Changes of objects that are there.
    (
      #"{"$entity":"Book","$id":"Book/p1","shelf":"Shelf/p2"}"#, true,
      ["Book 1: shelf", "Shelf 1: books", "Shelf 2: books"]
    ),
    (#"{"$entity":"Book","$id":"Book/p1","shelf":null}"#, true, ["Book 1: shelf", "Shelf 1: books"]),
    (#"{"$entity":"Book","$id":"Book/p1","shelf":"Shelf/p1"}"#, true, ["Book 1: shelf"]),
    (
      #"{"$entity":"Shelf","$id":"Shelf/p2","books":["Book/p2"]}"#, true,
      ["Book 2: shelf", "Shelf 1: books", "Shelf 2: books"]
    ),
    (
      #"{"$entity":"Book","$id":"Book/p1","tags":["Tag/p2"]}"#, true,
      ["Book 1: tags", "Tag 1: books", "Tag 2: books"]
    ),
    (
      #"{"$entity":"Book","$id":"Book/p2","cover":"Cover/p1"}"#, true,
      ["Book 1: cover", "Book 2: cover", "Cover 1: book"]
    ),
    (
      #"{"$entity":"Cover","$id":"Cover/p2","book":"Book/p1"}"#, true,
      ["Book 1: cover", "Cover 1: book", "Cover 2: book"]
    ),
    (
      """
      {"$entity":"Book","$id":"Book/p1","shelf":"Shelf/p2","name":"A"}
      {"$entity":"Shelf","$id":"Shelf/p2","name":"Two"}
      """, true, ["Book 1: name shelf", "Shelf 1: books", "Shelf 2: books name"]
    ),
  ]

  @Test("CD-6 CD-7: the other side of a relationship that lines set changes too, once", arguments: cases.indices)
  func otherSides(_ index: Int) throws {
    let (lines, updates, expected) = Self.cases[index]
    let world = try Self.world()
    try world.take(lines) { $0.updates = updates }
    #expect(try changes(world) == expected)
    #expect(try StoreChecker.check(world.folder.url).isEmpty)
    // What either side says of the other is the same.
    #expect(
      try PlainSQL.rows(
        world.folder.url,
        "SELECT count(*) FROM ZBOOK b JOIN ZCOVER c ON b.ZCOVER = c.Z_PK OR c.ZBOOK = b.Z_PK "
          + "WHERE b.ZCOVER IS NOT c.Z_PK OR c.ZBOOK IS NOT b.Z_PK") == [[.integer(0)]])
  }

  @Test(
    "An object that two lines state as a member of a relationship without inverse is an error",
    arguments: [false, true])
  func twoOwners(isOrdered: Bool) throws {
    let members = RelationshipDescription(
      name: "members", destinationEntityName: "Member", isOrdered: isOrdered, maximumCount: 0)
    let world = try ImportExportWorld(
      ModelDescription(entities: [
        EntityDescription(name: "Group", properties: [.relationship(members)]), EntityDescription(name: "Member"),
      ]))
    func lines(_ second: String) -> String {
      """
      {"$entity":"Group","$id":"1","members":["a"]}
      {"$entity":"Group","$id":"2","members":["\(second)"]}
      {"$entity":"Member","$id":"a"}
      {"$entity":"Member","$id":"b"}
      """
    }
    let error = #expect(throws: ImportError.self) { try world.take(lines("a")) }
    #expect(error?.line == 2 && error?.problem.contains("belongs to the object of line 1") == true)
    try world.take(lines("b"))
  }

  @Test("A number that its attribute's type cannot hold is written as it is stored")
  func wideNumbers() {
    #expect(ExportValue(.integer(40_000), as: .integer16) == .stored(.integer(40_000)))
    #expect(ExportValue(.integer(1 << 40), as: .integer32) == .stored(.integer(1 << 40)))
    #expect(ExportValue(.integer(-32_768), as: .integer16) == .integer(-32_768))
    #expect(ExportValue(.integer(.min), as: .integer64) == .integer(.min))
  }

  @Test("CD-7: many new members of one object are one change of it") func many() throws {
    let world = try Self.world()
    let lines = (0..<1200).map { #"{"$entity":"Book","name":"\#($0)","shelf":"Shelf/p\#($0 % 2 + 1)"}"# }
    try world.take(lines.joined(separator: "\n"))
    #expect(try changes(world) == ["Shelf 1: books", "Shelf 2: books"])
  }
}
