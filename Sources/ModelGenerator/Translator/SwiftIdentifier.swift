/// Makes Swift identifiers from names that may hold any character.
enum SwiftIdentifier {
  /// The greatest length of an identifier. Longer names are cut, so that a line of generated source stays readable.
  static let maximumLength = 100

  /// A type's name: the words of the name joined, each with a capital letter and otherwise unchanged.
  static func typeName(_ name: String, fallback: String = "Entity") -> String {
    if isPlain(name), name.utf8.first.map(isCapital) ?? false { return name }
    let words = words(of: name)
    return finish(words.map(capitalized).joined(), fallback: fallback)
  }

  /// A property's name: unchanged if it is an identifier, otherwise its words joined in camel case.
  static func propertyName(_ name: String, fallback: String = "property") -> String {
    if isPlain(name) { return name }
    let words = words(of: name)
    guard words.count > 1, let first = words.first else { return finish(words.first ?? "", fallback: fallback) }
    return finish(lowercased(first) + words.dropFirst().map(capitalized).joined(), fallback: fallback)
  }

  /// The name with its first character in upper case.
  static func capitalized(_ name: String) -> String {
    name.prefix(1).uppercased() + name.dropFirst()
  }

  /// The name with its first character in lower case.
  static func lowercased(_ name: String) -> String {
    name.prefix(1).lowercased() + name.dropFirst()
  }

  /// The name, cut to ``maximumLength`` scalars, combining marks included.
  static func cut(_ name: String) -> String {
    guard name.unicodeScalars.count > maximumLength else { return name }
    return String(String.UnicodeScalarView(name.unicodeScalars.prefix(maximumLength)))
  }

  /// Whether the name is an identifier of ASCII letters, digits and underscores. Most names are, and need no further
  /// work.
  private static func isPlain(_ name: String) -> Bool {
    guard let first = name.utf8.first, isLetter(first), name.utf8.count <= maximumLength else { return false }
    return name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { isCapital(byte & ~0x20) }
  private static func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// The parts of a name between characters that no identifier has. No part begins with a combining mark.
  private static func words(of name: String) -> [String] {
    name.unicodeScalars.split { !isContinuation($0) }
      .map { String(String.UnicodeScalarView($0.drop(while: isMark))) }
      .filter { !$0.isEmpty }
  }

  /// Excludes invisible characters, such as variation selectors: two names that differ in them would look the same.
  private static func isContinuation(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isXIDContinue && !scalar.properties.isDefaultIgnorableCodePoint
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  private static func finish(_ joined: String, fallback: String) -> String {
    let name = cut(joined)
    guard let first = name.unicodeScalars.first, name.contains(where: { $0 != "_" }) else { return fallback }
    return first == "_" || first.properties.isXIDStart ? name : fallback + name
  }
}
