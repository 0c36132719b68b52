import Foundation
import StoreRequests
import TestSupport
import Testing

/// Long texts are brought to other forms piece by piece.
@Suite("Forms of long texts") struct TextPiecesTests {
  /// Characters of many scripts: letters, marks before which a text must not be cut, parts of Hangul syllables, blanks.
  private static let alphabets: [[Unicode.Scalar]] = [
    Array("ae\u{301}\u{323}\u{307} \u{1E69}\u{E9}sS\u{DF}K\u{212A};\u{37E}".unicodeScalars),
    Array("\u{1112}\u{1161}\u{11AB}\u{D558}\u{D55C}\u{A960}\u{D7B0}a".unicodeScalars),
    Array(
      "\u{995}\u{9BE}\u{9C7}\u{9D7}\u{B95}\u{BC6}\u{BBE}\u{CC6}\u{CC2}\u{CD5}\u{D46}\u{D3E}\u{1025}\u{102E}"
        .unicodeScalars),
    Array("\u{3B1}\u{3C3}\u{3C2}\u{301}\u{345}\u{1FB3}\u{438}\u{306}\u{439}\u{130}I\u{307}i\u{131}".unicodeScalars),
    Array("\u{304B}\u{3099}\u{304C}\u{30F2}\u{FF76}\u{FF9E}\u{8C48}\u{F900}\u{4E00}".unicodeScalars),
    Array("e\u{301}\u{1F1E9}\u{1F1EA}\u{1F469}\u{200D}\u{1F680}\u{1D15E}\r\n".unicodeScalars),
  ]

  @Test("The pieces have the form that the whole text has", arguments: alphabets.indices)
  func sameForms(of alphabet: Int) {
    var numbers = SplitMix(seed: UInt64(97 + alphabet))
    let scalars = Self.alphabets[alphabet]
    for _ in 0..<20 {
      var view = String.UnicodeScalarView()
      for _ in 0..<(500 + numbers.below(1_500)) { view.append(scalars[numbers.below(scalars.count)]) }
      let text = String(view)
      let composed = text.decomposedStringWithCanonicalMapping.precomposedStringWithCanonicalMapping
      #expect(CanonicalText.composed(text).unicodeScalars.elementsEqual(composed.unicodeScalars))
      for options: String.CompareOptions in [
        .caseInsensitive, .diacriticInsensitive, .widthInsensitive, [.caseInsensitive, .diacriticInsensitive],
      ] {
        let folded = text.folding(options: options, locale: nil)
        #expect(StringFunctions.folded(text, options).unicodeScalars.elementsEqual(folded.unicodeScalars))
      }
    }
  }
}
