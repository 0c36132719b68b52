import StoreRequests

/// A pattern with `?` for one character and `*` for any number of them, as a pattern of the server's `LIKE`.
///
/// It is compared with texts in composed form, in which a mark replaces each character of several scalars; see ``CharacterClusters``. So
/// a character of the pattern must be one scalar, and no part of a cluster.
struct WildcardPattern {
  private let pattern: String

  init(_ pattern: String) { self.pattern = pattern }

  /// The pattern for texts with marks; `nil` if a character of the pattern is not one such scalar.
  var sql: String? { sql(one: "_") }

  /// A wider pattern, for texts without marks. It takes any number of scalars for one character, so it fits at least the texts that the
  /// pattern fits.
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
