internal import Foundation
internal import FoundationAdditions
internal import StoreRequests

extension PredicateExpressions.StringContainsRegex: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (subject, regex) = (CheckedEvaluation(of: subject), CheckedEvaluation(of: regex))
    return CheckedEvaluation { try subject($0).contains(regex($0)) }
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (root, other) = (CheckedEvaluation(of: root), CheckedEvaluation(of: other))
    return CheckedEvaluation { try StringFunctions.caseInsensitiveCompare(String(root($0)), String(other($0))) }
  }
}

extension PredicateExpressions.StringLocalizedCompare: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (root, other) = (CheckedEvaluation(of: root), CheckedEvaluation(of: other))
    return CheckedEvaluation { try StringFunctions.localizedCompare(String(root($0)), String(other($0))) }
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: CheckedExpression {
  func checked() -> CheckedEvaluation<Output> {
    let (root, other) = (CheckedEvaluation(of: root), CheckedEvaluation(of: other))
    return CheckedEvaluation { try StringFunctions.localizedStandardContains(String(root($0)), String(other($0))) }
  }
}
