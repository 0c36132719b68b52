import Foundation
import ManagedModel
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

/// Functions that compare texts by rules of Foundation's: the server decides about the texts for which its own functions say the same, and
/// leaves the others to memory. The full run compares some hundred thousand pairs of texts.
@Suite("Comparisons of texts on the server", TestServer.condition)
struct ComparedTextsTests {
  private static let rowCount = FullTests.areWanted ? 3_000 : 200
  private static let constantCount = FullTests.areWanted ? 60 : 12

  /// Characters of ASCII, of common scripts, and others.
  private static let plain = (0x20..<0x7F).map { String(UnicodeScalar(UInt8($0))) } + ["\n", "\t"]
  private static let common = CommonLetters.scalars.filter { !$0.isMark }.map { String($0) }
  private static let others = ["\r", "\u{301}", "\u{212A}", "漢", "\u{1F44D}", "\u{7F}", "\u{AD}", "e\u{301}"]

  private let store: EngineStore
  private let texts: [String]
  private let parts: [String]
  private let first: Int64
  private let random: SplitMix

  /// A text and another one, which often differs in little from it.
  private static func pair(_ random: inout SplitMix) -> (String, String) {
    let alphabet: [String]
    switch random.below(8) {
    case 0, 1: alphabet = plain
    case 2, 3: alphabet = ["a", "B", "b", "A", "-", " ", "1", "*", "?", "%", "_", "\\", "\n"]
    case 4: alphabet = common
    case 5:
      alphabet = [
        "\u{E9}", "\u{C9}", "e", "E", "\u{17F}", "s", "S", "\u{3A3}", "\u{3C3}", "\u{3C2}", "\u{130}", "i", "\u{DF}",
      ]
    case 6: alphabet = others + plain
    default: alphabet = ["a", "A", "b", "B"]
    }
    func any(_ limit: Int) -> String {
      (0..<random.below(limit)).map { _ in alphabet[random.below(alphabet.count)] }.joined()
    }
    let text = any(6)
    switch random.below(3) {
    case 0: return (text, text.map { random.below(2) == 0 ? $0.uppercased() : $0.lowercased() }.joined())
    case 1: return (text + any(3), text + any(3))
    default: return (text, any(4))
    }
  }

  init() throws {
    var random = SplitMix(seed: 20_261_130)
    let pairs = (0..<Self.rowCount).map { _ in Self.pair(&random) }
    self.random = random
    (texts, parts) = (pairs.map(\.0), pairs.map(\.1))
    store = try EngineStore([
      EntityDescription(name: "Item", properties: [.attribute("name", .string), .attribute("part", .string)])
    ])
    try store.insert("Item", zip(texts, parts).map { ["name": .text($0), "part": .text($1)] } + [[:]])
    first = try #require(try store.store.keys(FetchRequest(entityName: "Item")).first?.key)
  }

  private let name = FetchExpression.attribute(FetchPath(), name: "name", element: [])
  private let part = FetchExpression.attribute(FetchPath(), name: "part", element: [])

