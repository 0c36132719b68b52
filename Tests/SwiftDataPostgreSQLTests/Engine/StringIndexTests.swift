import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

@Suite("Indexes of strings", TestServer.condition)
struct StringIndexTests {
  private static func index(_ names: String...) -> FetchIndexDescription {
    FetchIndexDescription(
      name: names.joined(separator: "_"), elements: names.map { .init(subject: .property($0)) })
  }

  private static let item = EntityDescription(
    name: "Item",
    properties: [
      .attribute("name", .string), .attribute("code", .string, isOptional: false), .attribute("group", .integer64),
      .attribute("title", .string), .attribute("page", .uri),
    ], uniquenessConstraints: [["code"]],
    fetchIndexes: [index("name"), index("code"), index("group", "title"), index("page")])

  private static let words = [
    "Kiel", "\u{212A}iel", "caf\u{E9}", "cafe\u{301}", "cafe", "zo\u{EB}", "\u{1E9B}\u{323}", "",
  ]

  private func store(_ numbers: [Int] = Array(0..<3000)) throws -> EngineStore {
    let store = try EngineStore([Self.item])
    try store.insert(
      "Item",
      numbers.map { number in
        let word = Self.words[number % Self.words.count]
        return [
          "name": number % 10 == 9 ? .null : .text("\(word)\(number * 7919 % 3001)"), "code": .text("c\(number)"),
          "group": .integer(Int64(number % 100)), "title": .text("\(word)\(number)"),
          "page": .text("https://example.org/\(number)"),
        ]
      })
    try store.connect().execute("ANALYZE \(store.schema).item")
    return store
  }

  private func attribute(_ name: String) -> FetchExpression { .attribute(FetchPath(), name: name, element: []) }

  /// Checks that the server carries out a request with an index, not by reading all rows.
  private func check(
    _ request: FetchRequest, uses index: String, _ store: EngineStore, location: SourceLocation = #_sourceLocation
  ) throws {
    let statement = try SelectStatement(.rows, request, in: store.store.layout)
    let connection = try store.connect()
    // A statement that was prepared for any constants has to use it, too.
    try connection.execute("SET plan_cache_mode = force_generic_plan")
    let plan = try connection.column("EXPLAIN \(statement.sql)", statement.parameters).joined(separator: "\n")
    #expect(plan.contains("item_\(index)_idx") && !plan.contains("Seq Scan"), "\(plan)", sourceLocation: location)
  }

  private func keys(_ request: FetchRequest, _ store: EngineStore) throws -> [Int64] {
    let rows = try store.store.fetch(request)
    var keys: [Int64] = []
    while try rows.next() { keys.append(rows.key) }
    return keys
  }

  @Test("A sort by strings takes its order from an index")
  func sorts() throws {
    let store = try store()
    for (name, isAscending) in ["name", "code", "page"].flatMap({ [($0, true), ($0, false)] }) {
      var request = FetchRequest(
        entityName: "Item", sortTerms: [SortTerm(expression: attribute(name), isAscending: isAscending)], limit: 50)
      try check(request, uses: name, store)
      let first = try keys(request, store)
      request.limit = nil
      #expect(try Array(keys(request, store).prefix(50)) == first, "\(name), \(isAscending)")
    }
  }

  @Test("A sort by two properties takes its order from their index")
  func twoProperties() throws {
    let store = try store()
    let request = FetchRequest(
      entityName: "Item",
      predicate: .comparison(.equal, attribute("group"), .constant(.integer(41))),
      sortTerms: [SortTerm(expression: attribute("title"))], limit: 5)
    try check(request, uses: "group_title", store)
  }

  @Test("Comparisons of strings with constants use the index, in any normal form")
  func comparisons() throws {
    let store = try store()
    let constants = ["cafe\u{301}17", "caf\u{E9}17", "Kiel0", "\u{212A}iel0", "cafe17"]
    for text in constants {
      for test: FetchExpression in [
        .comparison(.equal, attribute("name"), .constant(.text(text))),
        .membership(attribute("name"), [.text(text), .text("Kiel8"), .text("none")]),
        .string(.starts, [attribute("name"), .constant(.text(text))]),
        .and([
          .comparison(.greaterOrEqual, attribute("name"), .constant(.text(text))),
          .comparison(.less, attribute("name"), .constant(.text(text + "0"))),
        ]),
        .comparison(
          .equal, .string(.starts, [attribute("name"), .constant(.text(text))]), .constant(.integer(1))),
      ] {
        try check(FetchRequest(entityName: "Item", predicate: test), uses: "name", store)
      }
    }
    // Two spellings of one text select the same rows, of both spellings.
    func rows(_ text: String) throws -> [Int64] {
      try keys(
        FetchRequest(
          entityName: "Item", predicate: .string(.starts, [attribute("name"), .constant(.text(text))])), store)
    }
    #expect(try rows("caf\u{E9}") == rows("cafe\u{301}") && rows("caf\u{E9}").count > 600)
    #expect(try rows("\u{212A}ie") == rows("Kie") && rows("Kie").count > 600)
  }

  @Test("Uniqueness finds equal strings, and an index beside it sorts them")
  func uniqueStrings() throws {
    let store = try store()
    let statement = try SelectStatement(
      .rows,
      FetchRequest(
        entityName: "Item", predicate: .comparison(.equal, attribute("code"), .constant(.text("c17")))),
      in: store.store.layout)
    #expect(!statement.sql.contains("normalize"))
    #expect(store.store.layout.tables[0].indexes.map(\.name.name).contains("item_code_idx"))
  }

