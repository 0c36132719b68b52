import Foundation
import StoreRequests
import TestSupport
import Testing

/// Searches in ASCII texts by bytes answer as Foundation and Swift do.
@Suite("Searches in ASCII texts") struct ASCIITextTests {
  @Test("Bytes and characters give the same answers, in random texts with any ASCII character")
  func sameAnswers() {
    var numbers = SplitMix(seed: 41)
    let alphabets: [[UInt8]] = [
      Array("aAbB".utf8), Array("Kki;`I".utf8), Array("ab\r\n".utf8), Array(0..<128), [0, 1, 9, 10, 32, 127],
    ]
    var found = 0
    for _ in 0..<20_000 {
      let alphabet = alphabets[numbers.below(alphabets.count)]
      func text(_ limit: Int) -> String {
        let bytes = (0..<numbers.below(limit)).map { _ in alphabet[numbers.below(alphabet.count)] }
        return String(decoding: bytes, as: UTF8.self)
      }
      // Bytes are looked at in eights: some texts have one or more of them, with a rest.
      let (whole, part) = (text(30), text(4))
      let contains = StringFunctions.localizedStandardContains(whole, part)
      #expect(contains == whole.localizedStandardContains(part), "\(whole.debugDescription) \(part.debugDescription)")
      let characters = part.isEmpty || Array(whole).contains(Array(part))
      #expect(StringFunctions.contains(whole, part) == characters, "\(whole.debugDescription) \(part.debugDescription)")
      #expect(StringFunctions.starts(whole, with: part) == whole.starts(with: part))
      #expect(StringFunctions.ends(whole, with: part) == whole.reversed().starts(with: part.reversed()))
      if contains { found += 1 }
    }
    #expect(found > 2_000)
  }

  @Test("Long parts are found in repetitive texts")
  func longParts() {
    var numbers = SplitMix(seed: 43)
    var found = 0
    for _ in 0..<2_000 {
      func text(_ limit: Int) -> String {
        String((0..<limit).map { _ in numbers.below(20) == 0 ? "b" : "aA".randomElement(using: &numbers) ?? "a" })
      }
      let whole = text(150 + numbers.below(100))
      let start = numbers.below(60)
      let own = String(whole.dropFirst(start).prefix(60 + numbers.below(60))).uppercased()
      let part = numbers.below(2) == 0 ? own : own + "b"
      let contains = whole.lowercased().utf8.firstRange(of: part.lowercased().utf8) != nil
      #expect(StringFunctions.localizedStandardContains(whole, part) == contains)
      #expect(StringFunctions.contains(whole, part) == (whole.utf8.firstRange(of: part.utf8) != nil))
      if contains { found += 1 }
    }
    #expect((1_000..<1_900).contains(found))
  }

  @Test(
    "Other texts are left to Foundation",
    arguments: [("\u{C9}mile", "emile"), ("Kelvin \u{212A}", "kk"), ("stra\u{DF}e", "SS")])
  func otherTexts(whole: String, part: String) {
    #expect(StringFunctions.localizedStandardContains(whole, part) == whole.localizedStandardContains(part))
  }
}
