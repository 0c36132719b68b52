import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

@Suite("Orders by a language's rules", TestServer.condition)
struct LanguageOrderTests {
  private static let item = EntityDescription(
    name: "Item", properties: [.attribute("name", .string), .attribute("size", .integer64)])
  private static let columns = ["name", "size"].map { ColumnSelection(entityName: "Item", propertyName: $0) }

  private let store: EngineStore

  init() throws {
    store = try EngineStore([Self.item])
    let names: [StoreValue] = ["b 10", "B 9", "\u{E4}", "a", "A", "z", "b 9", ""].map { .text($0) } + [.null]
    try store.insert(
      "Item", names.enumerated().map { ["name": $1, "size": .integer(Int64($0 % 3))] })
  }

  private func request(limit: Int? = nil, offset: Int? = nil, before: [SortTerm] = []) -> FetchRequest {
    let name = SortTerm(
      expression: .attribute(FetchPath(), name: "name", element: []), isAscending: false, collation: .localizedStandard)
    return FetchRequest(entityName: "Item", sortTerms: before + [name], limit: limit, offset: offset)
  }

  private func names(_ request: FetchRequest) throws -> [String] {
    var request = request
    request.columns = Self.columns
    let rows = try store.store.fetch(request)
    var names: [String] = []
    while try rows.next() { names.append(rows.text(0) ?? "-") }
    #expect(rows.text(0) == nil && rows.isNull(1))
    return names
  }

  @Test("Rows, keys and values have the same order and the same limits")
  func limits() throws {
    let whole = try names(request())
    #expect(whole.first == "z" && whole.suffix(2) == ["", "-"] && whole.firstIndex(of: "b 10") == 1)
    let keys = try store.store.keys(request())
    for (limit, offset) in [(3, nil), (2, 4), (nil, 7), (0, nil), (50, 8), (1, 9), (-1, nil), (Int.max, 1)]
      as [(Int?, Int?)]
    {
      let part = whole.dropFirst(offset ?? 0).prefix(limit.flatMap { $0 < 0 ? nil : $0 } ?? 50)
      let request = request(limit: limit, offset: offset)
      #expect(try names(request) == Array(part), "\(limit ?? -2) \(offset ?? 0)")
      #expect(try store.store.keys(request) == Array(keys.dropFirst(offset ?? 0).prefix(part.count)))
      #expect(try store.store.count(request) == part.count)
      let values = try store.store.values(
        ValueRequest(
          entityName: "Item", values: [.attribute(FetchPath(), name: "name", element: [])],
          sortTerms: request.sortTerms, limit: limit, offset: offset))
      var texts: [String] = []
      while try values.next() { texts.append(values.text(0) ?? "-") }
      #expect(texts == Array(part))
    }
  }

  @Test("A term before one with a language's rules decides first")
  func ranks() throws {
    let size = SortTerm(expression: .attribute(FetchPath(), name: "size", element: []), isAscending: false)
    #expect(try names(request(limit: 7, before: [size])) == ["z", "\u{E4}", "-", "B 9", "A", "", "b 10"])
  }

  @Test("A page is of one state, whatever other programs write meanwhile")
  func state() throws {
    let whole = try names(request())
    let page = try store.interrupting("= ANY") { [schema = store.schema] connection in
      try connection.execute("DELETE FROM \(Identifier(schema)).item WHERE name = 'z'")
    } _: {
      try names(request(limit: 3))
    }
    #expect(page == Array(whole.prefix(3)))
    #expect(try names(request(limit: 3)) == Array(whole[1..<4]))
  }
}
