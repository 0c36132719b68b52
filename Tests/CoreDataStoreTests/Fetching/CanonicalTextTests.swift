import Foundation
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

@Suite struct CanonicalTextTests {
  /// Letters and marks that are composed with one another, or stand for one another.
  private static let scalars = Array(
    "es;K\u{212A}A\u{30A}\u{C5}\u{301}\u{341}\u{E9}\u{307}\u{323}\u{1E63}\u{1E69}".unicodeScalars)
  private static let syllables = Array("\u{1112}\u{1161}\u{11AB}\u{D558}\u{D55C}\u{8C48}\u{F900}a".unicodeScalars)

  /// All texts of up to three of the scalars.
  private static func texts(_ scalars: [Unicode.Scalar]) -> [String] {
    var all: [[Unicode.Scalar]] = [[]]
    for _ in 0..<3 { all += all.flatMap { text in scalars.map { text + [$0] } } }
    return Set(all).map { String(String.UnicodeScalarView($0)) }
  }

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test("A text's forms are those that Swift holds equal", arguments: [scalars, syllables])
  func forms(_ scalars: [Unicode.Scalar]) throws {
    let texts = Self.texts(scalars)
    var classes: [String: Set<[UInt8]>] = [:]
    for text in texts { classes[text, default: []].insert(Self.bytes(text)) }
    #expect(classes.count < texts.count)
    for text in texts {
      let forms = try #require(CanonicalText.forms(of: text))
      #expect(forms.allSatisfy { $0 == text })
      let found = Set(forms.map(Self.bytes))
      #expect(found.count == forms.count && found.isSuperset(of: classes[text] ?? []), "\(text.unicodeScalars)")
    }
  }

  @Test("Texts of too many forms, or of scalars that Foundation may not know, have none to look for")
  func unknown() {
    #expect(CanonicalText.forms(of: String(repeating: "\u{E9}", count: 9)) == nil)
    #expect(CanonicalText.forms(of: String(repeating: "\u{DF}", count: 300)) == nil)
    #expect(CanonicalText.forms(of: "\u{105C9}") == nil)
    #expect(CanonicalText.forms(of: "plain; " + String(repeating: "x", count: 100_000))?.count == nil)
    #expect(CanonicalText.forms(of: String(repeating: "x", count: 100_000))?.count == 1)
    #expect(CanonicalText.forms(of: "\u{1F468}\u{1F3FD}\u{200D}\u{1F680}")?.count == 1)
  }

  @Test("The collation's order is Swift's")
  func order() {
    var random = SplitMix(seed: 48)
    for scalars in [Self.scalars + ["f", "z"], Self.syllables] {
      let texts = Self.texts(scalars).shuffled(using: &random)
      for (one, other) in zip(texts, texts.dropFirst() + texts.shuffled(using: &random)) {
        let order = Self.bytes(one).withUnsafeBytes { left in
          Self.bytes(other).withUnsafeBytes { CanonicalText.order(left, $0).signum() }
        }
        #expect(
          order == (one == other ? 0 : one < other ? -1 : other < one ? 1 : order),
          "\(one.unicodeScalars) \(other.unicodeScalars)")
      }
    }
  }

  @Test("Every scalar of the first plane that is decomposed has its decomposition among its forms")
  func everyScalar() throws {
    for scalar in (0xC0...0xFFFF).compactMap(Unicode.Scalar.init) {
      let text = String(scalar)
      let decomposed = text.decomposedStringWithCanonicalMapping
      guard decomposed.unicodeScalars.first != scalar || decomposed.unicodeScalars.count > 1 else { continue }
      let forms = try #require(CanonicalText.forms(of: decomposed))
      #expect(forms.contains { $0.unicodeScalars.elementsEqual([scalar]) }, "U+\(String(scalar.value, radix: 16))")
    }
  }

  @Test("The order is total where Swift's decides nothing")
  func total() {
    let texts = RandomRows.texts
    for one in texts {
      for other in texts {
        #expect(CanonicalText.order(one, other) == -CanonicalText.order(other, one))
        for third in texts where CanonicalText.order(one, other) <= 0 && CanonicalText.order(other, third) <= 0 {
          #expect(CanonicalText.order(one, third) <= 0)
        }
      }
    }
    #expect(CanonicalText.order("\u{212A}", "K\u{E9}") < 0)
  }

  @Test("No character below the semicolon is equivalent to another, or composed with one")
  func plainCharacters() {
    for value in UInt32(0)..<0x30000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      for first in String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.prefix(1)
      where first.value < UInt32(UInt8(ascii: ";")) { #expect(first == scalar, "\(scalar.escaped(asASCII: true))") }
    }
  }
}
