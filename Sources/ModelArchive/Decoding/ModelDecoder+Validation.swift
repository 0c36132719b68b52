import Foundation
import ManagedModel
import PropertyLists

extension ModelDecoder {
  /// Bounds and pattern are archived as predicates of the value: `SELF >= 1`, `length <= 50`, `SELF MATCHES "…"`.
  ///
  /// Each predicate comes with the error to report: a code, or the program's own message. Rules of other forms are kept
  /// as they are. The description has no place for the message of a bound or a pattern.
  func readValidation(_ object: ArchivedObject, into attribute: inout AttributeDescription) throws {
    let warnings = try object.elements("NSValidationWarnings")
    for (position, archived) in try object.elements("NSValidationPredicates").enumerated() {
      let rule = try predicate(archived)
      if apply(rule.tree, to: &attribute) { continue }
      let message = warnings.indices.contains(position) ? warnings[position].text : nil
      attribute.validationRules.append(.init(predicate: rule.format, message: message))
    }
  }

  /// Reads bounds and patterns into the attribute. Returns false for a rule that contains anything else.
  private func apply(_ rule: PredicateTree, to attribute: inout AttributeDescription) -> Bool {
    var bounded = attribute
    var pending = [rule]
    while let part = pending.popLast() {
      switch part {
      case .and(let parts): pending.append(contentsOf: parts)
      // A comparison without case or diacritics stays a predicate.
      case .comparison(let subject, let relation, let value, .direct, let options):
        guard options.isEmpty, apply(subject, relation, value, to: &bounded) else { return false }
      default: return false
      }
    }
    attribute = bounded
    return true
  }

  private func apply(
    _ subject: ExpressionTree, _ relation: PredicateTree.Operator, _ value: ExpressionTree,
    to attribute: inout AttributeDescription
  ) -> Bool {
    let isString = attribute.type == .string
    if relation == .matches, isString, subject == .evaluatedObject, case .string(let pattern) = value {
      guard attribute.regularExpression == nil else { return false }
      attribute.regularExpression = pattern
      return true
    }
    guard subject == (isString ? .keyPath(of: .evaluatedObject, "length") : .evaluatedObject),
      let bound = value.bound(of: isString ? .integer64 : attribute.type)
    else { return false }
    switch relation {
    case .greaterThanOrEqual where attribute.minimumValue == nil: attribute.minimumValue = bound
    case .lessThanOrEqual where attribute.maximumValue == nil: attribute.maximumValue = bound
    default: return false
    }
    return true
  }
}

extension ExpressionTree {
  fileprivate func bound(of type: AttributeType) -> AttributeValue? {
    switch (self, type) {
    case (.integer(let value), .integer16), (.integer(let value), .integer32), (.integer(let value), .integer64):
      .integer(value)
    case (.real(let value), .integer16), (.real(let value), .integer32), (.real(let value), .integer64):
      Int64(exactly: value).map(AttributeValue.integer)
    case (.integer(let value), .double), (.integer(let value), .float): .double(Double(value))
    case (.real(let value), .double), (.real(let value), .float): .double(value)
    case (.integer(let value), .decimal): .decimal(Decimal(value))
    case (.real(let value), .decimal): Decimal(string: "\(value)").map(AttributeValue.decimal)
    case (.date(let value), .date): .date(value)
    default: nil
    }
  }
}
