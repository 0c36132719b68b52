/// A set of scalars as ranges without gaps, and in a regular expression of PostgreSQL.
struct ScalarRanges {
  private let ranges: [ClosedRange<UInt32>]

  /// - Parameter values: the scalars' values in ascending order.
  init(_ values: some Sequence<UInt32>) {
    var ranges: [ClosedRange<UInt32>] = []
    for value in values {
      if let last = ranges.last, last.upperBound + 1 == value {
        ranges[ranges.count - 1] = last.lowerBound...value
      } else {
        ranges.append(value...value)
      }
    }
    self.ranges = ranges
  }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(scalar.value)
  }

  /// The brackets that match one of the scalars.
  var brackets: String { "[\(content)]" }

  /// The brackets that match any other scalar.
  var inverseBrackets: String { "[^\(content)]" }

  private var content: String {
    ranges.map { range in
      range.count == 1
        ? Self.text(range.lowerBound) : "\(Self.text(range.lowerBound))-\(Self.text(range.upperBound))"
    }.joined()
  }

  /// A scalar as it is, which keeps the expression short. ASCII is escaped, since some of it has a meaning in brackets.
  private static func text(_ value: UInt32) -> String {
    guard value >= 0x80, let scalar = Unicode.Scalar(value) else {
      return "\\u00\(value < 0x10 ? "0" : "")\(String(value, radix: 16))"
    }
    return String(scalar)
  }
}
