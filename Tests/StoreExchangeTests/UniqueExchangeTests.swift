import CoreDataStore
import Foundation
import ManagedModel
import StoreInspection
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import StoreExchange

/// Lines that give one another's unique values to their objects: relationships and fields of composite attributes.
@Suite struct UniqueExchangeTests {
  private static func model(unique: [String]) -> ModelDescription {
    func to(_ name: String, _ entity: String, _ inverse: String?, many: Bool = false) -> PropertyDescription {
      .relationship(
        RelationshipDescription(
          name: name, destinationEntityName: entity, inverseName: inverse, isOptional: true, maximumCount: many ? 0 : 1)
      )
    }
    let place = AttributeDescription(
      name: "place", type: .composite, isOptional: true, compositeName: "Place",
      elements: [
        AttributeDescription(name: "row", type: .integer64, isOptional: true),
        AttributeDescription(name: "seat", type: .integer64, isOptional: true),
      ])
    return ModelDescription(entities: [
      EntityDescription(
        name: "Book",
        properties: [
          .attribute(place), to("shelf", "Shelf", "books"), to("plain", "Shelf", nil), to("cover", "Cover", "book"),
        ], uniquenessConstraints: [unique]),
      EntityDescription(name: "Cover", properties: [to("book", "Book", "cover")]),
      EntityDescription(name: "Shelf", properties: [to("books", "Book", "shelf", many: true)]),
    ])
  }

