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
    guard let first = part.first, !ignoringCase || foldsPlainly, isPlain(part), isPlain(text) else { return nil }
    guard part.count <= text.count else { return false }
    let last = text.count - part.count
    if !ignoringCase {
      for start in 0...last where text[start] == first {
        if matches(text, start, part, { $0 }) { return true }
      }
      return false
    }
    let (lower, upper) = (lowercased(first), uppercased(first))
    for start in 0...last where text[start] == lower || text[start] == upper {
      if matches(text, start, part, lowercased) { return true }
    }
    return false
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
    for index in 0..<part.count where fold(text[start + index]) != fold(part[index]) { return false }
    return true
  }

  /// Whether each byte is a character that counts: Foundation overlooks some control characters.
  @inline(__always)
  private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(text)
    var index = 0
    // Eight bytes at a time: most texts have letters, digits and spaces only.
    while index + 8 <= bytes.count {
      if !isPrintable(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) {
        for byte in bytes[index..<index + 8] where !isPlain(byte) { return false }
      }
      index += 8
    }
    for byte in bytes[index...] where !isPlain(byte) { return false }
    return true
  }

  @inline(__always)
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
  }

  /// Whether each of eight bytes is from a space to a tilde.
  ///
  /// Adding 1 to a byte sets its highest bit if it is 127; subtracting 32 does if it is less than 32, and may do if a byte before it is.
  @inline(__always)
  private static func isPrintable(_ bytes: UInt64) -> Bool {
    let (each, highest): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    guard bytes & highest == 0 else { return false }
    return ((bytes &+ each) | (bytes &- each &* 0x20)) & highest == 0
  }

  @inline(__always)
  private static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  @inline(__always)
  private static func uppercased(_ byte: UInt8) -> UInt8 { byte &- 0x61 < 26 ? byte & ~0x20 : byte }

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
