import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// That what makes SQL agree with Swift costs no index where an index gives the same: SQLite is asked how it goes about it.
@Suite struct QueryPlanTests {
  private let folder: TemporaryStore
  private let store: PersistentStore

  private static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Place",
      properties: [
        FetchTestWorld.attribute("name", .string), FetchTestWorld.attribute("code", .string),
        FetchTestWorld.attribute("rank", .integer64), FetchTestWorld.attribute("kind", .integer16),
        FetchTestWorld.attribute("isFavorite", .boolean), FetchTestWorld.attribute("note", .string),
        FetchTestWorld.attribute("latitude", .double), FetchTestWorld.attribute("longitude", .double),
        FetchTestWorld.attribute("visited", .date), FetchTestWorld.attribute("token", .uuid),
        FetchTestWorld.toOne("owner", "Owner", inverse: "places"),
        FetchTestWorld.toMany("tags", "Tag", inverse: "places"),
      ], uniquenessConstraints: [["code"]],
      fetchIndexes: [
        index("byName", "name"), index("byRank", "rank"), index("byKindAndRank", "kind", "rank"),
        index("byVisited", "visited", isAscending: false), index("byToken", "token"),
        FetchIndexDescription(
          name: "favorites", elements: [.init(subject: .property("note"))],
          partialIndexPredicate: "isFavorite == 1"),
        FetchIndexDescription(
          name: "byLocation",
          elements: ["latitude", "longitude"].map { .init(subject: .property($0), kind: .rTree) }),
      ]),
    EntityDescription(
      name: "Harbour", superentityName: "Place", properties: [FetchTestWorld.attribute("depth", .double)]),
    EntityDescription(
      name: "Owner",
      properties: [
        FetchTestWorld.attribute("name", .string), FetchTestWorld.toMany("places", "Place", inverse: "owner"),
      ], fetchIndexes: [index("byName", "name")]),
    EntityDescription(
      name: "Tag",
      properties: [
        FetchTestWorld.attribute("text", .string), FetchTestWorld.toMany("places", "Place", inverse: "tags"),
      ]),
  ])

  private static func index(_ name: String, _ properties: String..., isAscending: Bool = true) -> FetchIndexDescription
  {
    FetchIndexDescription(
      name: name, elements: properties.map { .init(subject: .property($0), isAscending: isAscending) })
  }

  init() throws {
    folder = try TemporaryStore()
    store = try PersistentStore.open(at: folder.url, model: Self.model)
    var changes = ChangeSet()
    for index in 0..<50 {
      let row = StoreValuesRow(values: [
        "name": .text("Place \(index)"), "code": .text("c\(index)"), "rank": .integer(Int64(index % 9)),
        "latitude": index % 7 == 0 ? .null : .real(Double(index) / 10), "longitude": .real(Double(index % 5) + 0.1),
      ])
      let number = try Int32(store.layout.existingEntity(index % 3 == 0 ? "Harbour" : "Place").number)
      changes.insertions.append(
        .init(
          entity: number,
          columns: row.contents.keys.sorted().map { ColumnSelection(entityName: "Place", propertyName: $0) },
          source: row))
    }
    _ = try store.save(changes)
  }

  private func attribute(_ name: String, _ path: [String] = []) -> FetchExpression {
    .attribute(FetchPath(relationships: path), name: name, element: [])
  }

  private func plan(_ format: String, of entity: String = "Place", by terms: [SortTerm] = [], limit: Int? = nil) throws
    -> String
  {
    try plan(
      FetchRequest(
        entityName: entity,
        predicate: format.isEmpty ? nil : FetchExpression(format: format, of: entity, in: store.entities),
        sortTerms: terms, limit: limit))
  }

  private func plan(_ request: FetchRequest) throws -> String {
    let select = try SelectStatement(request, in: store.layout)
    return try store.read { try PlainSQL.plan($0, select.sql, select.bindings).joined(separator: "\n") }
  }

  private var owner: FetchExpression { .object(FetchPath(relationships: ["owner"])) }
  private func key(_ entity: String, _ key: Int64) throws -> ObjectKey {
    ObjectKey(entity: try Int32(store.layout.existingEntity(entity).number), key: key)
  }

  @Test(
    "A predicate is searched for by the index that serves it",
    arguments: [
      ("rank == 3", "Z_Place_byRank (ZRANK=?)"), ("rank > 3", "Z_Place_byRank (ZRANK>?)"),
      ("rank BETWEEN {3, 5}", "Z_Place_byRank (ZRANK>? AND ZRANK<?)"),
      ("rank IN {1, 2, 3}", "Z_Place_byRank (ZRANK=?)"),
      ("kind == 1 AND rank > 3", "Z_Place_byKindAndRank (ZKIND=? AND ZRANK>?)"),
      ("visited >= 100", "Z_Place_byVisited (ZVISITED>?)"), ("rank == nil", "Z_Place_byRank (ZRANK=?)"),
      ("name == 'Anna'", "Z_Place_byName (ZNAME=?)"), ("name IN {'Anna', 'Émile'}", "Z_Place_byName (ZNAME=?)"),
      ("code == 'x'", "Z_Place_UNIQUE_code (ZCODE=?)"),
      ("name BEGINSWITH 'An'", "Z_Place_byName (ZNAME>? AND ZNAME<?)"),
      ("name BEGINSWITH 'É'", "Z_Place_byName (ZNAME>? AND ZNAME<?)"),
      ("name LIKE 'An*a'", "Z_Place_byName (ZNAME>? AND ZNAME<?)"),
      ("name >= '2024-01-01' AND name < '2025'", "Z_Place_byName (ZNAME>? AND ZNAME<?)"),
      ("name > ''", "Z_Place_byName (ZNAME>?)"),
      ("isFavorite == YES AND note == 'x'", "Z_Place_favorites (ZNOTE=?)"),
      ("latitude > 1 AND latitude < 2 AND longitude > 1", "Z_RT_Place_byLocation VIRTUAL TABLE INDEX"),
      ("owner.name == 'x' AND rank == 3", "Z_Place_byRank (ZRANK=?)"),
    ])
  func served(format: String, index: String) throws {
    let plan = try plan(format)
    #expect(plan.contains("USING INDEX \(index)") || plan.contains(index), "\(format): \(plan)")
    #expect(!plan.split(separator: "\n").contains("SCAN t0"), "\(format): \(plan)")
  }

  @Test("Equality with a constant text uses an index in every script")
  func scripts() throws {
    for text in ["Anna", "Karl;", "\u{C9}mile", "\u{D55C}\u{AE00}", "\u{1F680}", ""] {
      for predicate in [
        FetchExpression.comparison(.equal, attribute("name"), .constant(.text(text))),
        .membership(attribute("name"), [.text(text), .text("Bob")]),
      ] {
        let plan = try plan(FetchRequest(entityName: "Place", predicate: predicate))
        #expect(plan.contains("USING INDEX Z_Place_byName (ZNAME=?)"), "\(text): \(plan)")
      }
    }
  }

  @Test("A to-one relationship to a known object, or to one of some, uses the index of its key")
  func relationships() throws {
    let (one, two) = try (key("Owner", 1), key("Owner", 2))
    for predicate in [
      FetchExpression.comparison(.equal, owner, .objectConstant(one)),
      .objectMembership(FetchPath(relationships: ["owner"]), [one, two]),
      .or([
        .comparison(.equal, owner, .objectConstant(one)),
        .comparison(.equal, attribute("rank"), .constant(.integer(3))),
      ]),
    ] {
      let plan = try plan(FetchRequest(entityName: "Place", predicate: predicate))
      #expect(plan.contains("USING INDEX ZPLACE_ZOWNER_INDEX (ZOWNER=?)"), "\(plan)")
      #expect(!plan.contains("SCAN t0"), "\(plan)")
    }
    let absent = try plan("owner == nil")
    #expect(absent.contains("USING INTEGER PRIMARY KEY (rowid=?)"), "\(absent)")
    let known = try plan(
      FetchRequest(
        entityName: "Place",
        predicate: .comparison(.equal, .object(FetchPath()), .objectConstant(try key("Place", 7)))))
    #expect(known.contains("SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"), "\(known)")
    let many = try plan("places.@count > 2", of: "Owner")
    #expect(many.contains("USING COVERING INDEX ZPLACE_ZOWNER_INDEX (ZOWNER=?)"), "\(many)")
  }

  @Test("Owners of an object, or of objects that an index finds, are found from there")
  func owners() throws {
    let tag = try key("Tag", 1)
    let one = FetchVariable(1)
    let tagged = try plan(
      FetchRequest(
        entityName: "Place",
        predicate: .exists(
          FetchPath(), relationship: "tags", variable: one,
          condition: .comparison(.equal, .object(FetchPath(one)), .objectConstant(tag)))))
    #expect(tagged.contains("SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"), "\(tagged)")
    #expect(!tagged.contains("SCAN"), "\(tagged)")
    let coded = try plan("ANY places.code == 'x'", of: "Owner")
    #expect(coded.contains("USING INDEX Z_Place_UNIQUE_code (ZCODE=?)") && !coded.contains("SCAN"), "\(coded)")
    // What no index finds is asked of each owner's objects.
    let noted = try plan("ANY places.note == 'x'", of: "Owner")
    #expect(noted.contains("USING INDEX ZPLACE_ZOWNER_INDEX (ZOWNER=?)"), "\(noted)")
  }

  @Test("Objects of one class below others are found by the index of Z_ENT, unless another is better")
  func kinds() throws {
    #expect(try plan("", of: "Harbour").contains("USING INDEX ZPLACE_Z_ENT_INDEX (Z_ENT=?)"))
    #expect(try plan("rank == 3", of: "Harbour").contains("USING INDEX Z_Place_byRank"))
  }

  @Test("What is sorted by an index is not sorted again, and a limit ends the search")
  func sorting() throws {
    let sorted = try plan("", by: [SortTerm(expression: attribute("rank"))], limit: 3)
    #expect(sorted == "SCAN t0 USING INDEX Z_Place_byRank")
    // Only rows of equal rank are put in order of their keys.
    let descending = try plan("", by: [SortTerm(expression: attribute("rank"), isAscending: false)], limit: 3)
    #expect(descending.hasPrefix("SCAN t0 USING INDEX Z_Place_byRank"), "\(descending)")
    #expect(!descending.contains("TEMP B-TREE FOR ORDER BY"), "\(descending)")
    let found = try plan("kind == 1", by: [SortTerm(expression: attribute("rank"))])
    #expect(found == "SEARCH t0 USING INDEX Z_Place_byKindAndRank (ZKIND=?)")
    let newest = try plan("", by: [SortTerm(expression: attribute("visited"), isAscending: false)])
    #expect(newest == "SCAN t0 USING INDEX Z_Place_byVisited")
    #expect(
      try plan("rank > 3", by: [SortTerm(expression: attribute("rank"))])
        == "SEARCH t0 USING INDEX Z_Place_byRank (ZRANK>?)")
    #expect(try plan("", by: [SortTerm(expression: .object(FetchPath()))]) == "SCAN t0")
    #expect(try plan("", by: [], limit: 3) == "SCAN t0")
  }

  @Test("Texts in order are collated, since bytes may be in another: no index of bytes has Swift's order")
  func collated() throws {
    for plan in [try plan("name < 'f'"), try plan("", by: [SortTerm(expression: attribute("name"))])] {
      #expect(!plan.contains("byName"), "\(plan)")
    }
  }

  @Test("CD-4 A location index finds what its columns say, with rows that have no place among them")
  func locations() throws {
    for format in [
      "latitude >= 1.5 AND latitude <= 3 AND longitude >= 0 AND longitude < 2.2",
      "latitude >= -1 AND latitude <= 0", "latitude == 2.2", "3 > latitude AND 1 < latitude", "longitude == 0.1",
      "latitude == nil AND longitude > 1 AND longitude < 4",
    ] {
      let predicate = try FetchExpression(format: format, of: "Place", in: store.entities)
      let request = FetchRequest(entityName: "Place", predicate: predicate)
      #expect(try SelectStatement(request, in: store.layout).sql.contains("Z_RT_Place_byLocation"), "\(format)")
      // An `OR` asks the index nothing.
      let plain = FetchRequest(entityName: "Place", predicate: .or([predicate, .truth(false)]))
      #expect(try !SelectStatement(plain, in: store.layout).sql.contains("Z_RT_Place_byLocation"))
      #expect(try store.keys(request) == store.keys(plain), "\(format)")
      if format != "latitude >= -1 AND latitude <= 0" { #expect(try !store.keys(request).isEmpty, "\(format)") }
    }
  }

  @Test("The schema of a store names none of our collations and functions, so that any SQLite reads and changes it")
  func schema() throws {
    let schema = try store.read { try $0.text("SELECT group_concat(sql) FROM sqlite_schema") ?? "" }
    #expect(!schema.contains("OSD_") && !schema.isEmpty)
  }
}
