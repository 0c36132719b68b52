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
    let last = text.count &- part.count
    let caseBit: UInt8 = ignoringCase && isLetter(first) ? 0x20 : 0
    let (folding, wanted) = (UInt64(caseBit) &* each, UInt64(first | caseBit) &* each)
    var isFound = false
    let isDecided = words(of: text) { start, word in
      guard isPlain(word) else { return false }
      var places = isFound ? 0 : zeros(in: (word | folding) ^ wanted)
      while places != 0 {
        let place = start &+ places.trailingZeroBitCount / 8
        guard place <= last else { break }
        isFound = ignoringCase ? matches(text, place, part, lowercased) : matches(text, place, part, { $0 })
        places = isFound ? 0 : places & (places &- 1)
      }
      return true
    }
    return isDecided ? isFound : nil
  }

  /// Whether `text` begins with `prefix`.
  package static func starts(_ text: UnsafeBufferPointer<UInt8>, with prefix: UnsafeBufferPointer<UInt8>) -> Bool? {
    guard isPlain(prefix), isPlain(text) else { return nil }
    return prefix.count <= text.count && matches(text, 0, prefix, { $0 })
  }

  @inline(__always)
  private static func matches(
    _ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ part: UnsafeBufferPointer<UInt8>, _ fold: (UInt8) -> UInt8
  ) -> Bool {
    var index = 0
    while index < part.count {
      guard fold(text[start &+ index]) == fold(part[index]) else { return false }
      index &+= 1
    }
    return true
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
    guard last >= 0 else {
      var (word, index) = (0x20 &* each, text.count)
      while index > 0 {
        index &-= 1
        word = word &<< 8 | UInt64(text[index])
      }
      return body(0, word)
    }
    let bytes = UnsafeRawBufferPointer(text)
    var start = 0
    while true {
      start = min(start, last)
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
      guard body(start, word) else { return false }
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
