import Foundation

/// The binary form of values, as the server's protocol has it: big-endian integers, IEEE floating-point numbers.
package enum BinaryForm {
  package static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  package static func append(_ value: Double, to bytes: inout [UInt8]) { append(value.bitPattern, to: &bytes) }

  package static func append(_ value: Float, to bytes: inout [UInt8]) { append(value.bitPattern, to: &bytes) }

  /// The microseconds from 2000-01-01T00:00:00Z to a moment in seconds since 2001-01-01T00:00:00Z; `nil` for a moment that the
  /// type cannot hold.
  ///
  /// The type keeps microseconds: the moment is rounded to the nearest one. Infinite moments are kept.
  package static func microseconds(_ seconds: Double) -> Int64? {
    if seconds == .infinity { return .max }
    if seconds == -.infinity { return .min }
    // Converts whole seconds and the fraction separately: a product of both would lose digits.
    let whole = seconds.rounded(.down)
    let result = (whole + secondsBetweenEpochs) * 1e6 + ((seconds - whole) * 1e6).rounded()
    guard result >= earliest, result < latest else { return nil }
    return (Int64(whole) + Int64(secondsBetweenEpochs)) * 1_000_000 + Int64(((seconds - whole) * 1e6).rounded())
  }

  /// The seconds since 2001-01-01T00:00:00Z of a moment in microseconds since 2000-01-01T00:00:00Z.
  package static func seconds(_ microseconds: Int64) -> Double {
    switch microseconds {
    case .max: .infinity
    case .min: -.infinity
    default: (Double(microseconds) - secondsBetweenEpochs * 1e6) / 1e6
    }
  }

  private static let secondsBetweenEpochs = 31_622_400.0
  /// The year 4713 before our era and the year 294,277, the bounds of the type.
  private static let earliest = -211_813_488_000_000_000.0
  private static let latest = 9_223_371_331_200_000_000.0
}

extension UnsafeRawBufferPointer {
  /// An integer of the buffer's size.
  @inlinable public var bigEndianInteger: Int64? {
    switch count {
    case 8: Int64(bigEndian: loadUnaligned(as: Int64.self))
    case 4: Int64(Int32(bigEndian: loadUnaligned(as: Int32.self)))
    case 2: Int64(Int16(bigEndian: loadUnaligned(as: Int16.self)))
    case 1: Int64(self[0])
    default: nil
    }
  }

  /// A floating-point number of the buffer's size.
  @inlinable public var floatingPoint: Double? {
    switch count {
    case 8: Double(bitPattern: UInt64(bigEndian: loadUnaligned(as: UInt64.self)))
    case 4: Double(Float(bitPattern: UInt32(bigEndian: loadUnaligned(as: UInt32.self))))
    default: nil
    }
  }
}
