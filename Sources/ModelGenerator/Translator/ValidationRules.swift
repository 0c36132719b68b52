import Foundation
import ManagedModel

/// Validation rules in words.
enum ValidationRules {
  /// `length in 1...80, matches “…”`; `nil` if an attribute has no rules.
  static func phrase(for attribute: AttributeDescription) -> String? {
    let minimum = attribute.minimumValue.map(text)
    let maximum = attribute.maximumValue.map(text)
    var rules: [String] = []
    if minimum != nil || maximum != nil {
      rules.append("\(attribute.type == .string ? "length" : "value") in \(minimum ?? "")...\(maximum ?? "")")
    }
    if let expression = attribute.regularExpression { rules.append("matches \(quoted(expression))") }
    return rules.isEmpty ? nil : rules.joined(separator: ", ")
  }

  private static func text(of value: AttributeValue) -> String {
    switch value {
    case .integer(let number): String(number)
    case .decimal(let number): number.description
    case .double(let number): Int64(exactly: number).map(String.init) ?? number.description
    case .boolean(let flag): String(flag)
    case .string(let text): quoted(text)
    case .date(let seconds): day(seconds)
    case .uuid(let identifier): identifier.uuidString
    case .uri(let text): quoted(text)
    case .binary(let data): "\(data.count) bytes"
    }
  }

  /// The date in UTC; dates that no calendar reaches stay numbers.
  private static func day(_ seconds: Double) -> String {
    guard seconds.magnitude < 1e11 else { return "\(seconds) seconds since 2001" }
    return Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601)
  }
}
