extension String {
  /// The result of a mapping of the whole text, which is made piece by piece.
  ///
  /// Foundation moves the rest of a text for each character whose form has another length. So a long text would cost the square of its
  /// length. Each piece begins with a character that composes with nothing before it, so the result is the same.
  ///
  /// - Parameter map: maps each character alone, or with the combining characters after it.
  func mappedInPieces(_ map: (String) -> String) -> String {
    guard utf8.count > 2 * Self.pieceLength else { return map(self) }
    var result = ""
    result.reserveCapacity(utf8.count)
    var (start, length) = (unicodeScalars.startIndex, 0)
    for index in unicodeScalars.indices {
      if length >= Self.pieceLength, Self.beginsPiece(unicodeScalars[index]) {
        result += map(String(unicodeScalars[start..<index]))
        (start, length) = (index, 0)
      }
      length += 1
    }
    return result + map(String(unicodeScalars[start...]))
  }

  private static let pieceLength = 256

  /// Whether a character composes with nothing before it: characters in ASCII, letters, first parts of Hangul syllables, ideographs and
  /// symbols.
  private static func beginsPiece(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x80: true
    case 0x1160..<0x1200, 0xA960..<0xA980, 0xD7B0..<0xD800, 0x1F3FB..<0x1F400: false
    case 0x1F000..<0x30000: true
    case 0x10000...: false
    default: scalar.properties.generalCategory.isOfLetters
    }
  }
}

extension Unicode.GeneralCategory {
  fileprivate var isOfLetters: Bool {
    switch self {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter: true
    default: false
    }
  }
}
