/// An error whose message has a problem and a remedy, so that a program can show each in its own place.
///
/// The whole message is `place: problem — remedy`. It is the default `description`; an error whose message needs another
/// form has a `description` of its own.
package protocol ReportableError: Error, CustomStringConvertible {
  /// The problem: one clause without a full stop. Contains no stored value.
  var problem: String { get }
  /// The remedy: an imperative clause without a full stop; `nil` if none is known, or if the problem implies it.
  var remedy: String? { get }
  /// The place in a text or a model, for example `line 3, column 5`; `nil` by default.
  var place: String? { get }
}

extension ReportableError {
  package var place: String? { nil }

  /// The problem with its place.
  package var placedProblem: String { place.map { "\($0): \(problem)" } ?? problem }

  /// Place, problem and remedy.
  package var fullMessage: String { remedy.map { "\(placedProblem) — \($0)" } ?? placedProblem }

  package var description: String { fullMessage }
}
