import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

@Suite("Characters of texts on the server", TestServer.condition)
struct CharacterTests {
  private static let item = EntityDescription(
    name: "Item", properties: [.attribute("name", .string), .attribute("part", .string), .attribute("page", .uri)],
    fetchIndexes: [FetchIndexDescription(name: "part", elements: [.init(subject: .property("part"))])])

  /// Scalars of all classes of which Unicode makes characters.
  private static let pieces = [
    "a", "e", "K", "\u{212A}", ";", "\u{E9}", "\u{301}", "\u{302}", "\u{323}", "\r", "\n", "\r\n", "\u{1F44D}",
    "\u{1F3FD}", "\u{200D}", "\u{2764}", "\u{FE0F}", "\u{1F468}", "\u{1F1E9}", "\u{1F1EA}", "\u{1100}", "\u{1161}",
    "\u{11A8}", "\u{AC00}", "\u{AC01}", "\u{D7B0}", "\u{915}", "\u{94D}", "\u{93F}", "\u{937}", "\u{600}", "\u{AD}",
    "\u{E33}", "\u{E01}", "\u{FFFF}", "\u{1D15E}", "\u{304B}", "\u{3099}", "\\", "&", "_", "%",
  ]

  private let store: EngineStore
  private let texts: [String]
  private let parts: [String]
  private let first: Int64
  private var random = SplitMix(seed: 20_261_126)

  init() throws {
    func text(_ count: Int, _ random: inout SplitMix) -> String {
      // Few pieces, so that parts occur in texts.
      let pieces = (0..<3).map { _ in Self.pieces[random.below(Self.pieces.count)] }
      return (0..<count).map { _ in pieces[random.below(3)] }.joined()
    }
    var texts: [String] = []
    var parts: [String] = []
    for _ in 0..<500 {
      let text = text(random.below(8), &random)
      let scalars = Array(text.unicodeScalars)
      let start = random.below(scalars.count + 1)
      let end = start + random.below(scalars.count - start + 1)
      var part = String.UnicodeScalarView()
      part.append(contentsOf: scalars[start..<end])
      texts.append(text)
      parts.append(String(part))
    }
    (self.texts, self.parts) = (texts, parts)
    let store = try EngineStore([Self.item])
    try store.insert(
      "Item",
      zip(texts, parts).map { text, part in
        let page: StoreValue = text.utf8.allSatisfy { $0 < 0x80 } ? .text(text) : .null
        return ["name": .text(text), "part": .text(part), "page": page]
      })
    self.store = store
    first = try #require(try store.store.keys(FetchRequest(entityName: "Item")).first?.key)
  }

  private func attribute(_ name: String) -> FetchExpression { .attribute(FetchPath(), name: name, element: []) }

