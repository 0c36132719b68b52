package import Foundation

/// The binary form of `numeric`: groups of four decimal digits, the weight of the first one, sign, and digits after the point.
package enum Numeric {
  private static let negative: UInt16 = 0x4000
  private static let notANumber: UInt16 = 0xC000
  private static let positiveInfinity: UInt16 = 0xD000
  private static let negativeInfinity: UInt16 = 0xF000

  /// Appends a decimal number. Equal numbers have equal forms.
  package static func append(_ number: Decimal, to bytes: inout [UInt8]) {
    guard !number.isNaN else { return append(special: notANumber, to: &bytes) }
    // Without exponent: "-120.05".
    let text = number.magnitude.description.utf8
    let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.endIndex
    var whole = Array(text[..<point])
    var fraction = point == text.endIndex ? [] : Array(text[text.index(after: point)...])
    let scale = fraction.count
    while !whole.count.isMultiple(of: 4) { whole.insert(UInt8(ascii: "0"), at: 0) }
    while !fraction.count.isMultiple(of: 4) { fraction.append(UInt8(ascii: "0")) }
    var weight = whole.count / 4 - 1
    let digits = whole + fraction
    var groups = stride(from: 0, to: digits.count, by: 4).map { start in
      digits[start..<start + 4].reduce(Int16(0)) { $0 * 10 + Int16($1 &- UInt8(ascii: "0")) }
    }
    while groups.first == 0 {
      groups.removeFirst()
      weight -= 1
    }
    while groups.last == 0 { groups.removeLast() }
    if groups.isEmpty { weight = 0 }
    BinaryForm.append(Int16(groups.count), to: &bytes)
    BinaryForm.append(Int16(weight), to: &bytes)
    BinaryForm.append(number.sign == .minus && !groups.isEmpty ? negative : 0, to: &bytes)
    BinaryForm.append(Int16(scale), to: &bytes)
    for group in groups { BinaryForm.append(group, to: &bytes) }
  }

  package static func append(infinity sign: FloatingPointSign, to bytes: inout [UInt8]) {
    append(special: sign == .minus ? negativeInfinity : positiveInfinity, to: &bytes)
  }

  private static func append(special sign: UInt16, to bytes: inout [UInt8]) {
    for value in [0, 0, sign, 0] as [UInt16] { BinaryForm.append(value, to: &bytes) }
  }

  /// The number of a text form; `nil` for an infinite number, and for a text that is no number.
  package static func decimal(_ text: String) -> Decimal? {
    if text == "NaN" { return .nan }
    // Foundation takes `-x` and `-Infinity` for zero.
    guard text.first(where: { $0 != "-" && $0 != "+" })?.isWholeNumber == true else { return nil }
    return Decimal(string: text)
  }

  /// A number in its text form, for example `-120.05`, `NaN` or `Infinity`; `nil` for bytes that are no number.
  package static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
    func word(_ index: Int) -> Int {
      Int(Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: Int16.self)))
    }
    guard bytes.count >= 8 else { return nil }
    let count = word(0)
    guard count >= 0, bytes.count == 8 + count * 2 else { return nil }
    let weight = word(1)
    let sign = UInt16(truncatingIfNeeded: word(2))
    switch sign {
    case notANumber: return "NaN"
    case positiveInfinity: return "Infinity"
    case negativeInfinity: return "-Infinity"
    default: break
    }
    func group(_ place: Int) -> String {
      let index = weight - place
      let digits = String(index >= 0 && index < count ? word(4 + index) : 0)
      return String(repeating: "0", count: 4 - digits.count) + digits
    }
    var whole = weight < 0 ? "0" : (0...weight).reversed().map(group).joined()
    whole = String(whole.drop { $0 == "0" })
    let scale = max(0, word(3))
    let groups = (scale + 3) / 4
    let fraction = groups == 0 ? "" : (1...groups).map { group(-$0) }.joined().prefix(scale)
    return (sign == negative ? "-" : "") + (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : ".\(fraction)")
  }
}