  /// Expects that the server selects the wanted rows among those about which it decides, and leaves all others to memory.
  ///
  /// - Parameter selectsNone: whether the row without texts is wanted.
  private func check(
    _ condition: FetchExpression, selects isWanted: (Int) -> Bool, decides isDecided: (Int) -> Bool,
    selectsNone: Bool = false, _ location: SourceLocation = #_sourceLocation
  ) throws {
    var request = FetchRequest(entityName: "Item", predicate: condition)
    var found: [Set<Int>] = []
    for certainty in [Certainty.certain, .possible] {
      request.certainty = certainty
      let rows = try store.store.fetch(request)
      var selected: Set<Int> = []
      while try rows.next() { selected.insert(Int(rows.key - first)) }
      found.append(selected)
    }
    let expected = [
      Set(texts.indices.filter { isWanted($0) && isDecided($0) }),
      Set(texts.indices.filter { isWanted($0) || !isDecided($0) }),
    ]
    for (found, expected) in zip(found, expected) {
      let wrong = found.symmetricDifference(selectsNone ? expected.union([texts.count]) : expected)
      #expect(
        wrong.isEmpty,
        "\(condition): \(wrong.prefix(3).map { $0 < texts.count ? "\(texts[$0].debugDescription) \(parts[$0].debugDescription)" : "none" })",
        sourceLocation: location)
    }
  }

  private func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x9 || $0 == 0xA }
  }

  @Test("Orders without case and of the locale", arguments: [StringFunction.caseInsensitiveCompare, .localizedCompare])
  func orders(_ function: StringFunction) throws {
    guard function != .localizedCompare || ASCIIOrder.characters != nil else { return }
    func order(_ one: String, _ other: String) -> Int {
      function == .localizedCompare
        ? StringFunctions.localizedCompare(one, other).rawValue
        : StringFunctions.caseInsensitiveCompare(one, other).rawValue
    }
    for result in -1...1 {
      let constant = FetchExpression.constant(.integer(Int64(result)))
      try check(
        .comparison(.equal, .string(function, [name, part]), constant),
        selects: { order(texts[$0], parts[$0]) == result }, decides: { isPlain(texts[$0]) && isPlain(parts[$0]) })
    }
    for known in parts.filter({ isPlain($0) }).prefix(Self.constantCount) {
      try check(
        .comparison(.less, .string(function, [name, .constant(.text(known))]), .constant(.integer(0))),
        selects: { order(texts[$0], known) < 0 }, decides: { isPlain(texts[$0]) })
      try check(
        .comparison(.equal, .string(function, [.constant(.text(known)), name]), .constant(.integer(1))),
        selects: { order(known, texts[$0]) == 1 }, decides: { isPlain(texts[$0]) })
    }
    let known = FetchExpression.string(function, [name, .constant(.text("\u{E9}"))])
    #expect(!store.store.decides(.comparison(.equal, known, .constant(.integer(0))), entityName: "Item"))
  }

  @Test("Patterns with wildcards that each row has")
  func wildcards() throws {
    try check(
      .string(.like, [name, part]), selects: { StringFunctions.like(texts[$0], parts[$0]) },
      decides: { isPlain(texts[$0]) && isPlain(parts[$0]) && !parts[$0].contains("\\") })
    for known in texts.filter({ isPlain($0) }).prefix(Self.constantCount) {
      try check(
        .string(.like, [.constant(.text(known)), part]), selects: { StringFunctions.like(known, parts[$0]) },
        decides: { isPlain(parts[$0]) && !parts[$0].contains("\\") })
    }
  }

  // MARK: Letters

  @Test(
    "Functions of letters beside known texts",
    arguments: [StringFunction.lowercased, .uppercased, .foldedCase, .foldedDiacritics, .canonical])
  func letters(_ function: StringFunction) throws {
    let table = try #require(LetterTable.tables[function])
    let decided = texts.map { $0.unicodeScalars.allSatisfy(table.contains) }
    let results = texts.map { function.result(ofText: $0) }
    let operand = FetchExpression.string(function, [name])
    var found = 0
    for known in results.filter({ table.spellings(of: $0) != nil }).prefix(Self.constantCount * 3) {
      let constant = FetchExpression.constant(.text(known))
      try check(.comparison(.equal, operand, constant), selects: { results[$0] == known }, decides: { decided[$0] })
      try check(
        .comparison(.notEqual, operand, constant), selects: { results[$0] != known }, decides: { decided[$0] },
        selectsNone: true)
      let tests: [(StringFunction, (String, String) -> Bool)] = [
        (.contains, StringFunctions.contains), (.starts, { StringFunctions.starts($0, with: $1) }),
        (.ends, { StringFunctions.ends($0, with: $1) }), (.like, StringFunctions.like),
      ]
      for (test, holds) in tests where test != .like || !known.contains("\\") {
        found += results.count { holds($0, known) }
        try check(
          .string(test, [operand, constant]), selects: { holds(results[$0], known) }, decides: { decided[$0] })
      }
    }
    #expect(found > Self.rowCount)
  }

  @Test("The table has the letters of common scripts, each with one result")
  func table() throws {
    let table = try #require(LetterTable.tables[.foldedCase])
    #expect(table.spellings(of: "\u{E9}s")?.scalars == "S\u{17F}\u{C9}")
    #expect(table.spellings(of: "\u{E9}s")?.letters == "ss\u{E9}")
    for text in ["\u{C9}", "A", "\u{DF}", "q\u{301}", "漢", "\r"] {
      #expect(table.spellings(of: text) == nil, "\(text)")
    }
    #expect(LetterTable.tables[.uppercased]?.spellings(of: "a") == nil)
  }

  // MARK: Regular expressions

  private static func pattern(_ random: inout SplitMix, depth: Int) -> String {
    let atoms = [
      "a", "b", "A", "-", " ", "1", ".", "\\.", "\\d", "\\w", "\\s", "[ab]", "[^a]", "[a-c1-3_]", "[A-Z]", "[^a-z]",
      "[\\w-]",
      "[\\d.]", "[a\\]]", "%", "_", "\\*", "\\?", "[*?]", "[^-]", "[.-]", "\\\\", "\n", "&", "#", ",", "~", "\"",
      "[ #$]", "k",
      "[\\n]", "[{}|()]", "\\-", "=", "<", ">", "!", ":",
    ]
    func atom() -> String {
      switch random.below(depth > 0 ? 6 : 4) {
      case 4: return "(" + pattern(&random, depth: depth - 1) + ")"
      case 5: return "(?:" + pattern(&random, depth: depth - 1) + ")"
      default: return atoms[random.below(random.below(2) == 0 ? 8 : atoms.count)]
      }
    }
    let repetitions = ["", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,}", "{0,2}", "{1,3}?"]
    let sequences = (0...random.below(2)).map { _ in
      (0..<random.below(4)).map { _ in atom() + repetitions[random.below(repetitions.count)] }.joined()
    }
    return sequences.joined(separator: "|")
  }

  @Test("Regular expressions", arguments: [StringFunction.matches, .matchesIgnoringCase])
  func expressions(_ function: StringFunction) throws {
    var random = random
    let options: String.CompareOptions = function == .matches ? [] : .caseInsensitive
    var (decided, found) = (0, 0)
    for _ in 0..<(FullTests.areWanted ? 1_000 : 120) {
      var pattern = Self.pattern(&random, depth: 2)
      if random.below(4) == 0 { pattern = "^\(pattern)$" }
      guard RegularPattern.sql(pattern, ignoringCase: !options.isEmpty) != nil else { continue }
      #expect(StringFunctions.isPattern(pattern), "\(pattern)")
      let matching = texts.map { StringFunctions.matches($0, pattern, ignoring: options) }
      decided += 1
      found += matching.count { $0 }
      try check(
        .string(function, [name, .constant(.text(pattern))]), selects: { matching[$0] }, decides: { isPlain(texts[$0]) }
      )
    }
    #expect(decided > 50 && found > Self.rowCount)
  }

  @Test(
    "The server's syntax says nothing of other regular expressions",
    arguments: [
      "", "(?i)a", "(?=a)", "\\bw", "(a)\\1", "a*+", "a**", "(a*)*", "(a|)+", "[[a]]", "[a&&b]", "[a--b]", "[]", "[",
      "(", "a)",
      "\\", "\\n", "\\p{L}", "[:alpha:]", "[[:alpha:]]", "a{,2}", "a{3,2}", "a{100}", "(a{40}){40}", "*a", "a$b",
      "(^a)",
      "\u{E9}", "a\r", "\\Qa\\E", "[z-a]", "[a-Z]", "[+-/]", "{", "}", "]",
    ])
  func otherExpressions(_ pattern: String) {
    #expect(RegularPattern.sql(pattern, ignoringCase: false) == nil)
    let condition = FetchExpression.string(.matches, [name, .constant(.text(pattern))])
    #expect(!store.store.decides(condition, entityName: "Item"))
  }

  @Test("Usual regular expressions have a form on the server")
  func usualExpressions() {
    for pattern in [
      "[0-9]{4}-[0-9]{2}-[0-9]{2}", "^[A-Z0-9._%+-]+@[A-Z0-9.-]+\\.[A-Z]{2,}$", "\\d+(\\.\\d+)?", ".*\\.(jpe?g|png)",
      "(foo|bar).*",
      "\\+?[\\d\\s-]+",
    ] { #expect(RegularPattern.sql(pattern, ignoringCase: true) != nil, "\(pattern)") }
  }
}
