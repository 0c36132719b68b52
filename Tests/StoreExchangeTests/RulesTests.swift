import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import StoreExchange

/// What a model demands of values and relationships is demanded of what is imported.
@Suite struct RulesTests {
  private static func attribute(
    _ name: String, _ type: AttributeType, _ minimum: AttributeValue? = nil, _ maximum: AttributeValue? = nil,
    pattern: String? = nil
  ) -> PropertyDescription {
    .attribute(
      AttributeDescription(
        name: name, type: type, isOptional: true, minimumValue: minimum, maximumValue: maximum,
        regularExpression: pattern))
  }

  private static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Thing",
      properties: [
        attribute("count", .integer64, .integer(1), .integer(.max - 1)),
        attribute("ratio", .double, .double(-0.5), .double(0.5)),
        attribute("price", .decimal, .decimal(Decimal(string: "0.01") ?? 0), .decimal(100)),
        attribute("moment", .date, .date(0), .date(86_400)),
        attribute("name", .string, .integer(2), .integer(3)),
        attribute("code", .string, pattern: "[a-z]+|[0-9]"),
        attribute("broken", .string, pattern: "["),
        .attribute(
          AttributeDescription(
            name: "place", type: .composite, isOptional: true, compositeName: "Place",
            elements: [
              AttributeDescription(
                name: "x", type: .double, isOptional: true, minimumValue: .double(0), maximumValue: .double(1))
            ])),
      ]),
    EntityDescription(
      name: "Preset",
      properties: [
        .attribute(
          AttributeDescription(name: "level", type: .integer16, defaultValue: .integer(0), minimumValue: .integer(1)))
      ]),
    EntityDescription(
      name: "Team",
      properties: [
        .relationship(
          RelationshipDescription(
            name: "players", destinationEntityName: "Player", inverseName: "team", minimumCount: 2, maximumCount: 3)),
        .relationship(
          RelationshipDescription(
            name: "sponsors", destinationEntityName: "Sponsor", inverseName: "teams", maximumCount: 0)),
      ]),
    EntityDescription(
      name: "Player",
      properties: [
        .relationship(RelationshipDescription(name: "team", destinationEntityName: "Team", inverseName: "players"))
      ]),
    EntityDescription(
      name: "Sponsor",
      properties: [
        .relationship(
          RelationshipDescription(
            name: "teams", destinationEntityName: "Team", inverseName: "sponsors", isOptional: false, minimumCount: 1,
            maximumCount: 2))
      ]),
  ])

  @Test(
    "A value that breaks a rule of its attribute is refused with its place, the rule and not the value",
    arguments: [
      (#""count":0"#, "attribute “count” of entity “Thing” is less than 1"),
      (#""count":9223372036854775807"#, "“count” of entity “Thing” is more than 9223372036854775806"),
      (#""ratio":-0.51"#, "is less than -0.5"), (#""ratio":"Infinity""#, "is more than 0.5"),
      (#""price":"0.009999999999999999999999999""#, "is less than 0.01"), (#""price":"100.01""#, "is more than 100"),
      (#""moment":"2000-12-31T23:59:59Z""#, "is less than 2001-01-01T00:00:00Z"),
      (#""moment":86400.5"#, "is more than 2001-01-02T00:00:00Z"),
      (#""name":"é""#, "has fewer than 2 characters"), (#""name":"😀😀""#, "has more than 3 characters"),
      (#""code":"ab1""#, "“code” of entity “Thing” does not match “[a-z]+|[0-9]”"),
      (#""broken":"x""#, "has to match “[”, which is no pattern"),
      (#""place":{"x":1.5}"#, "attribute “place.x” of entity “Thing” is more than 1.0"),
    ])
  func refused(_ property: String, _ problem: String) throws {
    let world = try ImportExportWorld(Self.model)
    let line = #"{"$entity":"Thing","# + property + "}"
    let error = try #require(try world.refusal(#"{"$entity":"Thing","count":5}"# + "\n" + line))
    #expect(error.problem.contains(problem), "\(error)")
    #expect(error.remedy == "correct the value, or import with --lenient")
    #expect(error.line == 2)
    #expect(error.column ?? 0 > 20)
    try world.take(line) { $0.isLenient = true }
  }

  @Test(
    "Values at the bounds are taken, and so is no value",
    arguments: [
      #""count":1"#, #""count":null"#, #""ratio":0.5"#, #""price":"0.01""#, #""moment":"2001-01-02T00:00:00Z""#,
      #""name":"ab""#, #""name":"😀a""#, #""code":"7""#, #""place":{"x":0}"#,
    ])
  func taken(_ property: String) throws {
    let world = try ImportExportWorld(Self.model)
    #expect(try world.take(#"{"$entity":"Thing","# + property + "}").inserted == 1)
  }

  @Test("An enumeration has one case")
  func cases() throws {
    func element(_ name: String) -> AttributeDescription {
      AttributeDescription(name: name, type: .string, isOptional: true)
    }
    let color = AttributeDescription(
      name: "color", type: .composite, isOptional: true, compositeName: "Color",
      elements: [element("red"), element("green")],
      userInfo: ["EnumType": .boolean(true), "enum": .array([.string("red"), .string("green")])])
    let world = try ImportExportWorld(
      ModelDescription(entities: [EntityDescription(name: "Lamp", properties: [.attribute(color)])]))
    #expect(try world.take(#"{"$entity":"Lamp","color":{"green":"green"}}"#).inserted == 1)
    let line = #"{"$entity":"Lamp","color":{"red":"red","green":"green"}}"#
    let error = try #require(try world.refusal(line))
    #expect(error.problem == "attribute “color” of entity “Lamp” is two cases at once, “red” and “green”")
    #expect(error.remedy == "keep the one that is meant, or import with --lenient")
    try world.take(line) { $0.isLenient = true }
  }

  @Test("Predicates of a model are named as not evaluated, and keep no object out") func predicates() throws {
    let model = ModelDescription(entities: [
      EntityDescription(
        name: "Thing",
        properties: [
          .attribute(
            AttributeDescription(
              name: "name", type: .string, isOptional: true,
              validationRules: [.init(predicate: "SELF BEGINSWITH \"x\"", message: nil)]))
        ]),
      EntityDescription(name: "Part", superentityName: "Thing"),
    ])
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: model)
    let lines = folder.folder.appendingPathComponent("lines")
    try Data(#"{"$entity":"Part","name":"y"}"#.utf8).write(to: lines)
    let objects = ObjectImport(lines, into: store)
    #expect(
      objects.rulesNotEvaluated == [
        "attribute “name” of entity “Thing” has a rule that is not evaluated: SELF BEGINSWITH \"x\""
      ])
    #expect(try objects.run().inserted == 1)
    var options = ObjectImport.Options()
    options.isLenient = true
    #expect(ObjectImport(lines, into: store, options: options).rulesNotEvaluated == [])
  }

  @Test("A default value has to keep the rules, too, and so do changes") func defaultsAndChanges() throws {
    let world = try ImportExportWorld(Self.model)
    let error = try #require(try world.refusal(#"{"$entity":"Preset"}"#))
    #expect(error.problem == "attribute “level” of entity “Preset” is less than 1")
    try world.take(#"{"$entity":"Preset","level":2}"#)
    #expect(try world.refusal(#"{"$entity":"Preset","$id":"Preset/p1","level":0}"#) { $0.updates = true } != nil)
  }

  private static let teams = """
    {"$entity":"Team","$id":"Team/p1"}
    {"$entity":"Team","$id":"Team/p2","players":["Player/p3","Player/p4"]}
    {"$entity":"Player","$id":"Player/p1","team":"Team/p1"}
    {"$entity":"Player","$id":"Player/p2","team":"Team/p1"}
    {"$entity":"Player","$id":"Player/p3"}
    {"$entity":"Player","$id":"Player/p4"}
    {"$entity":"Sponsor","$id":"Sponsor/p1","teams":["Team/p1"]}
    """

  @Test(
    "Relationships are counted when all is written, whichever side and whichever line has changed them",
    arguments: [
      (#"{"$entity":"Sponsor"}"#, 1, "“teams” of an object of entity “Sponsor” has 0 objects; at least 1 are required"),
      (#"{"$entity":"Team","players":["Player/p1"]}"#, 1, "has 1 objects; at least 2 are required"),
      ("{\"$entity\":\"Team\",\"$id\":\"t\"}\n{\"$entity\":\"Player\",\"team\":\"t\"}", 1, "has 1 objects; at least 2"),
      ("{\"$entity\":\"Player\",\"team\":\"Team/p1\"}\n\n{\"$entity\":\"Player\",\"team\":\"Team/p1\"}", 1, "has 4"),
      (#"{"$entity":"Player","$id":"Player/p1","team":null}"#, 1, "has 1 objects; at least 2 are required"),
      (#"{"$entity":"Player","$id":"Player/p1","team":"Team/p2"}"#, 1, "has 1 objects; at least 2 are required"),
      (#"{"$entity":"Team","$id":"Team/p2","players":["Player/p2","Player/p3","Player/p4"]}"#, 1, "has 1 objects"),
      (#"{"$entity":"Team","$id":"Team/p1","sponsors":[]}"#, 1, "“Sponsor” has 0 objects; at least 1 are required"),
      (
        "{\"$entity\":\"Player\"}\n{\"$entity\":\"Sponsor\",\"teams\":[\"Team/p1\",\"Team/p2\",\"t\"]}\n"
          + "{\"$entity\":\"Team\",\"$id\":\"t\"}", 2, "has 3 objects; at most 2 are allowed"
      ),
    ])
  func counts(_ lines: String, _ line: Int, _ problem: String) throws {
    let world = try ImportExportWorld(Self.model)
    try world.take(Self.teams) { $0.keepsKeys = true }
    let error = try #require(try world.refusal(lines) { $0.updates = true })
    #expect(error.problem.contains(problem), "\(error)")
    #expect(error.line == line)
    try world.take(lines) {
      $0.updates = true
      $0.isLenient = true
    }
  }

  @Test("Counts that are right in the end are taken, and none of an optional relationship is right") func balanced()
    throws
  {
    let world = try ImportExportWorld(Self.model)
    try world.take(Self.teams) { $0.keepsKeys = true }
    // Both players leave, and with them the team's lower bound; then two change places.
    try world.take(#"{"$entity":"Team","$id":"Team/p1","players":[]}"#) { $0.updates = true }
    try world.take(#"{"$entity":"Team","$id":"Team/p1","players":["Player/p1","Player/p2"]}"#) { $0.updates = true }
    try world.take(
      #"{"$entity":"Player","$id":"Player/p1","team":"Team/p2"}"# + "\n"
        + #"{"$entity":"Player","$id":"Player/p3","team":"Team/p1"}"#
    ) { $0.updates = true }
    #expect(
      try world.ask("SELECT team, count(*) FROM Player GROUP BY team ORDER BY team") == [
        [.integer(1), .integer(2)], [.integer(2), .integer(2)],
      ])
  }
}
