import Foundation
import ManagedModel

extension ModelDecoder {
  /// Bounds and pattern are archived as predicates of the value: `SELF >= 1`, `length <= 50`, `SELF MATCHES "…"`.
  ///
  /// A rule of another form, which only a program can make, has no place in the description and is passed over.
  func readValidation(_ object: ArchivedObject, into attribute: inout AttributeDescription) throws {
    for archived in try object.elements("NSValidationPredicates") {
      var pending = [try PredicateReader().predicate(archived)]
      while let rule = pending.popLast() {
        switch rule {
        case .and(let parts): pending.append(contentsOf: parts)
        case .comparison(let subject, let relation, let value, .direct, _):
          apply(subject, relation, value, to: &attribute)
        default: break
        }
      }
    }
  }

  private func apply(
    _ subject: ExpressionTree, _ relation: PredicateTree.Operator, _ value: ExpressionTree,
    to attribute: inout AttributeDescription
  ) {
    let isString = attribute.type == .string
    if relation == .matches, isString, subject == .evaluatedObject, case .string(let pattern) = value {
      attribute.regularExpression = pattern
      return
    }
    guard subject == (isString ? .keyPath(of: .evaluatedObject, "length") : .evaluatedObject),
      let bound = value.bound(of: isString ? .integer64 : attribute.type)
    else { return }
    switch relation {
    case .greaterThanOrEqual: attribute.minimumValue = bound
    case .lessThanOrEqual: attribute.maximumValue = bound
    default: break
    }
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
