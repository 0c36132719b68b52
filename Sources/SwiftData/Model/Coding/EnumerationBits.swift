/// The values of an enumeration without payloads, in the order of their declarations.
///
/// A type with raw values does not tell its cases unless it is `CaseIterable`, and its raw values may be any texts. The number of its
/// cases is in the type's descriptor, whose layout Swift's runtime and reflection rely on; the bits of a case are its number.
enum EnumerationBits {
  /// All values; `nil` for any other type.
  static func values<Value>(of type: Value.Type) -> [Value]? {
    guard let count = numberOfCases(of: type), _isPOD(type) else { return nil }
    switch MemoryLayout<Value>.size {
    case 0 where count == 1, 1 where (2...256).contains(count), 2 where (257...65_535).contains(count):
      return (0..<UInt16(clamping: count)).map { number in
        withUnsafeBytes(of: number.littleEndian) { $0.load(as: type) }
      }
    default: return nil
    }
  }

  /// The number of cases, if no case has a payload.
  private static func numberOfCases(of type: Any.Type) -> Int? {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    guard metadata.load(as: Int.self) == enumeration else { return nil }
    let descriptor = metadata.load(fromByteOffset: MemoryLayout<Int>.size, as: UnsafeRawPointer.self)
    let payloads = descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
    return payloads == 0 ? Int(descriptor.load(fromByteOffset: 24, as: UInt32.self)) : nil
  }

  /// The kind of an enumeration's metadata.
  private static let enumeration = 0x201
}
