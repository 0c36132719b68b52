package import Foundation

/// Foundation's values in archived objects. Each function returns `nil` for an object of another class.
extension ArchivedObject {
  package func whole() throws -> Int64? {
    switch content {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): Int64(exactly: value)
    case .real(let value): Int64(exactly: value)
    default: try decimal().flatMap { Int64("\($0)") }
    }
  }

  package func real() throws -> Double? {
    switch content {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): Double(value)
    case .real(let value): value
    default: try decimal().flatMap { Double("\($0)") }
    }
  }

  /// `NSDate`'s seconds since 2001.
  package func seconds() throws -> Double? {
    switch content {
    case .date(let value): return value
    case .dictionary:
      guard let time = try object("NS.time") else { return nil }
      switch time.content {
      case .real(let value), .date(let value): return value
      case .integer(let value): return Double(value)
      default: return nil
      }
    default: return nil
    }
  }

  package func bytes() throws -> Data? {
    if case .data(let data) = content { return data }
    guard case .dictionary = content, case .data(let data)? = try object("NS.data")?.content else { return nil }
    return data
  }

  package func uuid() throws -> UUID? {
    guard case .data(let data)? = try object("NS.uuidbytes")?.content, data.count == 16 else { return nil }
    let b = [UInt8](data)
    return UUID(
      uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]))
  }

  /// `NSURL` without a base, or relative to one.
  package func address() throws -> String? {
    if let text { return text }
    guard let relative = try object("NS.relative")?.text else { return nil }
    guard let base = try object("NS.base")?.object("NS.relative")?.text else { return relative }
    return URL(string: relative, relativeTo: URL(string: base))?.absoluteString ?? relative
  }

  /// `NSDecimalNumber`: sign, exponent of ten and a mantissa of 16-bit words.
  package func decimal() throws -> Decimal? {
    switch content {
    case .boolean(let value): return value ? 1 : 0
    case .integer(let value): return Decimal(string: "\(value)")
    case .real(let value): return Decimal(string: "\(value)")
    case .dictionary:
      guard case .data(let mantissa)? = try object("NS.mantissa")?.content, mantissa.count <= 16,
        let exponent = try integer("NS.exponent"), -128...127 ~= exponent
      else { return nil }
      let archived = ArchivedMantissa(mantissa, isBigEndian: try integer("NS.mantissa.bo") == 2)
      let wordCount = try integer("NS.length").flatMap { 0..<8 ~= $0 ? $0 : nil } ?? 8
      return archived.decimal(wordCount: wordCount, exponent: exponent, isNegative: try flag("NS.negative"))
    default: return nil
    }
  }
}
