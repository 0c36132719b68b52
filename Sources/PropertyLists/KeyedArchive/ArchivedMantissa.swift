package import Foundation

/// The digits of an archived `NSDecimalNumber`: 16-bit words, least significant first, in the byte order of the writing
/// machine.
package struct ArchivedMantissa: Sendable {
  package let bytes: Data
  private let isBigEndian: Bool
  /// The number of words that the digits need.
  package let wordCount: Int

  init(_ bytes: Data, isBigEndian: Bool) {
    self.bytes = bytes
    self.isBigEndian = isBigEndian
    wordCount = bytes.count / 2
  }

  /// Eight little-endian words, as all current machines write them. The word count of NaN is 0.
  package init(_ number: Decimal) {
    let digits = number.isNaN ? 0 : UInt128("\(number.significand)".filter(\.isNumber)) ?? 0
    var bytes = Data()
    for shift in stride(from: 0, to: 128, by: 8) { bytes.append(UInt8(truncatingIfNeeded: digits >> shift)) }
    self.bytes = bytes
    isBigEndian = false
    wordCount = (128 - digits.leadingZeroBitCount + 15) / 16
  }

  /// The number that the first words make. Words beyond the bytes count as zero.
  func decimal(wordCount: Int, exponent: Int, isNegative: Bool) -> Decimal? {
    let bytes = Array(bytes)
    var digits: UInt128 = 0
    for word in (0..<min(wordCount, bytes.count / 2, 8)).reversed() {
      let (first, second) = (UInt128(bytes[2 * word]), UInt128(bytes[2 * word + 1]))
      digits = digits << 16 | (isBigEndian ? first << 8 | second : second << 8 | first)
    }
    return Decimal(string: "\(isNegative ? "-" : "")\(digits)e\(exponent)")
  }
}