  /// Book n has everything of number n.
  private static func world(_ count: Int, unique: [String]) throws -> ImportExportWorld {
    let world = try ImportExportWorld(model(unique: unique))
    let others = (1...count).flatMap {
      [#"{"$entity":"Shelf","$id":"s\#($0)"}"#, #"{"$entity":"Cover","$id":"c\#($0)"}"#]
    }
    let books = (1...count).map {
      #"{"$entity":"Book","$id":"b\#($0)","shelf":"s\#($0)","plain":"s\#($0)","cover":"c\#($0)","place":{"row":1,"seat":\#($0)}}"#
    }
    try world.take((others + books).joined(separator: "\n"))
    return world
  }

  private struct Case: Sendable {
    let unique: [String]
    let column: String
    let line: @Sendable (_ number: Int, _ other: Int) -> String
  }

  private static let cases = [
    Case(unique: ["plain"], column: "ZPLAIN") { #"{"$entity":"Book","$id":"Book/p\#($0)","plain":"Shelf/p\#($1)"}"# },
    Case(unique: ["shelf"], column: "ZSHELF") { #"{"$entity":"Book","$id":"Book/p\#($0)","shelf":"Shelf/p\#($1)"}"# },
    Case(unique: ["shelf"], column: "ZSHELF") {
      #"{"$entity":"Shelf","$id":"Shelf/p\#($1)","books":["Book/p\#($0)"]}"#
    },
    Case(unique: ["cover"], column: "ZCOVER") { #"{"$entity":"Cover","$id":"Cover/p\#($1)","book":"Book/p\#($0)"}"# },
    Case(unique: ["place.row", "place.seat"], column: "ZSEAT") {
      #"{"$entity":"Book","$id":"Book/p\#($0)","place":{"row":1,"seat":\#($1)}}"#
    },
  ]

  /// Books are exchanged in one part of the import, and in several: of every second case only, but in the full run.
  private static let counts = cases.indices.flatMap { index in
    FullTests.areWanted || index.isMultiple(of: 2) ? [(index, 2), (index, 1200)] : [(index, 2)]
  }

  @Test("Books exchange unique relationships and fields, in one part of the import or in several", arguments: counts)
  func exchange(_ index: Int, _ count: Int) throws {
    let (test, half) = (Self.cases[index], count / 2)
    let world = try Self.world(count, unique: test.unique)
    // Of each two books one comes in the first half of the lines, the other in the second.
    let lines = (1...half).map { test.line($0, $0 + half) } + (1...half).map { test.line($0 + half, $0) }
    try world.take(lines.joined(separator: "\n")) { $0.updates = true }
    let rows = try PlainSQL.rows(world.folder.url, "SELECT Z_OPT, \(test.column) FROM ZBOOK ORDER BY Z_PK")
    #expect(rows == (1...count).map { [.integer(2), .integer(Int64($0 > half ? $0 - half : $0 + half))] })
    // Each object on either side has changed once, and only what exchanges.
    let kinds = Set(
      try PlainSQL.rows(
        world.folder.url,
        "SELECT ZENTITY, hex(ZCOLUMNS), count(*) FROM ACHANGE WHERE ZTRANSACTIONID = 2 GROUP BY ZENTITY, hex(ZCOLUMNS)"
      ).map { $0[2] })
    #expect(kinds == [.integer(Int64(count))])
    #expect(try StoreChecker.check(world.folder.url).isEmpty)
  }

  @Test(
    "Lines exchange members and partners of objects, which need not be unique",
    arguments: [
      (
        "ZSHELF", #"{"$entity":"Shelf","$id":"Shelf/p1","books":["Book/p2"]}"#,
        #"{"$entity":"Shelf","$id":"Shelf/p2","books":["Book/p1"]}"#
      ),
      (
        "ZCOVER", #"{"$entity":"Cover","$id":"Cover/p1","book":"Book/p2"}"#,
        #"{"$entity":"Cover","$id":"Cover/p2","book":"Book/p1"}"#
      ),
    ])
  func members(_ column: String, _ first: String, _ second: String) throws {
    for lines in [[first, second], [second, first]] {
      let world = try Self.world(2, unique: ["plain"])
      try world.take(lines.joined(separator: "\n")) { $0.updates = true }
      #expect(
        try PlainSQL.rows(world.folder.url, "SELECT Z_OPT, \(column) FROM ZBOOK ORDER BY Z_PK")
          == [[.integer(2), .integer(2)], [.integer(2), .integer(1)]])
      #expect(try StoreChecker.check(world.folder.url).isEmpty)
    }
  }

  @Test("A line changes the object that has its unique enumeration, or its unique element of a composite")
  func found() throws {
    func attribute(_ name: String, _ type: AttributeType) -> AttributeDescription {
      AttributeDescription(name: name, type: type, isOptional: true)
    }
    let suit = AttributeDescription(
      name: "suit", type: .composite, isOptional: true, compositeName: "Suit", elements: [attribute("suit", .string)],
      userInfo: ["EnumType": .boolean(true)])
    let place = AttributeDescription(
      name: "place", type: .composite, isOptional: true, compositeName: "Place",
      elements: [attribute("row", .integer64), attribute("seat", .integer64)])
    let world = try ImportExportWorld(
      ModelDescription(entities: [
        EntityDescription(
          name: "Card", properties: [.attribute(suit), .attribute(place), .attribute(attribute("points", .integer64))],
          uniquenessConstraints: [["suit"], ["place.seat"]])
      ]))
    try world.take(
      """
      {"$entity":"Card","suit":{"suit":"hearts"},"place":{"row":1,"seat":1},"points":1}
      {"$entity":"Card","suit":{"suit":"spades"},"place":{"row":1,"seat":2},"points":2}
      """)
    let summary = try world.take(
      """
      {"$entity":"Card","suit":{"suit":"hearts"},"points":10}
      {"$entity":"Card","place":{"row":3,"seat":2},"points":20}
      {"$entity":"Card","suit":{"suit":"clubs"},"place":{"row":1,"seat":3},"points":30}
      """
    ) { $0.updates = true }
    #expect(summary.inserted == 1 && summary.updated == 2)
    #expect(
      try PlainSQL.rows(world.folder.url, "SELECT ZSUIT, ZROW, ZSEAT, ZPOINTS FROM ZCARD ORDER BY Z_PK") == [
        [.text("hearts"), .integer(1), .integer(1), .integer(10)],
        [.text("spades"), .integer(3), .integer(2), .integer(20)],
        [.text("clubs"), .integer(1), .integer(3), .integer(30)],
      ])
    #expect(try StoreChecker.check(world.folder.url).isEmpty)
  }

  @Test("A unique relationship that two lines give to different books is refused, and nothing is written")
  func clash() throws {
    let world = try Self.world(1200, unique: ["plain"])
    let before = try world.dump()
    let lines = (1...1200).map {
      #"{"$entity":"Book","$id":"Book/p\#($0)","plain":"Shelf/p\#($0 == 1200 ? 2 : $0 % 1200 + 1)"}"#
    }
    let error = #expect(throws: SaveError.self) { try world.take(lines.joined(separator: "\n")) { $0.updates = true } }
    guard case .notUnique? = error else { return #expect(error == nil) }
    #expect(try world.dump() == before)
  }
}