  private func check(
    _ condition: FetchExpression, selects isWanted: (Int) -> Bool, _ location: SourceLocation = #_sourceLocation
  ) throws {
    // The server decides: otherwise this throws.
    let rows = try store.store.keys(FetchRequest(entityName: "Item", predicate: condition)).map { Int($0.key - first) }
    let wrong = Set(rows).symmetricDifference(texts.indices.filter(isWanted))
    #expect(
      wrong.isEmpty, "\(condition): \(wrong.prefix(3).map { Array("\(texts[$0]) \(parts[$0])".unicodeScalars) })",
      sourceLocation: location)
  }

  private static let tests: [(StringFunction, @Sendable (String, String) -> Bool)] = [
    (.contains, { $1.isEmpty || Array($0).contains(Array($1)) }), (.starts, { Array($0).starts(with: Array($1)) }),
    (.ends, { StringFunctions.ends($0, with: $1) }),
  ]

  @Test(
    "The server finds parts of texts character by character, in any normal form",
    arguments: [StringFunction.contains, .starts, .ends])
  func parts(_ function: StringFunction) throws {
    let test = try #require(Self.tests.first { $0.0 == function }?.1)
    for part in Set(parts).sorted().prefix(60) + Self.pieces + ["", "caf\u{E9}"] {
      let condition = FetchExpression.string(function, [attribute("name"), .constant(.text(part))])
      try check(condition) { test(texts[$0], part) }
    }
    for part in parts.prefix(10) {
      let condition = FetchExpression.string(function, [attribute("part"), .constant(.text(part))])
      try check(.not(condition)) { !test(parts[$0], part) }
      try check(.string(function, [.constant(.text(part)), attribute("part")])) { test(part, parts[$0]) }
    }
    try check(.string(function, [attribute("name"), attribute("part")])) { test(texts[$0], parts[$0]) }
    try check(.string(function, [attribute("page"), attribute("part")])) { row in
      texts[row].utf8.allSatisfy { $0 < 0x80 } && test(texts[row], parts[row])
    }
  }

  @Test("The server decides about patterns with wildcards, unless one has a character of several scalars")
  func wildcards() throws {
    var random = random
    // The characters that a pattern for the server may have, with those that equal them in another normal form.
    let plain = [
      "a", "e", "K", "\u{212A}", ";", "\u{E9}", "\n", "\u{304B}", "\\\\", "&", "_", "%", "\u{AC00}", "e\u{301}",
    ]
    let patterns = (0..<120).map { _ in
      (0..<random.below(5)).map { _ in
        random.below(2) == 0 ? ["*", "?", "\\*", "\\?"][random.below(4)] : plain[random.below(plain.count)]
      }.joined()
    }
    var found = 0
    for pattern in patterns + ["", "*", "?", "??", "???", "*\u{301}", "\u{301}*", "a\\"] {
      for name in ["name", "part"] {
        let condition = FetchExpression.string(.like, [attribute(name), .constant(.text(pattern))])
        let values = name == "name" ? texts : parts
        guard !pattern.hasPrefix("*\u{301}") else {
          #expect(!store.store.decides(condition, entityName: "Item"))
          continue
        }
        found += values.count { StringFunctions.like($0, pattern) }
        try check(condition) { StringFunctions.like(values[$0], pattern) }
        try check(.not(condition)) { !StringFunctions.like(values[$0], pattern) }
      }
    }
    #expect(found > 5_000)
    for pattern in ["\u{1100}*", "\u{FFFF}?", "*\u{1F1E9}\u{1F1EA}", "\r\n", "a\0"] {
      let condition = FetchExpression.string(.like, [attribute("name"), .constant(.text(pattern))])
      #expect(!store.store.decides(condition, entityName: "Item"), "\(pattern)")
    }
  }

  @Test("A pattern with letters before its first wildcard uses an index of the attribute")
  func wildcardIndex() throws {
    let condition = FetchExpression.string(.like, [attribute("part"), .constant(.text("caf\u{E9}*"))])
    let statements = try store.statements {
      _ = try store.store.keys(FetchRequest(entityName: "Item", predicate: condition))
    }
    #expect(statements.contains { $0.contains("NFC) COLLATE \"C\" >= $") }, "\(statements)")
    let connection = try store.connect()
    try connection.execute("SET enable_seqscan = off")
    let plan = try connection.column(
      "EXPLAIN SELECT 1 FROM \(store.schema).item WHERE normalize(part, NFC) COLLATE \"C\" >= 'caf' AND normalize(part, NFC) COLLATE \"C\" < 'cag'"
    )
    #expect(plan.contains { $0.contains("Index Cond") })
  }

  @Test("The server counts characters and UTF-16 code units as Swift does")
  func counts() throws {
    for count in 0..<9 {
      let constant = FetchExpression.constant(.integer(Int64(count)))
      try check(.comparison(.equal, .string(.count, [attribute("name")]), constant)) { texts[$0].count == count }
      try check(.comparison(.less, .string(.length, [attribute("name")]), constant)) { texts[$0].utf16.count < count }
    }
    let length = FetchExpression.groupAggregate(.maximum, of: .string(.count, [attribute("name")]), isDistinct: false)
    let longest = try store.store.values(ValueRequest(entityName: "Item", values: [length]))
    #expect(try longest.next() && longest.integer(0) == texts.map { Int64($0.count) }.max())
  }

  @Test("The server sorts by the count of characters as Swift does")
  func orders() throws {
    let term = SortTerm(expression: .string(.count, [attribute("name")]), isAscending: false)
    let rows = try store.store.keys(FetchRequest(entityName: "Item", sortTerms: [term])).map { Int($0.key - first) }
    #expect(rows.map { texts[$0].count } == texts.map(\.count).sorted(by: >))
  }
}
