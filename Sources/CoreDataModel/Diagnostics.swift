/// A problem in a model's files: its place, a description and a remedy.
///
/// Printed as `file:line: severity: what — what to do`, the form that editors and build logs make clickable.
package struct Diagnostic: Sendable, Hashable {
  package enum Severity: String, Sendable, Hashable {
    /// The description does not match the file; do not use it.
    case error
    /// The description is usable; the parser used a default or left something out.
    case warning
  }

  package var severity: Severity
  /// The file's path, or the name that the caller gave to the bytes.
  package var file: String
  /// The line, counted from 1; 1 for a problem of the whole file.
  package var line: Int
  /// One clause without a full stop: what is wrong, on which entity and property.
  package var what: String
  /// One clause without a full stop: how to put it right.
  package var remedy: String

  package init(_ severity: Severity, file: String, line: Int = 1, what: String, remedy: String) {
    self.severity = severity
    self.file = file
    self.line = line
    self.what = what
    self.remedy = remedy
  }
}

extension Diagnostic: CustomStringConvertible {
  package var description: String {
    "\(onOneLine(file)):\(line): \(severity.rawValue): \(what) — \(remedy)"
  }
}

/// No model could be read. At least one of the diagnostics is an error.
package struct ModelReadingError: Error, Sendable, Hashable {
  package let diagnostics: [Diagnostic]

  package init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }
}

extension ModelReadingError: CustomStringConvertible {
  package var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

/// Makes untrusted text safe for a one-line message: control characters become spaces, and the length is bounded.
func onOneLine(_ text: some StringProtocol, limit: Int = 1_000) -> String {
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars.prefix(limit) {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: result.append(" ")
    default: result.append(scalar)
    }
  }
  return String(result)
}
