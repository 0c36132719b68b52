import Foundation

/// Swift's order and equality of strings. Two strings are equal if they are canonically equivalent. Otherwise the order
/// of their scalars in composed form (NFC) decides.
///
/// SQLite compares bytes. Only our queries use the collation that is made of this; no stored schema names it.
///
/// An index has the order of bytes, which differs for text that is not composed: "e\u{301}" is before "f" by bytes, but
/// after "z" when composed. So no range of an index holds all texts on one side of "f", and neither `<` nor sorting
/// uses the index. The exception is a comparison with characters below `;`, which never compose. Equality searches for
/// every form of the text, and a prefix test for the range of every form.
package enum CanonicalText {
  /// Less than, equal to or greater than zero, for texts in UTF-8.
  ///
  /// Compares bytes directly if the first difference is in ASCII and no combining character follows. Text before an
  /// ASCII character has no part in its composition. Otherwise Swift compares.
  package static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let common = min(left.count, right.count)
    var index = 0
    while index < common, left[index] == right[index] { index += 1 }
    if index == common, left.count == right.count { return 0 }
    if isPlain(left, from: index), isPlain(right, from: index) {
      // The end of a text is less than every character.
      let one = index < left.count ? Int(left[index]) : -1
      let other = index < right.count ? Int(right[index]) : -1
      return one - other
    }
    let (one, other) = (String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))
    return order(one, other)
  }

  /// Swift's order, made total. For a text that composes differently than the prefix of another (U+212A before "Ké"),
  /// Swift calls neither text less than the other.
  package static func order(_ one: String, _ other: String) -> Int {
    if one == other { return 0 }
    if one < other { return -1 }
    if other < one { return 1 }
    let (left, right) = (composed(one), composed(other))
    return left.unicodeScalars.lexicographicallyPrecedes(right.unicodeScalars) ? -1 : 1
  }

  /// Whether an ASCII character follows that composes with nothing, or the end.
  private static func isPlain(_ text: UnsafeRawBufferPointer, from index: Int) -> Bool {
    (index >= text.count || text[index] < 0x80) && (index + 1 >= text.count || text[index + 1] < 0x80)
  }

  // MARK: Forms

  /// A text in composed form (NFC).
  ///
  /// Foundation does not compose a Hangul syllable with a final consonant that stands alone, so it starts with the decomposed text.
  package static func composed(_ text: String) -> String {
    text.mappedInPieces { $0.decomposedStringWithCanonicalMapping.precomposedStringWithCanonicalMapping }
  }

  /// The largest number of forms that a query searches for.
  package static let formLimit = 128
  /// The largest number of scalars in a text whose forms are computed.
  private static let lengthLimit = 256

  /// All texts that are canonically equivalent to a text, including itself: `=` has to search for each by bytes.
  ///
  /// - Returns: `nil` if there are more than ``formLimit``, or if they cannot be computed. The query then compares with
  ///   the collation.
  package static func forms(of text: String) -> [String]? {
    if text.utf8.allSatisfy({ $0 < 0x80 && !asciiDoubles.contains($0) }) { return [text] }
    guard text.unicodeScalars.prefix(lengthLimit + 1).count <= lengthLimit,
      text.unicodeScalars.allSatisfy(isKnown)
    else { return nil }
    let decomposed = Array(text.decomposedStringWithCanonicalMapping.unicodeScalars)
    var open = [Spelling(of: decomposed)]
    var complete: [String] = []
    while let spelling = open.popLast() {
      if spelling.isComplete(decomposed) {
        complete.append(String(spelling.scalars))
      } else {
        open += spelling.continuations(decomposed)
      }
      // Every spelling that was begun can be completed.
      if open.count + complete.count > formLimit { return nil }
    }
    return complete
  }

  /// Whether Foundation and Swift agree about the forms of a text; see ``forms(of:)``.
  package static func hasKnownForms(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isKnown) }

  /// The first text, by bytes, after all texts that begin with some bytes; `nil` if there is none.
  package static func following(prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      // The scalar after U+D7FF is U+E000, because surrogates are not scalars.
      if let next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1) {
        var result = String.UnicodeScalarView(scalars)
        result.append(next)
        return String(result)
      }
    }
    return nil
  }

  /// ASCII characters with an equivalent character: U+037E, U+1FEF, U+212A.
  private static let asciiDoubles: [UInt8] = [UInt8(ascii: ";"), UInt8(ascii: "`"), UInt8(ascii: "K")]

  /// Whether Foundation's tables agree with Swift's for a scalar. In the second plane Foundation's tables are older, so
  /// only scalars without composition are known there.
  private static func isKnown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x10000, 0x20000..<0x30000: true
    default: scalar.properties.isEmoji
    }
  }

  /// A spelling of a text, built scalar by scalar.
  private struct Spelling {
    var scalars = String.UnicodeScalarView()
    /// The combining marks of the last character that are still missing, in canonical order.
    var marks: [Unicode.Scalar] = []
    /// The start of the next character in the decomposed text.
    var next = 0

    init(of text: [Unicode.Scalar]) { takeMarks(text) }

    func isComplete(_ text: [Unicode.Scalar]) -> Bool { marks.isEmpty && next == text.count }

    /// The spellings with one more scalar, in all possible ways.
    func continuations(_ text: [Unicode.Scalar]) -> [Spelling] {
      guard !marks.isEmpty else { return candidates(for: text[next], text).compactMap { adding($0, text) } }
      // Marks of different classes may come in any order. Marks of one class keep their order.
      var classes: Set<UInt8> = []
      return marks.filter { classes.insert($0.combiningClass).inserted }
        .flatMap { candidates(for: $0, text) }.compactMap { adding($0, text) }
    }

    private func candidates(for first: Unicode.Scalar, _ text: [Unicode.Scalar]) -> [Composite] {
      [Composite(scalar: first, parts: [first])] + (Composite.byFirstPart[first] ?? [])
        + Composite.syllables(in: text[next...])
    }

    private func adding(_ composite: Composite, _ text: [Unicode.Scalar]) -> Spelling? {
      var result = self
      for part in composite.parts where !result.take(part, text) { return nil }
      result.scalars.append(composite.scalar)
      return result
    }

    /// Marks a scalar of the decomposed text as spelled. Returns `false` if another scalar has to come first.
    private mutating func take(_ scalar: Unicode.Scalar, _ text: [Unicode.Scalar]) -> Bool {
      if scalar.combiningClass == 0 {
        guard marks.isEmpty, next < text.count, text[next] == scalar else { return false }
        next += 1
        takeMarks(text)
        return true
      }
      guard let index = marks.firstIndex(where: { $0.combiningClass == scalar.combiningClass }),
        marks[index] == scalar
      else { return false }
      marks.remove(at: index)
      return true
    }

    private mutating func takeMarks(_ text: [Unicode.Scalar]) {
      while next < text.count, text[next].combiningClass != 0 {
        marks.append(text[next])
        next += 1
      }
    }
  }
}

