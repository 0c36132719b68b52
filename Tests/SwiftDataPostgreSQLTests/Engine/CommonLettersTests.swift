import Foundation
import ManagedModel
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

@Suite("Searches of texts in common scripts")
struct CommonLettersTests {
  /// The scalars of the table, grouped by letter.
  private static let groups: [[Unicode.Scalar]] = {
    // A scalar with another composed form, such as the sign of the ohm, is no scalar of the table.
    let scalars = (0...0x24FF).compactMap { Unicode.Scalar($0 as UInt32) }.filter {
      CanonicalText.composed("\($0)").unicodeScalars.elementsEqual([$0])
    }
    let letters = scalars.compactMap { scalar in CommonLetters.letters(of: "\(scalar)").map { (scalar, $0) } }
    return Dictionary(grouping: letters, by: \.1).sorted { $0.key < $1.key }.map { $0.value.map(\.0) }
  }()

  private struct Texts {
    var random: SplitMix

    /// A text and a part, which often occurs in it.
    mutating func next() -> (text: String, part: String) {
      let groups = CommonLettersTests.groups
      let rich = groups.filter { $0.count > 1 }
      let pool = (0..<2).map { _ in
        random.below(3) == 0 ? groups[random.below(groups.count)] : rich[random.below(rich.count)]
      }
      func text(_ count: Int) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<count {
          let group = pool[random.below(2)]
          text.append(group[random.below(group.count)])
        }
        return String(text)
      }
      let part = text(1 + random.below(3))
      return (text(random.below(7)), random.below(4) == 0 ? part.decomposedStringWithCanonicalMapping : part)
    }
  }

  @Test("The table has letters of Latin, Greek and Cyrillic, and leaves out marks and characters of several letters")
  func table() {
    #expect(CommonLetters.letters(of: "Crème Brûlée 12 €") == "creme brulee 12 €")
    #expect(CommonLetters.letters(of: "Ελλάδα") == "ελλαδα" && CommonLetters.letters(of: "Москва") == "москва")
    for text in ["", "ß", "ﬁ", "漢", "q\u{301}", "\u{301}", "no\u{AD}", "👍", "a\0", "a\r"] {
      #expect(CommonLetters.letters(of: text) == nil, "\(text)")
    }
    #expect(Self.groups.count > 400 && Self.groups.joined().count > 1_200)
  }

  @Test("Foundation finds a part exactly where its letters are in the text")
  func foundation() {
    for group in Self.groups {
      for (one, other) in group.flatMap({ one in group.map { (one, $0) } }) {
        #expect(StringFunctions.localizedStandardContains("\(one)", "\(other)"), "\(one) \(other)")
      }
    }
    var texts = Texts(random: SplitMix(seed: 20_261_127))
    var found = 0
    for _ in 0..<20_000 {
      let (text, part) = texts.next()
      let letters = text.unicodeScalars.map { CommonLetters.letters(of: "\($0)") ?? "" }.joined()
      let isPart = CommonLetters.letters(of: part).map { letters.contains($0) } ?? false
      #expect(StringFunctions.localizedStandardContains(text, part) == isPart, "\(text) \(part)")
      if isPart { found += 1 }
    }
    #expect(found > 5_000)
  }

  @Test("The server decides about such texts, and leaves the others to memory", TestServer.condition)
  func server() throws {
    var pairs = Texts(random: SplitMix(seed: 7))
    let store = try EngineStore([EntityDescription(name: "Item", properties: [.attribute("name", .string)])])
    let others = ["stra\u{DF}e", "cafe\u{301}", "漢e", "no\u{AD}rth"]
    let known = (0..<400).map { _ in pairs.next() }
    let texts = known.map(\.text) + others
    try store.insert("Item", texts.map { ["name": .text($0)] })
    let first = try #require(try store.store.keys(FetchRequest(entityName: "Item")).first?.key)
    func rows(_ part: String, _ certainty: Certainty) throws -> Set<Int> {
      let condition = FetchExpression.string(
        .localizedStandardContains, [.attribute(FetchPath(), name: "name", element: []), .constant(.text(part))])
      var request = FetchRequest(entityName: "Item", predicate: condition)
      request.certainty = certainty
      let rows = try store.store.fetch(request)
      var found: Set<Int> = []
      while try rows.next() { found.insert(Int(rows.key - first)) }
      return found
    }
    for part in known.prefix(80).map(\.part) + ["e", "E", "\u{E9}", "s"] {
      let wanted = Set(texts.indices.filter { StringFunctions.localizedStandardContains(texts[$0], part) })
      #expect(try rows(part, .certain) == wanted.filter { $0 < known.count }, "\(part)")
      let open = try rows(part, .open)
      #expect(open.allSatisfy { $0 >= known.count } && open.isSuperset(of: wanted.filter { $0 >= known.count }))
    }
  }
}
