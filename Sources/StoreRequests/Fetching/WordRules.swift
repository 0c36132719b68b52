import Foundation

/// How a text divides into words: as SQLite's tokenizer `unicode61` divides it, without diacritics. So a search finds the same objects over
/// both engines.
///
/// Its rules are those of Unicode 6.1, which are read from Swift's data. A scalar of a later version is a letter without case.
enum WordRules {
  /// The scalars between words.
  static let separators = ScalarRanges(candidates.filter(isSeparator))

  /// The letters of words, for scalars that are not their own letter. Most are capitals, or have a diacritic.
  static let letters: [Unicode.Scalar: Unicode.Scalar] = {
    var result: [Unicode.Scalar: Unicode.Scalar] = [:]
    for value in candidates where !isSeparator(value) {
      guard let scalar = Unicode.Scalar(value), let letter = letter(of: scalar), letter != scalar else { continue }
      result[scalar] = letter
    }
    return result
  }()

  /// The diacritics, which words do not have.
  static let diacritics: [Unicode.Scalar] =
    ([
      0x300...0x304, 0x306...0x30C, 0x30F...0x30F, 0x311...0x311, 0x31B...0x31B, 0x323...0x328, 0x32D...0x32E,
      0x330...0x331,
    ] as [ClosedRange<UInt32>]).flatMap { $0.compactMap(Unicode.Scalar.init) }

  /// The words of a text, in their order.
  static func words(of text: String) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isDiacritic(scalar) {
      if isBetweenWords(scalar) {
        if !word.isEmpty { words.append(String(word)) }
        word = String.UnicodeScalarView()
      } else {
        word.append(letters[scalar] ?? scalar)
      }
    }
    if !word.isEmpty { words.append(String(word)) }
    return words
  }

  private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
    (0x300...0x331).contains(scalar.value) && diacritics.contains(scalar)
  }

  private static func isBetweenWords(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      ? !scalar.properties.isAlphabetic && scalar.properties.numericType == nil : separators.contains(scalar)
  }

  // MARK: Unicode 6.1

  /// All scalars but ideographs of higher planes and scalars for private use, which are letters without case.
  private static let candidates = [1...0x1FFFF, 0xE0000...0xE01FF].flatMap { ($0 as ClosedRange<UInt32>).map(\.self) }

  private static func isSeparator(_ value: UInt32) -> Bool {
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
  private static func letter(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
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
