package import Foundation

extension Date {
  /// The date in UTC, such as `2024-02-29T12:00:00Z`, without fractions of a second.
  ///
  /// A date outside the years 1 to 9999, which ISO 8601 cannot write, becomes a number of seconds since 2001; so do NaN
  /// and infinity.
  package var utcText: String {
    let seconds = timeIntervalSinceReferenceDate
    // 0001-01-01 and 10000-01-01 in seconds since 2001-01-01.
    guard seconds >= -63_113_904_000, seconds < 252_423_993_600 else { return "\(seconds) seconds since 2001" }
    return ISO8601Format()
  }
}
