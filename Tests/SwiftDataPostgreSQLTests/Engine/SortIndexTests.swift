import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

@Suite("Plans of the server", TestServer.condition)
struct SortIndexTests {
  private static func index(_ name: String) -> FetchIndexDescription {
    FetchIndexDescription(name: name, elements: [.init(subject: .property(name))])
  }

  private static let item = EntityDescription(
    name: "Item",
    properties: [
      .attribute("number", .integer64, isOptional: false), .attribute("moment", .date), .attribute("xmin", .double),
    ], fetchIndexes: [index("number"), index("moment")])

  private func plan(_ request: FetchRequest, _ store: EngineStore) throws -> String {
    let statement = try SelectStatement(.rows, request, in: store.store.layout)
    return try store.connect().column("EXPLAIN \(statement.sql)", statement.parameters).joined(separator: "\n")
  }

  private func request(_ name: String, _ isAscending: Bool) -> FetchRequest {
    FetchRequest(
      entityName: "Item",
      sortTerms: [
        SortTerm(expression: .attribute(FetchPath(), name: name, element: []), isAscending: isAscending)
      ], limit: 5)
  }

  @Test(
    "A sort takes its order from an index, with NULL before all values", arguments: ["number", "moment"], [true, false])
  func sorts(_ name: String, _ isAscending: Bool) throws {
    let store = try EngineStore([Self.item])
    var items: [[String: StoreValue]] = []
    for index in 0..<3000 {
      let moment: StoreValue = index % 10 == 0 ? .null : .real(Double(index * 61))
      items.append(["number": .integer(Int64(index * 7919 % 3001)), "moment": moment])
    }
    try store.insert("Item", items)
    try store.connect().execute("ANALYZE \(store.schema).item")
    let plan = try plan(request(name, isAscending), store)
    #expect(plan.contains("item_\(name)_idx") && !plan.contains("Seq Scan"), "\(plan)")
    let rows = try store.store.fetch(request(name, isAscending))
    #expect(try rows.next())
    let connection = try store.connect()
    let order = isAscending ? "ASC NULLS FIRST" : "DESC NULLS LAST"
    let first = try connection.run("SELECT _id FROM \(store.schema).item ORDER BY \(name) \(order), _id LIMIT 1")
    #expect(rows.key == first.integer(0, 0))
  }

  @Test("A migration gives an index another order if its column begins to allow NULL")
  func optionalColumn() throws {
    func layout(isOptional: Bool) throws -> StoreLayout {
      let entity = EntityDescription(
        name: "Item", properties: [.attribute("number", .integer64, isOptional: isOptional)],
        fetchIndexes: [Self.index("number")])
      return try LayoutBuilder.layout(ModelDescription(entities: [entity]), schema: "s", rule: .snakeCase)
    }
    let script = try MigrationPlanner(from: layout(isOptional: false), to: layout(isOptional: true))
      .script(removesEntities: false)
    #expect(script.pending.map(\.name.name) == ["item_number_idx"])
    let same = try MigrationPlanner(from: layout(isOptional: true), to: layout(isOptional: true))
      .script(removesEntities: false)
    #expect(same.pending.isEmpty)
  }

  @Test(
    "Properties may have the names of the server's own columns",
    arguments: ["ctid", "xmin", "cmin", "xmax", "cmax", "tableoid"])
  func systemColumns(_ name: String) throws {
    let entity = EntityDescription(
      name: "Item", properties: [.attribute(name, .integer64), .attribute("\(name)_2", .integer64)])
    let store = try EngineStore([entity])
    try store.insert("Item", [[name: .integer(1), "\(name)_2": .integer(2)]])
    let request = FetchRequest(
      entityName: "Item",
      predicate: .comparison(
        .equal, .attribute(FetchPath(), name: name, element: []), .constant(.integer(1))),
      columns: [name, "\(name)_2"].map { ColumnSelection(entityName: "Item", propertyName: $0) })
    let rows = try store.store.fetch(request)
    #expect(try rows.next())
    #expect(rows.integer(0) == 1 && rows.integer(1) == 2)
  }

  @Test("The server plans a cursor for all of its rows, and does not end it while its caller works")
  func cursors() throws {
    let store = try EngineStore([Self.item])
    let statements = try store.statements { _ = try store.store.stream(FetchRequest(entityName: "Item")) }
    let begin = try #require(statements.first { $0.hasPrefix("BEGIN") })
    #expect(begin.contains("SET LOCAL cursor_tuple_fraction = 1"))
    #expect(begin.contains("SET LOCAL idle_in_transaction_session_timeout = 0"))
    #expect(!begin.contains("statement_timeout"))
  }

  @Test(
    "A store of an earlier version gets the tables of readers and of the gap, and the index of times, when it is opened for writing"
  )
  func earlierStore() throws {
    let store = try EngineStore([Self.item])
    try store.connect().execute(
      "DROP TABLE \(store.schema)._store_readers; DROP INDEX \(store.schema)._store_transactions_committed_idx")
    try store.insert("Item", [["number": .integer(1)]])
    // Without a reader nothing is missed; a reader cannot be noted.
    try store.store.pruneHistory(before: .distantPast)
    #expect(try store.store.keepHistory(after: nil, for: "a"))
    #expect(throws: StoreProblem.self) { try store.store.keepHistory(after: 1, for: "a") }
    try store.connect().execute("DROP TABLE \(store.schema)._store_gap")
    for number in 2...4 { try store.insert("Item", [["number": .integer(Int64(number))]]) }
    #expect(throws: StoreProblem.self) { try store.store.deleteHistory(transactions: [3]) }
    #expect(try store.store.historyGap() == nil)
    try store.store.deleteHistory(transactions: [1])
    let again = try EngineStore([Self.item], schema: store.schema)
    #expect(try again.store.keepHistory(after: 1, for: "a"))
    try store.store.deleteHistory(transactions: [3])
    #expect(try again.store.historyGap() == 3)
    func number(_ sql: String) throws -> Int64 { try store.connect().run(sql).integer(0, 0) }
    #expect(
      try number(
        "SELECT count(*) FROM pg_indexes WHERE schemaname = '\(store.schema)' AND indexname = '_store_transactions_committed_idx'"
      ) == 1)
    #expect(try number("SELECT cardinality(pending)::bigint FROM \(store.schema)._store") == 0)
    #expect(try again.store.lastTransaction() == 4)
  }
}
