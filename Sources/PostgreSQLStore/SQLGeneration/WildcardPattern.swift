import StoreRequests

/// A pattern with `?` for one character and `*` for any number of them, as a pattern of the server's `LIKE`.
///
/// It fits texts in composed form in which a mark stands for each character of several scalars; see ``CharacterClusters``. So each character
/// of the pattern is one scalar, and none that ``CharacterClusters`` finds when it stands alone.
struct WildcardPattern {
  private let pattern: String

  init(_ pattern: String) { self.pattern = pattern }

  /// `nil` for a pattern with other characters.
  var sql: String? { sql(one: "_") }

  /// A pattern for texts without marks, which every text fits that fits the pattern. A character may have any number of scalars.
  var wideSQL: String? { sql(one: "%") }

  private func sql(one: String) -> String? {
    StringFunctions.translation(ofPattern: pattern, any: "%", one: one) { character in
      let scalars = CanonicalText.composed(String(character)).unicodeScalars
      guard scalars.count == 1, let scalar = scalars.first, Self.isTaken(scalar) else { return nil }
      return ["%", "_", "\\"].contains(scalar) ? "\\\(scalar)" : "\(scalar)"
    }
  }

  private static func isTaken(_ scalar: Unicode.Scalar) -> Bool {
    guard CanonicalText.hasKnownForms("\(scalar)") else { return false }
    return switch scalar.value {
    // Parts of Korean syllables, and the mark.
    case 0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF, CharacterClusters.mark.value: false
    default: true
    }
  }
}
