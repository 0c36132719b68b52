import Foundation

/// Searches in ASCII texts, byte by byte. They are most of the texts of most stores, and Foundation's search costs some twenty times
/// as much.
///
/// Each answer is `nil` if the bytes do not decide: a text has other characters, or control characters other than tabs and line feeds.
package enum ASCIIText {
  /// Whether the characters of `part` occur in `text` one after another.
  package static func contains(
    _ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>, ignoringCase: Bool
  ) -> Bool? {
    guard let first = part.first, !ignoringCase || foldsPlainly, isPlain(part) else { return nil }
    if part.count > longestPart { return isPlain(text) ? occurs(part, in: text, ignoringCase) : nil }
    let last = text.count &- part.count
    let caseBit: UInt8 = ignoringCase && isLetter(first) ? 0x20 : 0
    let (folding, wanted) = (UInt64(caseBit) &* each, UInt64(first | caseBit) &* each)
    let beginning = Beginning(of: part, ignoringCase: ignoringCase)
    var isFound = false
    let isDecided = words(of: text) { start, word in
      guard isPlain(word) else { return false }
      var places = isFound ? 0 : zeros(in: (word | folding) ^ wanted)
      while places != 0 {
        let place = start &+ places.trailingZeroBitCount / 8
        guard place <= last else { break }
        isFound = beginning.occurs(in: text, at: place) && rest(of: part, isAt: place, of: text, ignoringCase)
        places = isFound ? 0 : places & (places &- 1)
      }
      return true
    }
    return isDecided ? isFound : nil
  }

  /// The length of a part that is compared from each place anew. A longer one in a repetitive text would cost the product of the lengths.
  private static let longestPart = 64

  /// Whether the bytes of a long part occur, found in one pass (Knuth, Morris and Pratt, "Fast pattern matching in strings").
  private static func occurs(
    _ part: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, _ ignoringCase: Bool
  ) -> Bool {
    guard part.count <= text.count else { return false }
    func byte(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> UInt8 {
      ignoringCase ? lowercased(text[index]) : text[index]
    }
    // For each beginning of the part, the length of the longest shorter beginning that is also its end.
    var borders = [0]
    borders.reserveCapacity(part.count)
    var length = 0
    for index in 1..<part.count {
      while length > 0, byte(part, index) != byte(part, length) { length = borders[length - 1] }
      if byte(part, index) == byte(part, length) { length += 1 }
      borders.append(length)
    }
    length = 0
    for index in text.indices {
      while length > 0, byte(text, index) != byte(part, length) { length = borders[length - 1] }
      if byte(text, index) == byte(part, length) { length += 1 }
      if length == part.count { return true }
    }
    return false
  }

  /// Whether `text` begins with `prefix`.
  package static func starts(_ text: UnsafeBufferPointer<UInt8>, with prefix: UnsafeBufferPointer<UInt8>) -> Bool? {
    guard isPlain(prefix), isPlain(text) else { return nil }
    return prefix.count <= text.count && Beginning(of: prefix, ignoringCase: false).occurs(in: text, at: 0)
      && rest(of: prefix, isAt: 0, of: text, false)
  }

  /// Whether the bytes after the first eight of a part are in their place in a text that has room for them.
  @inline(__always)
  private static func rest(
    of part: UnsafeBufferPointer<UInt8>, isAt place: Int, of text: UnsafeBufferPointer<UInt8>, _ ignoringCase: Bool
  ) -> Bool {
    var index = 8
    while index < part.count {
      let (one, other) = (text[place &+ index], part[index])
      guard ignoringCase ? lowercased(one) == lowercased(other) : one == other else { return false }
      index &+= 1
    }
    return true
  }

  /// The first eight bytes of a part, compared at once: most parts are not longer.
  private struct Beginning {
    private let word: UInt64
    /// All bits of the bytes that count.
    private let mask: UInt64
    private let ignoresCase: Bool

    @inline(__always)
    init(of part: UnsafeBufferPointer<UInt8>, ignoringCase: Bool) {
      let word = ASCIIText.word(of: part, at: 0)
      self.word = ignoringCase ? lowercased(word) : word
      mask = part.count >= 8 ? .max : (1 &<< UInt64(8 * part.count)) &- 1
      ignoresCase = ignoringCase
    }

    @inline(__always)
    func occurs(in text: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
      let found = ASCIIText.word(of: text, at: place)
      return ((ignoresCase ? lowercased(found) : found) ^ word) & mask == 0
    }
  }

  /// Eight bytes of a text, the first one in the lowest bits; spaces after the text's end.
  @inline(__always)
  private static func word(of text: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt64 {
    let rest = text.count &- start
    if rest >= 8 { return load(text, start) }
    let spaces = (0x20 &* each) &<< UInt64(8 &* rest)
    if text.count >= 8 { return load(text, text.count &- 8) &>> UInt64(8 &* (8 &- rest)) | spaces }
    var (word, index) = (UInt64(0), text.count)
    while index > start {
      index &-= 1
      word = word &<< 8 | UInt64(text[index])
    }
    return word | spaces
  }

  @inline(__always)
  private static func load(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt64 {
    UInt64(littleEndian: UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: start, as: UInt64.self))
  }

  /// Calls `body` with the places and bytes of eight characters at a time, until it answers `false`.
  ///
  /// The first byte is in a word's lowest bits. The last word may have characters of the word before it again. A text of less than
  /// eight characters gives one word, with spaces behind it.
  ///
  /// - Returns: whether `body` answered `true` each time.
  @inline(__always)
  private static func words(of text: UnsafeBufferPointer<UInt8>, _ body: (Int, UInt64) -> Bool) -> Bool {
    let last = text.count &- 8
    guard last >= 0 else { return body(0, word(of: text, at: 0)) }
    var start = 0
    while true {
      start = min(start, last)
      guard body(start, load(text, start)) else { return false }
      if start == last { return true }
      start &+= 8
    }
  }

  /// Whether each byte is a character that counts: Foundation overlooks some control characters.
  @inline(__always)
  private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool { words(of: text) { isPlain($1) } }

  /// Whether each byte of a word is a character that counts. Most texts have letters, digits and spaces only.
  @inline(__always)
  private static func isPlain(_ word: UInt64) -> Bool {
    isPrintable(word) || withUnsafeBytes(of: word) { $0.allSatisfy(isPlain) }
  }

  @inline(__always)
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
  }

  /// 1 in each byte of a word.
  private static let each: UInt64 = 0x0101_0101_0101_0101
  /// The highest bit of each byte of a word.
  private static let highest: UInt64 = 0x8080_8080_8080_8080

  /// Whether each of eight bytes is from a space to a tilde.
  ///
  /// Adding 1 to a byte sets its highest bit if it is 127; subtracting 32 does if it is less than 32, and may do if a byte before it is.
  @inline(__always)
  private static func isPrintable(_ bytes: UInt64) -> Bool {
    guard bytes & highest == 0 else { return false }
    return ((bytes &+ each) | (bytes &- each &* 0x20)) & highest == 0
  }

  /// The highest bit of each byte that is 0, in a word whose bytes are less than 128.
  @inline(__always)
  private static func zeros(in bytes: UInt64) -> UInt64 { ~(bytes &+ each &* 0x7F) & highest }

  @inline(__always)
  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  /// The small letters of a word whose bytes are less than 128.
  ///
  /// The first sum sets the highest bit of each byte from `A` on, the second one of each byte after `Z`.
  @inline(__always)
  private static func lowercased(_ bytes: UInt64) -> UInt64 {
    bytes | ((bytes &+ each &* 0x3F) & ~(bytes &+ each &* 0x25) & highest) &>> 2
  }

  @inline(__always)
  private static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// Whether the locale's rules of case are those of ASCII: `I` and `i` are not a pair in Turkish and Azerbaijani, and Lithuanian
  /// has rules of its own.
  private static let foldsPlainly = !["tr", "az", "lt"].contains(Locale.current.language.languageCode?.identifier ?? "")
}

extension StringFunctions {
  /// The answer of ``ASCIIText`` about two texts; `nil` where bytes do not decide.
  static func asciiAnswer(
    _ text: String, _ other: String, _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool?
  ) -> Bool? {
    text.utf8.withContiguousStorageIfAvailable { text in
      other.utf8.withContiguousStorageIfAvailable { body(text, $0) } ?? nil
    } ?? nil
  }
}
