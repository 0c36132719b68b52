import ErrorReporting
import ManagedModel

extension ModelParser {
  /// Reports the issues that ``ModelDescription/validate()`` finds, each with the line of its declaration.
  ///
  /// Leaves out composites without elements, which `compositeTypes(_:)` reports with more detail.
  /// Also leaves out warnings about a line that has an error, because the error causes them.
  mutating func checkSoundness(of model: ModelDescription) {
    let linesWithErrors = linesWithErrors
    for issue in model.validate() where issue.kind != .compositeWithoutElements {
      if issue.severity == .warning, linesWithErrors.contains(locations.line(of: issue)) { continue }
      report(
        issue.severity == .error ? .error : .warning, locations.line(of: issue), issue.placedProblem, issue.remedy)
    }
  }
}

extension SourceLocations {
  fileprivate func line(of issue: ModelIssue) -> Int {
    switch issue.kind {
    case .duplicateName(let subject, let name), .illegalName(let subject, let name, _):
      line(of: subject, name, in: issue.entity)
    case .unknownIndexProperty(let index, _, _), .repeatedFetchIndex(let index),
      .unreadableIndexPredicate(let index, _), .unsupportedIndexExpression(let index, _):
      line(of: .fetchIndex, index, in: issue.entity)
    case .unknownConfigurationEntity(let configuration, _, _):
      line(of: .configuration, configuration)
    case .unknownFetchEntity(let request, _, _) where issue.entity == nil:
      line(of: .fetchRequest, request)
    default:
      issue.entity.map { line(ofEntity: $0, property: issue.property) } ?? 1
    }
  }
}
