package import Foundation
import Synchronization

extension StringFunctions {
  /// Whether a text matches a pattern: `?` matches one character, `*` any number of characters, and `\x` the character x.
  ///
  /// Cost: the product of the lengths at worst.
  package static func like(_ text: String, _ pattern: String) -> Bool {
    let letters = Array(text)
    let steps = WildcardStep.steps(of: pattern)
    var (letter, step) = (0, 0)
    // The place of the last `*`, and the end of the text that it matches so far.
    var star: (step: Int, letter: Int)?
    while letter < letters.count {
      if step < steps.count, steps[step] == .any {
        star = (step, letter)
        step += 1
      } else if step < steps.count, steps[step].accepts(letters[letter]) {
        step += 1
        letter += 1
      } else if let last = star {
        star = (last.step, last.letter + 1)
        (letter, step) = (last.letter + 1, last.step + 1)
      } else {
        return false
      }
    }
    return steps[step...].allSatisfy { $0 == .any }
  }

  /// The beginning that all texts share that match a pattern.
  package static func literalPrefix(ofPattern pattern: String) -> String {
    var prefix = ""
    for case .letter(let letter) in WildcardStep.steps(of: pattern).prefix(while: { $0 != .any && $0 != .one }) {
      prefix.append(letter)
    }
    return prefix
  }

  /// A pattern of ``like(_:_:)`` in another syntax.
  ///
  /// - Parameters:
  ///   - any: what matches any number of characters.
  ///   - one: what matches one character.
  ///   - letter: what matches exactly one given character; `nil` if the syntax has nothing for it.
  /// - Returns: `nil` if the syntax lacks one of the pattern's characters.
  package static func translation(
    ofPattern pattern: String, any: String, one: String, letter: (Character) -> String?
  ) -> String? {
    var result = ""
    for step in WildcardStep.steps(of: pattern) {
      switch step {
      case .any: result += any
      case .one: result += one
      case .letter(let character):
        guard let spelling = letter(character) else { return nil }
        result += spelling
      }
    }
    return result
  }

  private enum WildcardStep: Equatable {
    case any, one
    case letter(Character)

    func accepts(_ letter: Character) -> Bool { self == .one || self == .letter(letter) }

    static func steps(of pattern: String) -> [WildcardStep] {
      var steps: [WildcardStep] = []
      var isEscaped = false
      for letter in pattern {
        switch letter {
        case "\\" where !isEscaped:
          isEscaped = true
          continue
        case "*" where !isEscaped: steps.append(.any)
        case "?" where !isEscaped: steps.append(.one)
        default: steps.append(.letter(letter))
        }
        isEscaped = false
      }
      if isEscaped { steps.append(.letter("\\")) }
      return steps
    }
  }

  /// Whether a text is a regular expression (ICU's).
  package static func isPattern(_ text: String) -> Bool { Patterns.expression(text, ignoringCase: false) != nil }

  /// Whether a regular expression (ICU's) matches a whole text; false for a pattern that is no regular expression.
  package static func matches(_ text: String, _ pattern: String, ignoring options: String.CompareOptions) -> Bool {
    if options.contains(.diacriticInsensitive) {
      return matches(
        folded(text, .diacriticInsensitive), folded(pattern, .diacriticInsensitive),
        ignoring: options.subtracting(.diacriticInsensitive))
    }
    guard let expression = Patterns.expression(pattern, ignoringCase: options.contains(.caseInsensitive)) else {
      return false
    }
    return expression.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
  }

  /// Compiled regular expressions; a query uses the same expression for every row.
  private enum Patterns {
    /// Texts that are equal in Swift may be different patterns: ICU compares code units, and takes `e` with an accent for two characters.
    private struct Key: Hashable {
      let pattern: String
      let ignoresCase: Bool

      static func == (one: Key, other: Key) -> Bool {
        one.ignoresCase == other.ignoresCase && one.pattern.utf8.elementsEqual(other.pattern.utf8)
      }

      func hash(into hasher: inout Hasher) {
        hasher.combine(ignoresCase)
        for byte in pattern.utf8 { hasher.combine(byte) }
      }
    }

    private static let known = Mutex<[Key: NSRegularExpression]>([:])

    static func expression(_ pattern: String, ignoringCase: Bool) -> NSRegularExpression? {
      let key = Key(pattern: pattern, ignoresCase: ignoringCase)
      return known.withLock { known in
        if let expression = known[key] { return expression }
        let options: NSRegularExpression.Options =
          ignoringCase ? [.dotMatchesLineSeparators, .caseInsensitive] : [.dotMatchesLineSeparators]
        guard let expression = whole(pattern, options) else { return nil }
        // Patterns may come from columns, so the cache has a limit.
        if known.count >= 64 { known.removeAll() }
        known[key] = expression
        return expression
      }
    }

    /// The expression that matches a whole text; `nil` for a pattern that is no regular expression.
    ///
    /// The pattern becomes a group. An open comment or quotation at its end would hide the end of the group, so it is closed first.
    private static func whole(_ pattern: String, _ options: NSRegularExpression.Options) -> NSRegularExpression? {
      guard (try? NSRegularExpression(pattern: pattern, options: options)) != nil else { return nil }
      return ["", "\n", "\\E"].lazy.compactMap { end in
        try? NSRegularExpression(pattern: "\\A(?:\(pattern)\(end))\\z", options: options)
      }.first
    }
  }
}
