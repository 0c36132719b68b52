/// A message to the user, printed as `file:line: severity: what — what to do`.
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
  package var what: String
  /// The remedy: one clause without a full stop; empty if there is none, or if `what` contains it.
  package var remedy: String

  package init(
    severity: Severity, file: String, line: Int? = 1, column: Int? = nil, what: String, remedy: String = ""
  ) {
    self.severity = severity
    self.file = file
    self.line = line
    self.column = column
    self.what = what
    self.remedy = remedy
  }

  package var text: String { text(styled: Terminal.plain) }

  /// The message with its place and severity highlighted, as compilers print it.
  package func text(styled terminal: Terminal) -> String {
    let place = ([onOneLine(file)] + [line, column].compactMap { $0.map(String.init) }).joined(separator: ":") + ":"
    let text = "\(terminal.styled(place, .bold)) \(terminal.styled("\(severity.rawValue):", severity.style)) \(what)"
    return remedy.isEmpty ? text : "\(text) — \(remedy)"
  }
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

/// A path or name with spaces for all characters that would break the line or move the cursor.
package func onOneLine(_ text: String) -> String {
  let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: " "
    default: scalar
    }
  }
  return String(String.UnicodeScalarView(scalars))
}
