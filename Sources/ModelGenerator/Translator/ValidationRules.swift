import ErrorReporting
import Foundation
import ManagedModel

/// Validation rules as options of an attribute, and as a phrase.
enum ValidationRules {
  /// `.length(1...80)`, `.minimum(1)`, `.matches("…")`, …; leaves out a bound that does not fit the attribute's type, and what is
  /// ``unreadable(of:)``.
  static func options(for attribute: AttributeDescription) -> [Expression] {
    var options: [Expression] = []
    if attribute.type == .string {
      options += length(attribute.minimumValue, attribute.maximumValue)
    } else {
      for (word, value) in [("minimum", attribute.minimumValue), ("maximum", attribute.maximumValue)] {
        guard let bound = value.flatMap({ bound($0, of: attribute.type) }) else { continue }
        options.append(.call(".\(word)", [Argument(nil, bound)]))
      }
    }
    if let pattern = attribute.regularExpression, attribute.unreadablePattern == nil {
      options.append(.call(".matches", [Argument(nil, .string(pattern))]))
    }
    for rule in attribute.validationRules where rule.isReadable {
      let message = rule.message.map { [Argument("message", .string($0))] } ?? []
      options.append(.call(".rule", [Argument(nil, .string(rule.predicate))] + message))
    }
    return options
  }

  /// The rules that no container can read, as phrases.
  static func unreadable(of attribute: AttributeDescription) -> [String] {
    let pattern = attribute.unreadablePattern.map { "the pattern \(quoted($0)), which is no regular expression" }
    let rules = attribute.validationRules.filter { !$0.isReadable }.map {
      "the validation rule \(quoted($0.predicate)), which is no predicate"
    }
    return [pattern].compactMap(\.self) + rules
  }

  /// One range; or two ranges if the minimum exceeds the maximum, because one range cannot express this.
  private static func length(_ minimum: AttributeValue?, _ maximum: AttributeValue?) -> [Expression] {
    func number(_ value: AttributeValue?) -> Int64? { if case .integer(let number) = value { number } else { nil } }
    let (lower, upper) = (number(minimum), number(maximum))
    var ranges: [Expression] = [.range(lower, upper)]
    if lower == nil, upper == nil { return [] }
    if let lower, let upper, lower > upper { ranges = [.range(lower, nil), .range(nil, upper)] }
    return ranges.map { .call(".length", [Argument(nil, $0)]) }
  }

  private static func bound(_ value: AttributeValue, of type: AttributeType) -> Expression? {
    switch type {
    case .integer16, .integer32, .integer64: AttributeTypes.expression(for: value, type: .integer64)
    case .double, .float, .decimal, .date: AttributeTypes.expression(for: value, type: type)
    default: nil
    }
  }

  /// `length in 1...80, matches “…”`; `nil` if an attribute has no rules.
  static func phrase(for attribute: AttributeDescription) -> String? {
    let minimum = attribute.minimumValue.map(text)
    let maximum = attribute.maximumValue.map(text)
    var rules: [String] = []
    if minimum != nil || maximum != nil {
      rules.append("\(attribute.type == .string ? "length" : "value") in \(minimum ?? "")...\(maximum ?? "")")
    }
    if let expression = attribute.regularExpression { rules.append("matches \(quoted(expression))") }
    rules += attribute.validationRules.map { "satisfies \(quoted($0.predicate))" }
    return rules.isEmpty ? nil : rules.joined(separator: ", ")
  }

  private static func text(of value: AttributeValue) -> String {
    switch value {
    case .integer(let number): String(number)
    case .decimal(let number): number.description
    case .double(let number): Int64(exactly: number).map(String.init) ?? number.description
    case .boolean(let flag): String(flag)
    case .string(let text): quoted(text)
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds).utcText
    case .uuid(let identifier): identifier.uuidString
    case .uri(let text): quoted(text)
    case .binary(let data): "\(data.count) bytes"
    }
  }
}