/// A scalar and its canonical decomposition.
private struct Composite {
  let scalar: Unicode.Scalar
  let parts: [Unicode.Scalar]

  /// The blocks of characters with a decomposition, except blocks that ``CanonicalText`` does not know, and Hangul
  /// syllables, which are computed.
  private static let blocks: [ClosedRange<UInt32>] = [0xC0...0x3100, 0xF900...0xFB50, 0x2F800...0x2FA20]

  /// All composites by the first scalar of their decomposition. Made on first use, in some milliseconds.
  static let byFirstPart: [Unicode.Scalar: [Composite]] = {
    let candidates = blocks.flatMap { $0.compactMap(Unicode.Scalar.init) }
    // Decomposes one text with all scalars. A line feed keeps neighbours from composing.
    var all = String.UnicodeScalarView()
    for scalar in candidates {
      // Appending a sequence of scalars copies the whole text.
      all.append(scalar)
      all.append("\n")
    }
    let decomposed = String(all).decomposedStringWithCanonicalMapping.unicodeScalars.split(separator: "\n")
    var result: [Unicode.Scalar: [Composite]] = [:]
    for (scalar, parts) in zip(candidates, decomposed) {
      guard let first = parts.first, first != scalar || parts.count > 1 else { continue }
      result[first, default: []].append(Composite(scalar: scalar, parts: Array(parts)))
    }
    return result
  }()

  /// The Hangul syllables of two and three parts that a decomposed text starts with (Unicode, 3.12).
  static func syllables(in text: ArraySlice<Unicode.Scalar>) -> [Composite] {
    let values = text.prefix(3).map { Int($0.value) }
    guard values.count > 1, case 0..<19 = values[0] - 0x1100, case 0..<21 = values[1] - 0x1161 else { return [] }
    let pair = 0xAC00 + ((values[0] - 0x1100) * 21 + values[1] - 0x1161) * 28
    var syllables = [(pair, 2)]
    if values.count > 2, case 1..<28 = values[2] - 0x11A7 { syllables.append((pair + values[2] - 0x11A7, 3)) }
    return syllables.compactMap { value, length in
      Unicode.Scalar(UInt32(value)).map { Composite(scalar: $0, parts: Array(text.prefix(length))) }
    }
  }
}

extension Unicode.Scalar {
  fileprivate var combiningClass: UInt8 { properties.canonicalCombiningClass.rawValue }
}
