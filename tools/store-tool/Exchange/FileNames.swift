import ManagedModel

/// Makes file names from arbitrary names: never a path, and all different, even if case does not count.
struct FileNames {
  private var claims = NameClaims(isCaseSensitive: false)

  /// A name of letters, digits and a few signs, of at most 100 characters, with a number if it is already taken.
  mutating func take(_ name: String, extension suffix: String) -> String {
    let scalars = name.unicodeScalars.prefix(100).map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
        .nonspacingMark, .spacingMark, .letterNumber, .otherNumber:
        scalar
      default: "-_ $+".unicodeScalars.contains(scalar) ? scalar : "_"
      }
    }
    var plain = String(String.UnicodeScalarView(scalars))
    // File systems limit the bytes of a name; this limit leaves room for the extension and a number.
    while plain.utf8.count > 200 { plain.removeLast() }
    if plain.isEmpty || plain.first == "-" || plain.first == " " { plain = "_" + plain }
    return claims.claim("\(plain).\(suffix)", numbered: { _, number in "\(plain)_\(number).\(suffix)" })
  }
}
