package import ErrorReporting
package import Foundation

extension Message {
  /// The message of an error: its problem and its remedy, each on one line. An error without these gives its
  /// description as the problem.
  package init(severity: Severity = .error, file: String, line: Int? = nil, _ error: any Error) {
    let reportable = error as? any ReportableError
    self.init(
      severity: severity, file: file, line: line, problem: onOneLine(reportable?.placedProblem ?? "\(error)"),
      remedy: reportable?.remedy.map { onOneLine($0) })
  }
}

extension Failure {
  package init(_ file: URL, line: Int? = 1, _ error: any ReportableError) {
    self.init([Message(file: file.path, line: line, error)])
  }

  /// An error as a message of a program: `store-tool: error: …`. A failure keeps its messages.
  package init(of program: String, _ error: any Error) {
    self = error as? Failure ?? Failure([Message(file: program, error)])
  }
}
