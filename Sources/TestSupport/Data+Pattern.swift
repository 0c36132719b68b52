package import Foundation

extension Data {
  /// Returns bytes that a closure gives for the positions 0 to 255, repeated up to a length.
  ///
  /// A big value so costs 256 calls, and not a call for each byte.
  package static func pattern(count: Int, _ byte: (Int) -> UInt8) -> Data {
    let period = Data((0..<256).map(byte))
    var result = Data(capacity: count + period.count)
    while result.count < count { result.append(period) }
    return result.prefix(count)
  }
}
