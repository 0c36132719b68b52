/// Something to tell the user, printed as `file:line: severity: what — what to do`.
struct Message: Hashable {
  enum Severity: String {
    case error, warning, note
  }

  var severity: Severity
  var file: String
  var line: Int = 1
  /// One clause without a full stop.
  var what: String
  /// One clause without a full stop.
  var remedy: String

  var text: String { text(styled: Terminal.plain) }

  /// The line with its place and severity set off, as compilers print it.
  func text(styled terminal: Terminal) -> String {
    let place = terminal.styled("\(onOneLine(file)):\(line):", .bold)
    return "\(place) \(terminal.styled("\(severity.rawValue):", severity.style)) \(what) — \(remedy)"
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

/// A path or name with everything that would break the line or move the cursor replaced by blanks.
func onOneLine(_ text: String) -> String {
  let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: " "
    default: scalar
    }
  }
  return String(String.UnicodeScalarView(scalars))
}
