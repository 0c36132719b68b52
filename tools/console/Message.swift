import ErrorReporting

/// A message to the user, printed as `file:line: severity: problem — remedy`.
package struct Message: Hashable, Sendable {
  package enum Severity: String, Sendable {
    case error, warning, note
  }

  package var severity: Severity
  /// The file that the message is about; the program's name if it is about none.
  package var file: String
  /// The line; `nil` if the file has no lines.
  package var line: Int?
  package var column: Int?
  /// The problem: one clause without a full stop.
  package var problem: String
  /// The remedy: one clause without a full stop; `nil` if there is none, or if the problem implies it.
  package var remedy: String?

  package init(
    severity: Severity, file: String, line: Int? = 1, column: Int? = nil, problem: String, remedy: String? = nil
  ) {
    self.severity = severity
    self.file = file
    self.line = line
    self.column = column
    self.problem = problem
    self.remedy = remedy
  }

  package var text: String { text(styled: Terminal.plain) }

  /// The message with its place and severity highlighted, as compilers print it.
  package func text(styled terminal: Terminal) -> String {
    let place = ([onOneLine(file)] + [line, column].compactMap { $0.map(String.init) }).joined(separator: ":") + ":"
    return "\(terminal.styled(place, .bold)) \(terminal.styled("\(severity.rawValue):", severity.style)) \(clauses)"
  }

  /// The problem and the remedy, without the place.
  package var clauses: String { remedy.map { "\(problem) — \($0)" } ?? problem }
}

extension Message.Severity {
  fileprivate var style: Terminal.Style {
    switch self {
    case .error: .red
    case .warning: .magenta
    case .note: .cyan
    }
  }
}
