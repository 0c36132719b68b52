import Foundation

/// A regular expression of PostgreSQL for characters of several scalars: `é` in two scalars, `\r\n`, flags, families of emoji.
///
/// Swift compares characters, the server scalars. A text without characters of several scalars is the same for both. The expression
/// follows the rules of extended grapheme clusters (Unicode, UAX 29). Swift's own data give the class of each scalar, so the server
/// divides texts as Swift does. The expression also matches ``mark``, and parts of Korean syllables that stand alone.
enum CharacterClusters {
  /// Stands for a character of several scalars. A noncharacter, so texts rarely have it.
  static let mark: Unicode.Scalar = "\u{FFFF}"

  /// The regular expression; made on first use, in about a tenth of a second.
  static let pattern = Table().pattern

  // MARK: The table

  /// The classes of scalars.
  private struct Table {
    /// Scalars that join the one before.
    private var joining: [Unicode.Scalar] = []
    /// Scalars that join the one after.
    private var prepended: [Unicode.Scalar] = []
    /// Scalars that join nothing.
    private var control: [Unicode.Scalar] = []
    /// Scalars that a zero-width joiner joins with one another.
    private var pictographic: [Unicode.Scalar] = []
    /// Consonants that a linker joins with one another.
    private var consonants: [Unicode.Scalar] = []
    /// Parts of Korean syllables: leading consonants, vowels, trailing consonants.
    private var leading: [Unicode.Scalar] = []
    private var vowels: [Unicode.Scalar] = []
    private var trailing: [Unicode.Scalar] = []

    init() {
      for scalar in Self.candidates {
        if isOne("a", scalar) {
          joining.append(scalar)
          continue
        }
        if !isOne("\u{600}", scalar) {
          control.append(scalar)
          continue
        }
        if isOne("", scalar, "a") { prepended.append(scalar) }
        if isOne("\u{1F600}\u{200D}", scalar) { pictographic.append(scalar) }
        if isOne("\u{915}\u{94D}", scalar) { consonants.append(scalar) }
        if isOne("\u{1100}", scalar) {
          if isOne("", scalar, "\u{11A8}") { vowels.append(scalar) } else { leading.append(scalar) }
        }
        if isOne("\u{11A8}", scalar) { trailing.append(scalar) }
      }
    }

    var pattern: String {
      let (joined, first, last) = (set(joining), set(leading), set(trailing))
      let vowel = set(vowels)
      let syllable = "[\u{AC00}-\u{D7A3}]"
      let openSyllables = set(stride(from: UInt32(0xAC00), through: 0xD7A3, by: 28).compactMap(Unicode.Scalar.init))
      let korean = [
        "\(first)*\(openSyllables)\(vowel)+\(last)*", "\(first)+(\(syllable)\(last)*)?", "\(first)*\(vowel)+\(last)*",
        "\(syllable)\(last)+", "\(last)+",
      ]
      let flag = "[\u{1F1E6}-\u{1F1FF}]{2}"
      let pictures = set(pictographic)
      let extending = set(joining.filter { isOne("\u{1F600}", $0, "\u{200D}\u{1F600}") })
      let picture = "\(pictures)(\(extending)*\u{200D}\(pictures))+"
      let linker = set(joining.filter { isOne("\u{915}", $0, "\u{915}") })
      let linked = set(joining.filter { isOne("\u{915}\u{94D}", $0, "\u{915}") })
      let consonant = set(consonants)
      let conjunct = "\(consonant)(\(linked)*\(linker)\(linked)*\(consonant))+"
      let core = (korean + [flag, picture, conjunct]).joined(separator: "|")
      let (before, other) = (set(prepended), ScalarRanges(control.lazy.map(\.value)).inverseBrackets)
      return "\\r\\n|\(CharacterClusters.mark)|(\(before)*(\(core))|\(before)+\(other))\(joined)*|\(other)\(joined)+"
    }

    /// Whether a scalar between two texts is one character with them.
    private func isOne(_ before: String, _ scalar: Unicode.Scalar, _ after: String = "") -> Bool {
      var text = before
      text.unicodeScalars.append(scalar)
      text += after
      return text.index(after: text.startIndex) == text.endIndex
    }

    /// The scalars that may have a class: not ideographs, Korean syllables, and scalars for private use.
    private static let candidates: [Unicode.Scalar] = {
      let ranges: [ClosedRange<UInt32>] = [
        0x01...0x33FF, 0x4DC0...0x4DFF, 0xA000...0xABFF, 0xD7A4...0xD7FF, 0xFB00...0xFFFE, 0x10000...0x16FFF,
        0x1A000...0x1FFFF, 0xE0000...0xE0FFF,
      ]
      return ranges.flatMap { $0.compactMap(Unicode.Scalar.init) }
    }()

    /// The brackets with some scalars in ascending order.
    private func set(_ scalars: [Unicode.Scalar]) -> String { ScalarRanges(scalars.lazy.map(\.value)).brackets }
  }
}
