import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

@Suite("Values and rows that are too large for the server", TestServer.condition)
struct LargeValueTests {
  private static let page = EntityDescription(
    name: "Page",
    properties: [.attribute("code", .string), .attribute("title", .string), .attribute("text", .string)],
    uniquenessConstraints: [["code"]],
    fetchIndexes: [FetchIndexDescription(name: "title", elements: [.init(subject: .property("title"))])])

  /// A text that the server cannot compress.
  private static func text(_ count: Int) -> StoreValue {
    var random = SplitMix(seed: 11)
    return .text(
      String((0..<count).map { _ in Character(UnicodeScalar(UInt8(33 + random.below(90)))) }))
  }

  @Test("A text too long for an index is told by entity and property, and nothing is saved", arguments: [5000, 40_000])
  func indexes(length: Int) throws {
    let store = try EngineStore([Self.page])
    for name in ["code", "title"] {
      let error = #expect(throws: StoreProblem.self) { try store.insert("Page", [[name: Self.text(length)]]) }
      let message = try #require(error).problem
      #expect(message.contains("“\(name)”") && message.contains("“Page”"), "\(message)")
      #expect(message.contains("is too long for") && message.contains("nothing was saved"), "\(message)")
      #expect(error?.remedy == "shorten it, or take the property out of its uniqueness or index")
    }
    try store.insert("Page", [["text": Self.text(length)]])
    #expect(try store.store.count(FetchRequest(entityName: "Page")) == 1)
  }

  private static func wide(_ count: Int, super name: String? = nil) -> EntityDescription {
    EntityDescription(
      name: name == nil ? "Form" : "Sheet", superentityName: name,
      properties: (0..<count).map { .attribute("\(name ?? "own")\($0)", .integer64) })
  }

  @Test("A hierarchy with more properties than a table has columns is refused with the entity, and nothing is made")
  func columns() throws {
    let schema = try TemporaryStore().databaseSchema
    let error = #expect(throws: StoreProblem.self) {
      _ = try EngineStore([Self.wide(800), Self.wide(798, super: "Form")], schema: schema)
    }
    #expect(error?.problem.contains("entity “Form” with its subentities needs a table of 1601 columns") == true)
    let connection = try #require(TestServer.shared).connect()
    #expect(try connection.run("SELECT 1 FROM pg_namespace WHERE nspname = $1::name", [.text(schema)]).rowCount == 0)
    let single = #expect(throws: StoreProblem.self) { _ = try EngineStore([Self.wide(1599)]) }
    #expect(single?.problem.contains("entity “Form” needs a table of 1601 columns") == true)
  }

  @Test("A row that is too long is told by entity, and no property is blamed")
  func rows() throws {
    var form = Self.wide(1500)
    form.properties.append(.attribute("title", .string))
    form.uniquenessConstraints = [["title"]]
    let store = try EngineStore([form])
    let values = [("title", Self.text(10))] + (0..<1500).map { ("own\($0)", StoreValue.integer(Int64($0))) }
    let error = #expect(throws: StoreProblem.self) {
      try store.insert("Form", [Dictionary(uniqueKeysWithValues: values)])
    }
    #expect(error?.problem.contains("an object of entity “Form” is too large for a row of the table “form”") == true)
    #expect(error?.problem.contains("“title”") == false, "\(String(describing: error))")
    #expect(error?.remedy == "give the class fewer properties")
  }

  @Test("A value beyond 1 GB is refused before anything is sent")
  func longest() throws {
    try ColumnForm.checkLength(1_000_000_000)
    #expect(throws: UnstorableValue.tooLong) { try ColumnForm.checkLength(1 << 30) }
    #expect(UnstorableValue.tooLong.problem.contains("1 GB"))
  }
}
