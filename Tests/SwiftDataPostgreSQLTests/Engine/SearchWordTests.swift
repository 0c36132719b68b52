import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

/// Twin tests: memory and the server divide texts into the words that SQLite's tokenizer finds.
@Suite("The words of a search", TestServer.condition)
struct SearchWordTests {
  /// The words of texts by the tokenizer of the index over files.
  private static func tokenizedWords(of texts: [String]) throws -> [[String]] {
    let connection = try SQLite.Connection.inMemory()
    defer { connection.close() }
    try connection.execute(
      """
      CREATE VIRTUAL TABLE T USING fts5(A, tokenize = 'unicode61 remove_diacritics 2');
      CREATE VIRTUAL TABLE V USING fts5vocab(T, instance)
      """)
    for (number, text) in texts.enumerated() {
      let insertion = try connection.prepare("INSERT INTO T (rowid, A) VALUES (?1, ?2)")
      try insertion.bind(Int64(number), at: 1)
      try insertion.bind(text, at: 2)
      try insertion.run()
    }
    var words = texts.map { _ in [String]() }
    let query = try connection.prepare("SELECT doc, term FROM V ORDER BY doc, offset")
    while try query.step() { words[Int(query.integer(0))].append(query.text(1) ?? "") }
    return words
  }

  private static func serverWords(of texts: [String]) throws -> [[String]] {
    let connection = try TestServer.required().connect()
    let functions = SearchFunctions(schema: "pg_temp")
    for (_, definition) in functions.definitions { try connection.execute(definition) }
    let rows = try connection.run(
      "SELECT \(functions.words(of: "t")) FROM unnest($1::text[]) WITH ORDINALITY u(t, n) ORDER BY n", [.texts(texts)])
    return (0..<rows.rowCount).map { row in
      let words = rows.text(row, 0) ?? ""
      let parts = words.unicodeScalars.split(separator: " ").map { String($0) }
      #expect(parts.map { " \($0) " }.joined().utf8.elementsEqual(words.utf8))
      return parts
    }
  }

  private static func check(_ texts: [String]) throws {
    let (tokenized, server) = (try tokenizedWords(of: texts), try serverWords(of: texts))
    for (number, text) in texts.enumerated() {
      let wanted = tokenized[number].map { Array($0.unicodeScalars) }
      for words in [WordRules.words(of: text), WordTables.words(of: text)] {
        #expect(words.map { Array($0.unicodeScalars) } == wanted, "\(text.debugDescription)")
      }
      #expect(server[number].map { Array($0.unicodeScalars) } == wanted, "\(text.debugDescription) on the server")
    }
  }

  @Test("Each scalar is a letter, a diacritic or a gap as for the tokenizer")
  func scalars() throws {
    // Beyond, only some scalars are no letters, and few have case.
    let ranges: [ClosedRange<UInt32>] =
      FullTests.areWanted
      ? [1...0x10FFFF] : [1...0x2FFF, 0xA600...0xABFF, 0xF800...0x1049F, 0x1F000...0x1F0FF, 0xE0000...0xE01FF]
    var texts: [String] = []
    var text = ""
    for scalar in ranges.joined().lazy.compactMap(Unicode.Scalar.init) {
      text += "q\(scalar)z "
      if scalar.value % 64 == 63 {
        texts.append(text)
        text = ""
      }
    }
    try Self.check(texts + [text])
  }

  @Test("Texts of scalars at random have the tokenizer's words", arguments: 0..<(FullTests.areWanted ? 8 : 1))
  func texts(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let scalars: [Unicode.Scalar] = [
      "a", "B", "1", " ", "-", "\n", "'", "\\", "é", "É", "e", "\u{301}", "\u{330}", "\u{345}", "ß", "ẞ", "İ", "ı", "ς",
      "Σ", "Ж", "й", "\u{306}", "東", "京", "\u{3099}", "\u{94D}", "क", "🐋", "\u{200D}", "\u{FE0F}", "\u{FFFD}",
      "\u{FFFF}",
      "\u{E000}", "\u{10FFFD}", "Ǡ", "ǡ", "K", "Å", "ﬁ", "²", "Ⅳ", "\u{378}", "\u{AB70}", "\u{13A0}", "\u{7F}", "*",
      "\"",
    ]
    try Self.check(
      (0..<300).map { _ in
        var text = String.UnicodeScalarView()
        for _ in 0..<random.below(12) { text.append(scalars[random.below(scalars.count)]) }
        return String(text)
      })
  }

  @Test("Words that Swift compares as equal are different words of a search, if their scalars differ")
  func equalWords() throws {
    let words = ["\u{8C48}", "\u{F900}"]
    #expect(words[0] == words[1])
    let query = SearchQuery(TextCondition(words.joined(separator: " ")))
    #expect(query.phrases.count == 2 && query.counts == [1, 1])
    #expect(query.isTrue(of: [words.joined(separator: " ")]) && !query.isTrue(of: [words[0]]))
    #expect(SearchQuery(TextCondition("whale a whale")).counts == [2, 1])
  }

  @Test("Words of any number and length are found")
  func largeTexts() throws {
    let connection = try TestServer.required().connect()
    let functions = SearchFunctions(schema: "pg_temp")
    for (_, definition) in functions.definitions { try connection.execute(definition) }
    let many = (0..<200_000).map { String($0, radix: 36) + "zzz" }.joined(separator: " ")
    let long = String(repeating: "é", count: 5000)
    for (text, phrase) in [(many, "1zzz"), (long, long), ("a b", "b")] {
      let query = SearchQuery.expression([SearchQuery.Phrase(words: WordRules.words(of: phrase), isPrefix: false)])
      let found = try connection.run(
        "SELECT \(functions.lexemes(of: functions.words(of: "$1"))) @@ $2::tsquery", [.text(text), .text(query)])
      #expect(found.integer(0, 0) == 1)
    }
  }
}
