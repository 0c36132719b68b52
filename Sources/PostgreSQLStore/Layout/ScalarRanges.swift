/// A set of scalars as ranges without gaps.
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

  /// The ranges in the brackets of a regular expression, in escapes.
  var brackets: String {
    let parts = ranges.map { range in
      range.count == 1
        ? Self.escape(range.lowerBound) : "\(Self.escape(range.lowerBound))-\(Self.escape(range.upperBound))"
    }
    return "[\(parts.joined())]"
  }

  private static func escape(_ value: UInt32) -> String {
    let (letter, width) = value > 0xFFFF ? ("U", 8) : ("u", 4)
    let digits = String(value, radix: 16)
    return "\\\(letter)\(String(repeating: "0", count: width - digits.count))\(digits)"
  }
}
