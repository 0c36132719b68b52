import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import StoreExchange

@Suite struct ComparisonTests {
  private static func lines(_ codes: [Int], title: (Int) -> String = { "t\($0)" }) -> String {
    #"{"$entity":"Shelf","$id":"s","label":"A","books":[\#(codes.map { "\"\($0)\"" }.joined(separator: ","))]}"# + "\n"
      + codes.map {
        #"{"$entity":"Book","$id":"\#($0)","title":"\#(title($0))","pages":1,"cover":"AA==","code":"00000000-0000-0000-0000-00000000\#(1000 + $0)"}"#
      }.joined(separator: "\n")
  }

  private func compare(_ first: ImportExportWorld, _ second: ImportExportWorld, by: [String] = []) throws -> (
    ComparisonSummary, [String]
  ) {
    var found: [String] = []
    let comparison = try StoreComparison(first.store, second.store, by: by)
    let summary = try comparison.run { difference in
      let names = [difference.first, difference.second].map { $0?.description ?? "-" }.joined(separator: " ")
      found.append("\(difference.kind) \(names) \(difference.changes.map(\.property).joined(separator: ","))")
    }
    return (summary, found)
  }

  @Test("Stores of different origin are matched by what is unique, whatever their keys are") func unique() throws {
    let (first, second) = (try ImportExportWorld(), try ImportExportWorld())
    try first.take(Self.lines([1, 2, 3, 4]))
    try second.take(Self.lines([4, 3, 2, 5]) { $0 == 3 ? "other" : "t\($0)" })
    let comparison = try StoreComparison(first.store, second.store)
    #expect(comparison.matchings["Book"] == .attributes(["code"]))
    #expect(comparison.matchings["Novel"] == .attributes(["code"]))
    #expect(comparison.unmatchable == ["Genre", "Shelf"])
    let (summary, found) = try compare(first, second)
    #expect(summary == ComparisonSummary(same: 2, changed: 2, onlyInFirst: 1, onlyInSecond: 1))
    #expect(
      found == [
        "onlyInFirst Book/p1 - ", "changed Book/p3 Book/p2 title", "onlyInSecond - Book/p4 ",
        "changed Shelf/p1 Shelf/p1 books",
      ])
    // By label the shelves match as well; relationships lead to objects that match.
    #expect(try compare(first, second, by: ["Shelf.label"]).1.last == "changed Shelf/p1 Shelf/p1 books")
  }

  @Test("Texts of other bytes differ, also where Swift takes them for equal")
  func normalForms() throws {
    let (first, second) = (try ImportExportWorld(), try ImportExportWorld())
    try first.take(Self.lines([1]) { _ in "caf\u{E9}" })
    try second.take(Self.lines([1]) { _ in "cafe\u{301}" })
    #expect(try compare(first, second).1 == ["changed Book/p1 Book/p1 title"])
    #expect(try compare(first, first).0.isSame)
  }

  @Test("Names of entities in another normal form are a change of the model, and none of the objects")
  func respelledNames() throws {
    func world(_ word: String) throws -> ImportExportWorld {
      let world = try ImportExportWorld(
        ModelDescription(entities: [
          EntityDescription(
            name: word,
            properties: [
              .attribute(AttributeDescription(name: "code", type: .string, isOptional: true)),
              .relationship(RelationshipDescription(name: "next", destinationEntityName: word)),
              .relationship(RelationshipDescription(name: "all", destinationEntityName: word, maximumCount: 0)),
            ])
        ]))
      try world.take(
        """
        {"$entity":"\(word)","$id":"1","code":"a","next":"2","all":["1","2"]}
        {"$entity":"\(word)","$id":"2","code":"b"}
        """)
      return world
    }
    let (first, second) = (try world("Caf\u{E9}"), try world("Cafe\u{301}"))
    for attributes in [[], ["Caf\u{E9}.code"]] {
      #expect(try compare(first, second, by: attributes).1 == [])
    }
    #expect(try StoreComparison(first.store, second.store).modelChanges.count == 1)
  }

  @Test(
    "Objects that are matched by several values are told apart, whatever characters the values have",
    arguments: [(#""a, b","y":"c""#, #""a","y":"b, c""#), (#""a","y":"""#, #""a""#)])
  func names(one: String, other: String) throws {
    func attribute(_ name: String) -> PropertyDescription {
      .attribute(AttributeDescription(name: name, type: .string, isOptional: true))
    }
    let model = ModelDescription(entities: [
      EntityDescription(
        name: "A",
        properties: [attribute("u"), .relationship(RelationshipDescription(name: "b", destinationEntityName: "B"))],
        uniquenessConstraints: [["u"]]),
      EntityDescription(name: "B", properties: [attribute("x"), attribute("y")], uniquenessConstraints: [["x", "y"]]),
    ])
    func world(_ target: String) throws -> ImportExportWorld {
      let world = try ImportExportWorld(model)
      try world.take(
        """
        {"$entity":"B","$id":"1","x":\(one)}
        {"$entity":"B","$id":"2","x":\(other)}
        {"$entity":"A","u":"k","b":"\(target)"}
        """)
      return world
    }
    let (first, second) = (try world("1"), try world("2"))
    #expect(try compare(first, second).1 == ["changed A/p1 A/p1 b"])
    #expect(try compare(first, world("1")).0.isSame)
  }

  @Test("Two states of one store are matched by key") func states() throws {
    let first = try ImportExportWorld()
    try first.take(Self.lines([1, 2]))
    first.store.close()
    let copy = try TemporaryStore()
    try FileManager.default.copyItem(at: first.folder.url, to: copy.url)
    let one = try PersistentStore.open(at: first.folder.url)
    let other = try PersistentStore.open(at: copy.url)
    #expect(try StoreComparison(one, other).run { _ in }.isSame)
    let connection = try Connection(path: copy.url.path, mode: .readWrite)
    try connection.execute("UPDATE ZBOOK SET ZTITLE = 'x' WHERE Z_PK = 2; DELETE FROM ZSHELF")
    connection.close()
    let comparison = try StoreComparison(one, other)
    #expect(comparison.matchings["Book"] == .key)
    var found: [String] = []
    let summary = try comparison.run { found.append("\($0.kind) \($0.changes.map(\.property))") }
    #expect(summary == ComparisonSummary(same: 0, changed: 2, onlyInFirst: 1))
    // The shelf's key leads nowhere in the second store, which counts as nothing.
    #expect(found == ["changed [\"shelf\"]", "changed [\"shelf\", \"title\"]", "onlyInFirst []"])
  }

  @Test("Objects with nothing to match them by are each alone; a name that is not there is refused with the nearest")
  func unmatched() throws {
    let (first, second) = (try ImportExportWorld(), try ImportExportWorld())
    let lines = Self.lines([1])
    try first.take(lines)
    try second.take(lines)
    let (summary, _) = try compare(first, second, by: ["Book.price"])
    #expect(summary.onlyInFirst == 1)
    #expect(summary.onlyInSecond == 1)
    #expect(throws: QueryError.self) { try compare(first, second, by: ["Bok.code"]) }
    #expect(throws: QueryError.self) { try compare(first, second, by: ["Book.cod"]) }
  }
}
