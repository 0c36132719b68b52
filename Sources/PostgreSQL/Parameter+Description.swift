import Foundation

/// The value in SQL's spelling, for logs. Long texts, arrays and bytes are cut.
extension Parameter: CustomStringConvertible {
  package var description: String {
    guard let bytes else { return "NULL" }
    return bytes.withUnsafeBytes { ParameterText.text(of: $0, type) }
  }
}

private enum ParameterText {
  /// The most elements of an array, and the most bytes, that a text shows.
  private static let limit = 20
  /// The most scalars of a text. The pattern of characters is longer; see `CharacterClusters`.
  private static let textLimit = 1_000

  static func text(of bytes: UnsafeRawBufferPointer, _ type: UInt32) -> String {
    guard let type = DataType(rawValue: type) else { return array(bytes) ?? hexadecimal(bytes) }
    switch type {
    case .boolean: return bytes.first == 0 ? "false" : "true"
    case .integer16, .integer32, .integer64: return bytes.bigEndianInteger.map { "\($0)" } ?? hexadecimal(bytes)
    case .single, .double: return bytes.floatingPoint.map { "\($0)" } ?? hexadecimal(bytes)
    case .text, .json: return literal(String(decoding: bytes, as: UTF8.self))
    // A byte with the version of the form stands before the text.
    case .jsonb: return literal(String(decoding: bytes.dropFirst(), as: UTF8.self))
    case .numeric: return Numeric.text(bytes) ?? hexadecimal(bytes)
    case .moment:
      return bytes.bigEndianInteger.map { "'\(moment(BinaryForm.seconds($0)))'" } ?? hexadecimal(bytes)
    case .uuid:
      let value = bytes.count == 16 ? bytes.loadUnaligned(as: uuid_t.self) : nil
      return value.map { "'\(UUID(uuid: $0).uuidString)'" } ?? hexadecimal(bytes)
    case .bytes: return hexadecimal(bytes)
    case .booleans, .byteStrings, .integers16, .integers32, .texts, .integers64, .singles, .doubles, .moments,
      .numerics, .uuids:
      return array(bytes) ?? hexadecimal(bytes)
    }
  }

  private static func literal(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(textLimit)
    if start.endIndex == text.endIndex { return sqlLiteral(text) }
    return "\(sqlLiteral("\(Substring(start))…")) (\(text.utf8.count) bytes)"
  }

  private static func moment(_ seconds: Double) -> String {
    guard seconds.isFinite else { return seconds < 0 ? "-infinity" : "infinity" }
    return Date(timeIntervalSinceReferenceDate: seconds).formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: true))
  }

  private static func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> String {
    let digits = bytes.prefix(limit).map { String(format: "%02x", $0) }.joined()
    return "'\\x\(digits)\(bytes.count > limit ? "… (\(bytes.count) bytes)" : "")'"
  }

  /// The elements of an array of one dimension; `nil` for other bytes.
  private static func array(_ bytes: UnsafeRawBufferPointer) -> String? {
    func integer(_ offset: Int) -> Int? {
      guard offset + 4 <= bytes.count else { return nil }
      return Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
    }
    guard let dimensions = integer(0), dimensions <= 1, let type = integer(8) else { return nil }
    guard dimensions == 1, let count = integer(12) else { return "{}" }
    var offset = 20
    var texts: [String] = []
    for _ in 0..<min(count, limit) {
      guard let length = integer(offset) else { return nil }
      offset += 4
      guard length >= 0 else {
        texts.append("NULL")
        continue
      }
      guard offset + length <= bytes.count else { return nil }
      let element = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
      texts.append(text(of: element, UInt32(truncatingIfNeeded: type)))
      offset += length
    }
    if count > limit { texts.append("… (\(count) elements)") }
    return "{\(texts.joined(separator: ", "))}"
  }
}
