import Foundation
import StoreRequests
import TestSupport
import Testing

/// Bytes order texts as Foundation's localized comparisons do.
@Suite("The localized order of ASCII characters") struct ASCIIOrderTests {
  /// Pieces of texts: those of ASCII, and others that combine, fold, count as digits, or have other marks of order.
  private let alphabets: [[String]] = [
    (0x20..<0x7F).map { String(UnicodeScalar(UInt8($0))) }, ["a", "b", "A", "B", "0", "1", " ", "-"],
    ["0", "1", "9", ".", "a", "0000000000", "9999999999"],
    [
      "a", "b", "A", "x", "0", "1", "2", "9", " ", "-", "\u{E9}", "e\u{301}", "\u{301}", "\u{416}", "\u{436}", "\u{B7}",
      "l",
      "\u{DF}", "ss", "\u{FB01}", "\u{661}", "\u{662}", "\u{B2}", "\u{2163}", "\u{1F600}", "\u{200D}", "\u{FE0F}",
      "\u{4E2D}",
      "\u{D55C}", "\u{314E}", "\u{1161}", "\u{FF41}", "\u{FF11}", "\u{AD}", "\t", "\n", "\u{7F}", "\u{1}", "\u{2019}",
      "\u{131}",
      "\u{130}", "I", "i", "\u{10FFFF}", "\u{E40}", "\u{E01}", "\u{345}",
    ],
  ]

  @Test func `Bytes and Foundation give the same order of random texts`() {
    var numbers = SplitMix(seed: 58)
    var decided = 0
    for _ in 0..<20_000 {
      let alphabet = alphabets[numbers.below(alphabets.count)]
      func text(_ limit: Int) -> String {
        (0..<numbers.below(limit)).map { _ in alphabet[numbers.below(alphabet.count)] }.joined()
      }
      let start = text(6)
      let (left, right) = (start + text(5), start + text(5))
      for readsNumbers in [true, false] {
        let expected = readsNumbers ? left.localizedStandardCompare(right) : left.localizedCompare(right)
        let order =
          readsNumbers
          ? StringFunctions.localizedStandardCompare(left, right) : StringFunctions.localizedCompare(left, right)
        #expect(order == expected, "\(left.debugDescription) \(right.debugDescription) \(readsNumbers)")
        let bytes = Array(left.utf8).withUnsafeBytes { left in
          Array(right.utf8).withUnsafeBytes { ASCIIOrder.compare(left, $0, readsNumbers: readsNumbers) }
        }
        if let bytes {
          #expect(bytes == expected)
          decided += 1
        }
      }
    }
    #expect(decided > 20_000 || Locale.current.language.languageCode?.identifier != "en")
  }

  @Test(arguments: [("a", "A"), ("a1", "a01"), ("\u{E9}", "e"), ("1234567890123456789", "2"), ("a\u{301}", "b")])
  func `Bytes leave it to Foundation`(left: String, right: String) {
    let bytes = Array(left.utf8).withUnsafeBytes { left in
      Array(right.utf8).withUnsafeBytes { ASCIIOrder.compare(left, $0, readsNumbers: true) }
    }
    #expect(bytes == nil)
    #expect(StringFunctions.localizedStandardCompare(left, right) == left.localizedStandardCompare(right))
  }
}
