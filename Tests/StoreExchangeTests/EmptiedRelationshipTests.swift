import CoreDataStore
import ManagedModel
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import StoreExchange

/// An import leaves no object without the object that its model requires, also not one that no line is about.
@Suite struct EmptiedRelationshipTests {
  private static func to(_ name: String, _ entity: String, _ inverse: String, isOptional: Bool, many: Bool = false)
    -> PropertyDescription
  {
    .relationship(
      RelationshipDescription(
        name: name, destinationEntityName: entity, inverseName: inverse, isOptional: isOptional,
        maximumCount: many ? 0 : 1))
  }

  private static let model = ModelDescription(entities: [
    EntityDescription(name: "Book", properties: [to("chapters", "Chapter", "book", isOptional: true, many: true)]),
    EntityDescription(name: "Chapter", properties: [to("book", "Book", "chapters", isOptional: false)]),
    EntityDescription(name: "Member", properties: [to("card", "Card", "member", isOptional: true)]),
    EntityDescription(name: "Card", properties: [to("member", "Member", "card", isOptional: false)]),
  ])

  /// Two books, the first with the chapters 1 to 3, and two members with their cards.
  private static func world() throws -> ImportExportWorld {
    let world = try ImportExportWorld(model)
    try world.take(
      """
      {"$entity":"Book","$id":"Book/p1","chapters":["Chapter/p1","Chapter/p2","Chapter/p3"]}
      {"$entity":"Book","$id":"Book/p2"}
      {"$entity":"Chapter","$id":"Chapter/p1"}
      {"$entity":"Chapter","$id":"Chapter/p2"}
      {"$entity":"Chapter","$id":"Chapter/p3"}
      {"$entity":"Member","$id":"Member/p1","card":"Card/p1"}
      {"$entity":"Member","$id":"Member/p2","card":"Card/p2"}
      {"$entity":"Card","$id":"Card/p1"}
      {"$entity":"Card","$id":"Card/p2"}
      """
    ) { $0.keepsKeys = true }
    return world
  }

  @Test(
    "A line that takes a required object from another object is refused, and nothing changes",
    arguments: [
      // The members of a to-many relationship.
      (#"{"$entity":"Book","$id":"Book/p1","chapters":["Chapter/p3","Chapter/p1"]}"#, 1, "“book” of Chapter/p2"),
      ("\n" + #"{"$entity":"Book","$id":"Book/p1","chapters":[]}"#, 2, "“book” of Chapter/p1"),
      (
        #"{"$entity":"Book","$id":"Book/p1","chapters":["new"]}"# + "\n" + #"{"$entity":"Chapter","$id":"new"}"#, 1,
        "“book” of Chapter/p1"
      ),
      // The line of the member states the same owner, and the line of the owner another set.
      (
        #"{"$entity":"Chapter","$id":"Chapter/p2","book":"Book/p1"}"# + "\n"
          + #"{"$entity":"Book","$id":"Book/p1","chapters":[]}"#, 2, "“book” of Chapter/p1"
      ),
      // The other side of a one-to-one relationship.
      (#"{"$entity":"Member","$id":"Member/p1","card":null}"#, 1, "“member” of Card/p1"),
      (#"{"$entity":"Member","$id":"Member/p1","card":"Card/p2"}"#, 1, "“member” of Card/p1"),
      (#"{"$entity":"Card","member":"Member/p1"}"#, 1, "“member” of Card/p1"),
      (#"{"$entity":"Card","$id":"Card/p2","member":"Member/p1"}"#, 1, "“member” of Card/p1"),
    ])
  func refused(_ lines: String, _ line: Int, _ place: String) throws {
    let world = try Self.world()
    let error = try #require(try world.refusal(lines) { $0.updates = true })
    #expect(error.line == line)
    #expect(error.problem.hasPrefix("relationship \(place)"), "\(error)")
    #expect(error.problem.hasSuffix(" leads to no object any more, and the model requires one"), "\(error)")
    #expect(error.remedy == "give it another object in a line of its own, or import with --lenient")
    try world.take(lines) {
      $0.updates = true
      $0.isLenient = true
    }
  }

  @Test("An import that only adds objects takes none away, either") func additions() throws {
    let world = try Self.world()
    let error = try #require(try world.refusal(#"{"$entity":"Card","$id":"c","member":"Member/p1"}"#))
    #expect(error.problem.contains("“member” of Card/p1 leads to no object any more"), "\(error)")
    #expect(try world.take(#"{"$entity":"Book","chapters":["Chapter/p1"]}"#).inserted == 1)
  }

  @Test(
    "An object that gets another object by any line is taken",
    arguments: [
      #"{"$entity":"Book","$id":"Book/p1","chapters":["Chapter/p1"]}"# + "\n"
        + #"{"$entity":"Book","$id":"Book/p2","chapters":["Chapter/p2","Chapter/p3"]}"#,
      #"{"$entity":"Book","$id":"Book/p2","chapters":["Chapter/p2","Chapter/p3"]}"# + "\n"
        + #"{"$entity":"Book","$id":"Book/p1","chapters":["Chapter/p1"]}"#,
      #"{"$entity":"Book","$id":"Book/p1","chapters":["Chapter/p1","Chapter/p2"]}"# + "\n"
        + #"{"$entity":"Chapter","$id":"Chapter/p3","book":"Book/p2"}"#,
      #"{"$entity":"Member","$id":"Member/p1","card":"Card/p2"}"# + "\n"
        + #"{"$entity":"Member","$id":"Member/p2","card":"Card/p1"}"#,
      #"{"$entity":"Card","$id":"c","member":"Member/p1"}"# + "\n"
        + #"{"$entity":"Card","$id":"Card/p1","member":"m"}"# + "\n" + #"{"$entity":"Member","$id":"m"}"#,
    ])
  func moved(_ lines: String) throws {
    let world = try Self.world()
    try world.take(lines) { $0.updates = true }
    #expect(try world.ask("SELECT count(*) FROM Chapter WHERE book IS NULL") == [[.integer(0)]])
    #expect(try world.ask("SELECT count(*) FROM Card WHERE member IS NULL") == [[.integer(0)]])
  }

  @Test("An object that lacked its object before the import is no reason to refuse it") func brokenBefore() throws {
    let world = try Self.world()
    try world.take(#"{"$entity":"Book","$id":"Book/p1","chapters":["Chapter/p1"]}"#) {
      $0.updates = true
      $0.isLenient = true
    }
    try world.take(
      #"{"$entity":"Book","$id":"Book/p1","chapters":["Chapter/p1"]}"# + "\n"
        + #"{"$entity":"Chapter","$id":"Chapter/p2"}"# + "\n" + #"{"$entity":"Book","$id":"Book/p2","chapters":[]}"#
    ) { $0.updates = true }
    #expect(try world.ask("SELECT count(*) FROM Chapter WHERE book IS NULL") == [[.integer(2)]])
  }
}
