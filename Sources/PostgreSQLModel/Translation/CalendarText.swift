/// A date in the server's ISO form, in UTC: `2024-02-29`, `2024-02-29 12:00:00.5`, `2024-02-29 12:00:00+00`.
enum CalendarText {
  /// Seconds since 2001-01-01T00:00:00Z; `nil` for any other text, also for infinity and years before our era.
  static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count <= 2, let day = parts.first else { return nil }
    let numbers = day.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 3, let year = numbers[0], let month = numbers[1], let dayOfMonth = numbers[2],
      (1...9999).contains(year), (1...12).contains(month), (1...31).contains(dayOfMonth)
    else { return nil }
    let days = Double(daysSince2001(year, month, dayOfMonth))
    guard parts.count == 2 else { return days * 86_400 }
    let time = parts[1].hasSuffix("+00") ? parts[1].dropLast(3) : parts[1]
    let fields = time.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    guard fields.count == 3, let hours = fields[0], let minutes = fields[1], let seconds = fields[2],
      [hours, minutes, seconds].allSatisfy({ (0...60).contains($0) })
    else { return nil }
    return days * 86_400 + hours * 3600 + minutes * 60 + seconds
  }

  /// In the Gregorian calendar; years begin in March, so that the leap day is their last.
  private static func daysSince2001(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    // 730,791 days lie between 0000-03-01 and 2001-01-01.
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 730_791
  }
}
