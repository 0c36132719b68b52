/// Dates as text, such as `2024-02-29T12:00:00.25Z`. The text reads back as exactly the stored number.
package enum ExportDate {
  /// The text of a date in seconds since 2001-01-01T00:00:00Z. Returns `nil` if ISO 8601 has none: for years before 1
  /// and after 9999, for numbers that are not finite, and for fractions of more than 24 digits.
  ///
  /// The seconds have the fewest digits that distinguish the number from its neighbours.
  package static func text(_ seconds: Double) -> String? {
    guard seconds.isFinite, abs(seconds) < 1e12, !(seconds == 0 && seconds.sign == .minus),
      let (whole, fraction) = parts(seconds)
    else { return nil }
    let days = (whole - mod(whole, 86_400)) / 86_400
    let second = mod(whole, 86_400)
    let (year, month, day) = civil(days + daysTo2001)
    guard (1...9999).contains(year) else { return nil }
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T\(digits(second / 3600, 2))"
      + ":\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))\(fraction.isEmpty ? "" : "." + fraction)Z"
  }

  /// The date of a text; `nil` for other texts. An offset such as `+02:00` may replace the `Z`.
  package static func seconds(_ text: String) -> Double? {
    var rest = Array(text.utf8)[...]
    func number(_ count: Int) -> Int? {
      guard rest.count >= count, rest.prefix(count).allSatisfy({ (48...57).contains($0) }) else { return nil }
      let value = rest.prefix(count).reduce(0) { $0 * 10 + Int($1 - 48) }
      rest = rest.dropFirst(count)
      return value
    }
    func take(_ characters: String) -> Bool {
      guard let first = rest.first, characters.utf8.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2), take("Tt "),
      let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2),
      (1...9999).contains(year), (1...12).contains(month), (1...daysIn(month, of: year)).contains(day),
      hour < 24, minute < 60, second < 60
    else { return nil }
    var fraction = ""
    if take(".") {
      while let digit = rest.first, (48...57).contains(digit) {
        fraction.unicodeScalars.append(UnicodeScalar(digit))
        rest = rest.dropFirst()
      }
      guard !fraction.isEmpty else { return nil }
    }
    var offset = 0
    if !take("Zz") {
      let sign = rest.first == UInt8(ascii: "-") ? -1 : 1
      guard take("+-"), let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60 else {
        return nil
      }
      offset = sign * (hours * 3600 + minutes * 60)
    }
    guard rest.isEmpty else { return nil }
    let days = self.days(year, month, day) - daysTo2001
    return joined(days * 86_400 + hour * 3600 + minute * 60 + second - offset, fraction)
  }

  // MARK: Decimal digits

  /// A number as whole seconds, rounded down, and the digits of the fraction.
  private static func parts(_ seconds: Double) -> (whole: Int, fraction: String)? {
    var digits = "\(abs(seconds))"
    if let exponent = digits.firstIndex(of: "e") {
      // Only small numbers have a negative exponent here; large ones are no dates.
      guard let zeros = Int(digits[digits.index(exponent, offsetBy: 2)...]), zeros <= 20 else { return nil }
      digits = "0." + String(repeating: "0", count: zeros - 1) + digits[..<exponent].filter { $0 != "." }
    }
    let halves = digits.split(separator: ".", maxSplits: 1)
    guard let first = halves.first, let whole = Int(first) else { return nil }
    var fraction = halves.count > 1 ? String(halves[1]) : ""
    while fraction.hasSuffix("0") { fraction.removeLast() }
    if seconds >= 0 { return (whole, fraction) }
    return fraction.isEmpty ? (-whole, "") : (-whole - 1, complement(fraction))
  }

  private static func joined(_ whole: Int, _ fraction: String) -> Double? {
    if whole >= 0 { return Double("\(whole).\(fraction.isEmpty ? "0" : fraction)") }
    let isZero = fraction.allSatisfy { $0 == "0" }
    return isZero ? Double(whole) : Double("-\(-whole - 1).\(complement(fraction))")
  }

  /// The digits of one minus the fraction: 25 → 75, 125 → 875.
  private static func complement(_ fraction: String) -> String {
    var result: [UInt8] = []
    var carries = true
    for digit in fraction.utf8.reversed() {
      let value = 9 - (digit - 48) + (carries ? 1 : 0)
      carries = value == 10
      result.append(48 + value % 10)
    }
    return String(decoding: result.reversed(), as: UTF8.self)
  }

  // MARK: The calendar

  /// Days from 0000-03-01 to 2001-01-01.
  private static let daysTo2001 = days(2001, 1, 1)

  /// Days of the proleptic Gregorian calendar. Years begin in March, so that leap days come last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let (century, rest) = (shifted / 400, mod(shifted, 400))
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return century * 146_097 + rest * 365 + rest / 4 - rest / 100 + dayOfYear
  }

  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let day = mod(days, 146_097)
    let cycle = (days - day) / 146_097
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (cycle * 400 + year + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  private static func daysIn(_ month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  private static func mod(_ number: Int, _ divisor: Int) -> Int {
    let rest = number % divisor
    return rest < 0 ? rest + divisor : rest
  }
}
