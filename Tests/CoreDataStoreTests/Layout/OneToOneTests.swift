import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// A one-to-one relationship is read from either side: real stores have some with one side only (CD-3.1).
@Suite(.damagesStores("sides of a relationship that disagree")) struct OneToOneTests {
  private typealias World = FetchTestWorld

  /// A passport may be a diplomat's, so that the keys that lead to persons have an entity column beside them.
  private static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Person",
      properties: [
        World.attribute("name", .string), World.toOne("passport", "Passport", inverse: "owner"),
        World.toOne("spouse", "Person", inverse: "spouse"),
      ]),
    EntityDescription(name: "Diplomat", superentityName: "Person", properties: []),
    EntityDescription(
      name: "Passport",
      properties: [World.attribute("number", .integer64), World.toOne("owner", "Person", inverse: "passport")]),
  ])

  private let folder: TemporaryStore
  private let store: PersistentStore

  init() throws {
    folder = try TemporaryStore()
    store = try PersistentStore.open(at: folder.url, model: Self.model)
    var changes = ChangeSet()
    let kinds = ["Person", "Diplomat", "Person", "Passport", "Passport", "Passport"]
    changes.insertions = try kinds.enumerated().map { index, kind in
      let number = Int32(try store.layout.existingEntity(kind).number)
      let value: (String, StoreValue) =
        kind == "Passport" ? ("number", .integer(Int64(index - 2))) : ("name", .text("\(index + 1)"))
      return .init(
        entity: number, columns: [ColumnSelection(entityName: kind, propertyName: value.0)],
        source: StoreValuesRow([value.0: .values([value.1])]))
    }
    _ = try store.save(changes)
  }

  /// Edits the file behind the store's back.
  private func edit(_ sql: String) throws {
    try Connection(path: folder.url.path, mode: .readWrite).execute(sql)
  }

  private func object(_ name: String, _ key: Int64) throws -> ObjectKey {
    ObjectKey(entity: Int32(try store.layout.existingEntity(name).number), key: key)
  }

  /// Key and entity of where a relationship leads from each row, by key.
  private func leads(_ entity: String, _ name: String) throws -> [[StoreValue]] {
    try store.rows(of: entity, properties: [name]).map { Array($0.dropFirst(3)) }
  }

  private func keys(_ entity: String, _ predicate: FetchExpression) throws -> [Int64] {
    try store.keys(FetchRequest(entityName: entity, predicate: predicate)).map(\.key).sorted()
  }

  private func path(_ names: String...) -> FetchPath { FetchPath(relationships: names) }

  @Test("CD-3.1 A key at the other end leads from the row that has none, with the entity")
  func readFromEitherSide() throws {
    let diplomat = try store.layout.existingEntity("Diplomat").number
    let passport = Int64(try store.layout.existingEntity("Passport").number)
    // One with this side only, one with that, and one with neither.
    try edit(
      "UPDATE ZPERSON SET ZPASSPORT = 1 WHERE Z_PK = 2; "
        + "UPDATE ZPASSPORT SET ZOWNER = 1, Z\(store.layout.existingEntity("Person").number)_OWNER = Z_PK * 0 + "
        + "\(store.layout.existingEntity("Person").number) WHERE Z_PK = 3")
    #expect(
      try leads("Person", "passport")
        == [[.integer(3), .integer(passport)], [.integer(1), .integer(passport)], [.null, .integer(passport)]])
    #expect(
      try leads("Passport", "owner") == [
        [.integer(2), .integer(Int64(diplomat))], [.null, .null],
        [.integer(1), .integer(Int64(store.layout.existingEntity("Person").number))],
      ])
  }

  @Test("CD-3.1 Predicates, paths and sorts follow a key at the other end")
  func predicatesFromEitherSide() throws {
    try edit(
      "UPDATE ZPERSON SET ZPASSPORT = 1 WHERE Z_PK = 2; UPDATE ZPASSPORT SET ZOWNER = 1 WHERE Z_PK = 3")
    let passport = FetchExpression.object(path("passport"))
    #expect(try keys("Person", .isNull(passport)) == [3])
    #expect(try keys("Person", .not(.isNull(passport))) == [1, 2])
    for (key, owner) in [1: 2, 3: 1] as [Int64: Int64] {
      let constant = FetchExpression.objectConstant(try object("Passport", key))
      #expect(try keys("Person", .comparison(.equal, passport, constant)) == [owner])
      #expect(
        try keys("Person", .comparison(.notEqual, passport, constant)) == [1, 2, 3].filter { $0 != owner })
      let number = FetchExpression.attribute(path("passport"), name: "number", element: [])
      #expect(try keys("Person", .comparison(.equal, number, .constant(.integer(key)))) == [owner])
    }
    let both = [try object("Passport", 3), try object("Passport", 1), try object("Passport", 2)]
    #expect(try keys("Person", .objectMembership(path("passport"), both)) == [1, 2])
    #expect(try keys("Passport", .isKind(path("owner"), entityName: "Diplomat")) == [1])
    // There and back again.
    #expect(
      try keys("Person", .comparison(.equal, .object(path("passport", "owner")), .object(FetchPath()))) == [1, 2])
    let sorted = FetchRequest(
      entityName: "Person",
      sortTerms: [
        SortTerm(expression: .attribute(path("passport"), name: "number", element: []), isAscending: false)
      ])
    #expect(try store.keys(sorted).map(\.key) == [1, 2, 3])
  }

  @Test("CD-3.1 A relationship that is its own inverse is read from either side")
  func selfInverse() throws {
    let person = try store.layout.existingEntity("Person").number
    try edit("UPDATE ZPERSON SET ZSPOUSE = 3, Z\(person)_SPOUSE = \(person) WHERE Z_PK = 2")
    let diplomat = Int64(try store.layout.existingEntity("Diplomat").number)
    #expect(
      try leads("Person", "spouse")
        == [[.null, .null], [.integer(3), .integer(Int64(person))], [.integer(2), .integer(diplomat)]])
    let second = FetchExpression.objectConstant(try object("Diplomat", 2))
    #expect(try keys("Person", .comparison(.equal, .object(path("spouse")), second)) == [3])
  }

  @Test("CD-3.1 Where the sides disagree, a row's own key counts; where several lead back, the first row")
  func disagreement() throws {
    try edit(
      "UPDATE ZPASSPORT SET ZOWNER = 1; UPDATE ZPERSON SET ZPASSPORT = 2 WHERE Z_PK = 3")
    #expect(try leads("Person", "passport").map { $0[0] } == [.integer(1), .null, .integer(2)])
    #expect(try leads("Passport", "owner").map { $0[0] } == [.integer(1), .integer(1), .integer(1)])
    let passport = FetchExpression.object(path("passport"))
    for (key, owners) in [1: [1], 2: [3], 3: []] as [Int64: [Int64]] {
      let constant = FetchExpression.objectConstant(try object("Passport", key))
      #expect(try keys("Person", .comparison(.equal, passport, constant)) == owners)
    }
  }

  @Test("A known object of a one-to-one is sought by the indexes of both sides")
  func indexes() throws {
    let request = FetchRequest(
      entityName: "Person",
      predicate: .comparison(.equal, .object(path("passport")), .objectConstant(try object("Passport", 3))))
    let select = try SelectStatement(request, in: store.layout)
    let connection = try Connection(path: folder.url.path, mode: .readOnly)
    let steps = try PlainSQL.plan(connection, select.sql)
    #expect(steps.contains { $0.contains("MULTI-INDEX OR") }, "\(steps)")
    #expect(!steps.contains { $0.hasPrefix("SCAN") }, "\(steps)")
  }
}
