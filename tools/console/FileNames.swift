/// Makes file names from arbitrary names: never a path, and all different, even if case does not count.
package struct FileNames {
  private var taken: Set<String> = []

  package init() {}

  /// A name of letters, digits and a few signs, of at most 100 characters, with a number if it is already taken.
  package mutating func take(_ name: String, extension suffix: String) -> String {
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
    var candidate = "\(plain).\(suffix)"
    var number = 2
    while !taken.insert(candidate.lowercased()).inserted {
      candidate = "\(plain)_\(number).\(suffix)"
      number += 1
    }
    return candidate
  }
}
