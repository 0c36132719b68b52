import Foundation

/// How a text divides into words: as SQLite's tokenizer `unicode61` divides it, without diacritics of Latin letters. So a search
/// finds the same objects over both engines.
///
/// Its rules are those of Unicode 6.1, which are read from Swift's data. A scalar of a later version is a letter without case.
package enum WordRules {
  /// The diacritics, which words do not have.
  package static let diacritics: [Unicode.Scalar] =
    ([
      0x300...0x304, 0x306...0x30C, 0x30F...0x30F, 0x311...0x311, 0x31B...0x31B, 0x323...0x328, 0x32D...0x32E,
      0x330...0x331,
    ] as [ClosedRange<UInt32>]).flatMap { $0.compactMap(Unicode.Scalar.init) }

  /// The words of a text, in their order.
  ///
  /// - Parameters:
  ///   - isSeparator: whether a scalar that is not in ASCII stands between words. A table takes less time for long texts.
  ///   - letter: the letter of a scalar; `nil` if it is its own.
  package static func words(
    of text: String, isSeparator: (Unicode.Scalar) -> Bool = { isSeparator($0.value) },
    letter: (Unicode.Scalar) -> Unicode.Scalar? = letter
  ) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isDiacritic(scalar) {
      let isBetween =
        scalar.isASCII
        ? !scalar.properties.isAlphabetic && scalar.properties.numericType == nil : isSeparator(scalar)
      if isBetween {
        if !word.isEmpty { words.append(String(word)) }
        word = String.UnicodeScalarView()
      } else {
        word.append(letter(scalar) ?? scalar)
      }
    }
    if !word.isEmpty { words.append(String(word)) }
    return words
  }

  private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
    (0x300...0x331).contains(scalar.value) && diacritics.contains(scalar)
  }

  // MARK: Unicode 6.1

  /// Whether a scalar that is not in ASCII stands between words.
  package static func isSeparator(_ value: UInt32) -> Bool {
    guard let scalar = Unicode.Scalar(value) else { return false }
    switch value {
    // Marks that later became letters; letters that later became marks; the noncharacters that UTF-8 decoders replace.
    case 0x19B0...0x19C0, 0x19C8...0x19C9, 0x1CF2...0x1CF3, 0xFFFE...0xFFFF: return true
    case 0x1885...0x1886: return false
    default: break
    }
    guard scalar.isOld else { return false }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber, .privateUse, .unassigned:
      return false
    default: return !diacritics.contains(scalar)
    }
  }

  /// A scalar without case, and if it is a Latin letter, without diacritics.
  package static func letter(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    // A capital with a dot is an `i`. The others have no letter of their own in the tokenizer's table.
    switch scalar {
    case "\u{130}": return "i"
    case "\u{131}": return nil
    case "\u{1E0}", "\u{1E1}": return "\u{1E1}"
    default: break
    }
    guard scalar.isOld else { return nil }
    // Folding of case: capitals of several letters, such as the two sigmas, have one small letter.
    let capital = single(scalar.properties.uppercaseMapping) ?? scalar
    var letter = single(capital.properties.lowercaseMapping) ?? capital
    if !letter.isOld { letter = scalar }
    let parts = String(Character(letter)).decomposedStringWithCanonicalMapping.unicodeScalars
    if let base = parts.first, base.isASCII, parts.count > 1 { letter = base }
    return letter
  }

  private static func single(_ text: String) -> Unicode.Scalar? {
    text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
  }
}

extension Unicode.Scalar {
  /// Whether Unicode 6.1 has the scalar.
  fileprivate var isOld: Bool {
    guard let age = properties.age else { return false }
    return (age.major, age.minor) <= (6, 1)
  }
}