  /// Whether the store's index of names has them in composed form.
  private func isComposed(_ store: EngineStore, _ name: String) throws -> Bool {
    let found = try store.connect().run(
      "SELECT pg_get_indexdef(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        + "WHERE n.nspname = $1 AND c.relname = $2", [.text(store.schema), .text(name)])
    return found.rowCount == 1 && found.text(0, 0)?.lowercased().contains("normalize") == true
  }

  @Test("A store of an earlier version gets its indexes of strings when it is opened for writing")
  func earlierStore() throws {
    let store = try store()
    try store.connect().execute(
      """
      DROP INDEX \(store.schema).item_name_idx; CREATE INDEX item_name_idx ON \(store.schema).item (name NULLS FIRST);
      DROP INDEX \(store.schema).item_code_idx
      """)
    #expect(try !isComposed(store, "item_name_idx"))
    let again = try EngineStore([Self.item], schema: store.schema)
    for name in ["item_name_idx", "item_code_idx"] { #expect(try isComposed(again, name), "\(name)") }
    let connection = try store.connect()
    func number(_ sql: String) throws -> Int64 { try connection.run(sql).integer(0, 0) }
    #expect(try number("SELECT cardinality(pending)::bigint FROM \(store.schema)._store") == 0)
    #expect(
      try number("SELECT count(*) FROM pg_indexes WHERE schemaname = '\(store.schema)' AND indexname LIKE '\\_new%'")
        == 0)
    // A further opening changes nothing.
    func indexes() throws -> Int64 {
      try number(
        "SELECT sum(indexrelid::bigint)::bigint FROM pg_index WHERE indrelid = '\(store.schema).item'::regclass")
    }
    let before = try indexes()
    _ = try EngineStore([Self.item], schema: store.schema)
    #expect(try indexes() == before)
  }

  @Test("An index of strings that a killed program has left unfinished is made by the next one")
  func unfinished() throws {
    let store = try store()
    // The program was killed after it had dropped the old index, and before it renamed the new one.
    try store.connect().execute(
      """
      ALTER INDEX \(store.schema).item_name_idx RENAME TO _new_item_name_idx;
      UPDATE \(store.schema)._store SET pending = '{item_name_idx}'
      """)
    let again = try EngineStore([Self.item], schema: store.schema)
    #expect(try isComposed(again, "item_name_idx"))
    #expect(try !isComposed(again, "_new_item_name_idx"))
  }

  @Test("A migration makes an index anew if addresses become strings")
  func otherForm() throws {
    func layout(_ type: AttributeType) throws -> StoreLayout {
      let entity = EntityDescription(
        name: "Item", properties: [.attribute("name", type)], fetchIndexes: [Self.index("name")])
      return try LayoutBuilder.layout(ModelDescription(entities: [entity]), schema: "s", rule: .snakeCase)
    }
    let script = try MigrationPlanner(from: layout(.uri), to: layout(.string)).script(removesEntities: false)
    #expect(script.pending.map(\.name.name) == ["item_name_idx"])
    let same = try MigrationPlanner(from: layout(.string), to: layout(.string)).script(removesEntities: false)
    #expect(same.pending.isEmpty)
  }

  private static let letters = [
    "a", "E", "\u{E9}", "e\u{301}", "stra\u{DF}e", "\u{1E9E}", "ss", "S", "\u{17F}", "\u{130}", "i", "I", "\u{131}",
    "\u{3C3}",
    "\u{3C2}", "\u{3A3}", "\u{3B1}\u{345}", "\u{1FB3}", "\u{3B9}", "\u{FB01}", "fi", "\u{149}", "n", "\u{212A}", "k",
    "\u{439}",
    "\u{418}\u{306}", "\u{D55C}", "\u{D558}\u{11AB}", "\u{304C}", "\u{304B}", "\u{3099}", "\u{5D0}\u{5B8}",
    "\u{915}\u{93F}",
    "\u{200D}", "\u{AD}", "\u{301}", "\u{323}", "\u{1F468}", "\u{10400}", " ", "-", "\u{F8}", "\u{B5}", "\u{3BC}",
  ]

  @Test("What a search or a test of parts selects for memory has each row that memory takes, and few others")
  func implied() throws {
    var random = SplitMix(seed: 20_261_125)
    func text(_ count: Int) -> String {
      (0..<count).map { _ in Self.letters[random.below(Self.letters.count)] }.joined()
    }
    let texts = (0..<400).map { _ in text(random.below(6)) }
    let store = try store([])
    try store.insert("Item", texts.enumerated().map { ["name": .text($1), "code": .text("\($0)")] })
    let first = try #require(try keys(FetchRequest(entityName: "Item"), store).first)
    var (selected, wanted) = (0, 0)
    for _ in 0..<150 {
      let part = text(1 + random.below(2))
      let tests: [(StringFunction, (String) -> Bool)] = [
        (.contains, { StringFunctions.contains($0, part) }), (.starts, { StringFunctions.starts($0, with: part) }),
        (.ends, { StringFunctions.ends($0, with: part) }),
        (.localizedStandardContains, { StringFunctions.localizedStandardContains($0, part) }),
      ]
      for (function, isWanted) in tests {
        let request = FetchRequest(
          entityName: "Item", predicate: .string(function, [attribute("name"), .constant(.text(part))]))
        let rows = Set(try keys(request, store).map { Int($0 - first) })
        let expected = Set(texts.indices.filter { isWanted(texts[$0]) })
        let missing = expected.subtracting(rows).map { texts[$0] }
        #expect(missing.isEmpty, "\(function) \(part.unicodeScalars): \(missing.map(\.unicodeScalars))")
        selected += rows.count
        wanted += expected.count
      }
    }
    // Without the implied conditions each statement would select almost all rows.
    #expect(wanted > 2000 && selected < 150 * 4 * 400 / 4, "\(selected) for \(wanted)")
  }
}
