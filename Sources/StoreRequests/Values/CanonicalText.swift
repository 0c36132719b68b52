import Foundation

/// The order and the equality of strings as Swift has them: two are equal if they are canonically equivalent, and of two
/// that are not the one stands first whose scalars do when composed (NFC).
///
/// SQLite compares bytes. The collation made of this belongs to our queries only; no stored schema names it.
///
/// An index is in the order of bytes, which is another where a text is not composed: "e\u{301}" stands before "f" by bytes, and
/// behind "z" composed. No range of an index holds all texts on one side of "f", so that `<` and sorting do without it, except
/// beside texts of characters below `;`, which are never composed. Equality looks for each form, and a beginning for the
/// range of each form.
package enum CanonicalText {
  /// Less than, equal to or greater than zero, for texts in UTF-8.
  ///
  /// Where the bytes part at ASCII characters that nothing follows which might be composed with them, those decide: what
  /// precedes an ASCII character has no part in how it is composed. Otherwise Swift compares.
  package static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let common = min(left.count, right.count)
    var index = 0
    while index < common, left[index] == right[index] { index += 1 }
    if index == common, left.count == right.count { return 0 }
    if isPlain(left, from: index), isPlain(right, from: index) {
      // The end stands before every character.
      let one = index < left.count ? Int(left[index]) : -1
      let other = index < right.count ? Int(right[index]) : -1
      return one - other
    }
    let (one, other) = (String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))
    return order(one, other)
  }

  /// Swift's order, made total: of a text that is composed otherwise than the beginning of another (U+212A before "Ké"), Swift
  /// says neither that it is less nor that it is greater.
  package static func order(_ one: String, _ other: String) -> Int {
    if one == other { return 0 }
    if one < other { return -1 }
    if other < one { return 1 }
    let (left, right) = (one.precomposedStringWithCanonicalMapping, other.precomposedStringWithCanonicalMapping)
    return left.unicodeScalars.lexicographicallyPrecedes(right.unicodeScalars) ? -1 : 1
  }

  /// Whether the text goes on with an ASCII character that keeps to itself, or ends.
  private static func isPlain(_ text: UnsafeRawBufferPointer, from index: Int) -> Bool {
    (index >= text.count || text[index] < 0x80) && (index + 1 >= text.count || text[index + 1] < 0x80)
  }

  // MARK: Forms

  /// How many forms of a text are worth looking for.
  package static let formLimit = 128
  /// How many scalars a text may have for its forms to be told.
  private static let lengthLimit = 256

  /// All texts that are canonically equivalent to a text, itself included: what `=` has to look for by bytes.
  ///
  /// - Returns: `nil` if there are more than ``formLimit``, or if they cannot be told; the collation has to compare then.
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
      // Every spelling that is begun can be ended.
      if open.count + complete.count > formLimit { return nil }
    }
    return complete
  }

  /// ASCII characters that another character is equivalent to: U+037E, U+1FEF, U+212A.
  private static let asciiDoubles: [UInt8] = [UInt8(ascii: ";"), UInt8(ascii: "`"), UInt8(ascii: "K")]

  /// Whether Foundation's tables say of a scalar what Swift's say: in the second plane they are older, so that only what
  /// takes no part in composition is known there.
  private static func isKnown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x10000, 0x20000..<0x30000: true
    default: scalar.properties.isEmoji
    }
  }

  /// A text on the way to be equivalent to another.
  private struct Spelling {
    var scalars = String.UnicodeScalarView()
    /// Combining marks of the last character that are yet to come, in canonical order.
    var marks: [Unicode.Scalar] = []
    /// Where the next character starts in the decomposed text.
    var next = 0

    init(of text: [Unicode.Scalar]) { takeMarks(text) }

    func isComplete(_ text: [Unicode.Scalar]) -> Bool { marks.isEmpty && next == text.count }

    /// The same, one scalar longer, in each way that is possible.
    func continuations(_ text: [Unicode.Scalar]) -> [Spelling] {
      guard !marks.isEmpty else { return candidates(for: text[next], text).compactMap { adding($0, text) } }
      // Marks of different classes may come in any order, those of one class keep theirs.
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

    /// Counts a scalar of the decomposed text as spelled; `false` if it is not its turn.
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

/// A scalar and what it is canonically decomposed to.
private struct Composite {
  let scalar: Unicode.Scalar
  let parts: [Unicode.Scalar]

  /// Where characters with a decomposition are, those left out that ``CanonicalText`` does not know, and Hangul syllables,
  /// which are computed.
  private static let blocks: [ClosedRange<UInt32>] = [0xC0...0x3100, 0xF900...0xFB50, 0x2F800...0x2FA20]

  /// All of them by the first scalar of their decomposition; made on first use, in some milliseconds.
  static let byFirstPart: [Unicode.Scalar: [Composite]] = {
    let candidates = blocks.flatMap { $0.compactMap(Unicode.Scalar.init) }
    // One text for all: a line feed keeps neighbours from being composed.
    var all = String.UnicodeScalarView()
    for scalar in candidates { all += [scalar, "\n"] }
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
