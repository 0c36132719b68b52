import Foundation
import ManagedModel

extension ModelDecoder {
  func userInfo(_ object: ArchivedObject) throws -> [String: UserInfoValue] {
    guard let userInfo = try object.object("NSUserInfo") else { return [:] }
    return try object.archive.userInfo(userInfo) { userInfo in
      guard let entries = try userInfo.entries(as: "NSUserInfo") else {
        throw ArchiveFault(key: "NSUserInfo", problem: "is not a dictionary")
      }
      var result: [String: UserInfoValue] = [:]
      for (key, value) in entries { result[key] = try value.userInfoValue(depth: 0) }
      return result
    }
  }
}

extension ArchivedObject {
  /// Any property-list value; what is none, such as an object of the program's own, is a fault.
  fileprivate func userInfoValue(depth: Int) throws -> UserInfoValue {
    guard depth <= ModelDecoder.maximumDepth else {
      throw ArchiveFault(key: "NSUserInfo", problem: "is nested too deeply")
    }
    if let text { return .string(text) }
    switch content {
    case .boolean(let value): return .boolean(value)
    case .integer(let value):
      guard let number = Int64(exactly: value) else { break }
      return .integer(number)
    case .real(let value): return .real(value)
    default:
      if let data = try bytes("NSUserInfo") { return .data(data) }
      if let seconds = try seconds() { return .date(seconds) }
      if let entries = try entries(as: "NSUserInfo") {
        var result: [String: UserInfoValue] = [:]
        for (key, value) in entries { result[key] = try value.userInfoValue(depth: depth + 1) }
        return .dictionary(result)
      }
      if let elements = try elements(as: "NSUserInfo") {
        return .array(try elements.map { try $0.userInfoValue(depth: depth + 1) })
      }
    }
    throw ArchiveFault(key: "NSUserInfo", problem: "has a value that is no property-list value")
  }

  /// The object as a value of the type; `nil` if it is none, such as the default of a transformable attribute.
  func value(for type: AttributeType) throws -> AttributeValue? {
    switch type {
    case .integer16, .integer32, .integer64: try whole().map(AttributeValue.integer)
    case .boolean: try whole().map { .boolean($0 != 0) }
    case .double: try real().map(AttributeValue.double)
    // What is the nearest number of 32 bits to 0.1 is told as 0.1.
    case .float: try real().map { .double(Float($0).isFinite ? Double("\(Float($0))") ?? $0 : $0) }
    case .decimal: try decimal().map(AttributeValue.decimal)
    case .string: text.map(AttributeValue.string)
    case .date: try seconds().map(AttributeValue.date)
    case .uuid: try uuid().map(AttributeValue.uuid)
    case .uri: try address().map(AttributeValue.uri)
    case .binary: try bytes("NSDefaultValue").map(AttributeValue.binary)
    case .undefined, .transformable, .objectID, .composite: nil
    }
  }

  private func whole() throws -> Int64? {
    switch content {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): Int64(exactly: value)
    case .real(let value): Int64(exactly: value)
    default: try decimal().flatMap { Int64("\($0)") }
    }
  }

  private func real() throws -> Double? {
    switch content {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): Double(value)
    case .real(let value): value
    default: try decimal().flatMap { Double("\($0)") }
    }
  }

  /// `NSDate`'s seconds since 2001.
  func seconds() throws -> Double? {
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

  private func bytes(_ key: String) throws -> Data? {
    if case .data(let data) = content { return data }
    guard case .dictionary = content, case .data(let data)? = try object("NS.data")?.content else { return nil }
    return data
  }

  private func uuid() throws -> UUID? {
    guard case .data(let data)? = try object("NS.uuidbytes")?.content, data.count == 16 else { return nil }
    let b = [UInt8](data)
    return UUID(
      uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]))
  }

  /// `NSURL` without a base, or relative to one.
  private func address() throws -> String? {
    if let text { return text }
    guard let relative = try object("NS.relative")?.text else { return nil }
    guard let base = try object("NS.base")?.object("NS.relative")?.text else { return relative }
    return URL(string: relative, relativeTo: URL(string: base))?.absoluteString ?? relative
  }

  /// `NSDecimalNumber`: sign, exponent of ten and a mantissa of 16-bit words.
  func decimal() throws -> Decimal? {
    switch content {
    case .boolean(let value): return value ? 1 : 0
    case .integer(let value): return Decimal(string: "\(value)")
    case .real(let value): return Decimal(string: "\(value)")
    case .dictionary:
      guard case .data(let mantissa)? = try object("NS.mantissa")?.content, mantissa.count <= 16,
        let exponent = try integer("NS.exponent"), -128...127 ~= exponent
      else { return nil }
      let isLittleEndian = try integer("NS.mantissa.bo") != 2
      let bytes = [UInt8](mantissa)
      var words: [UInt128] = stride(from: 0, to: bytes.count - 1, by: 2).map { position in
        let (first, second) = (UInt128(bytes[position]), UInt128(bytes[position + 1]))
        return isLittleEndian ? first | second << 8 : second | first << 8
      }
      if let length = try integer("NS.length"), 0..<words.count ~= length { words.removeLast(words.count - length) }
      let digits = words.reversed().reduce(UInt128(0)) { $0 << 16 | $1 }
      let sign = try flag("NS.negative") ? "-" : ""
      return Decimal(string: "\(sign)\(digits)e\(exponent)")
    default: return nil
    }
  }
}
