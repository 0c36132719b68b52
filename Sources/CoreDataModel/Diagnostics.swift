import ErrorReporting

/// A problem in a model's files: its place, a description and a remedy.
///
/// Printed as `file:line: severity: problem — remedy`, the form that editors and build logs make clickable.
package struct Diagnostic: ReportableError, Sendable, Hashable {
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
  package var problem: String
  /// One clause without a full stop: how to put it right.
  package var remedy: String?

  package init(_ severity: Severity, file: String, line: Int = 1, problem: String, remedy: String?) {
    self.severity = severity
    self.file = file
    self.line = line
    self.problem = problem
    self.remedy = remedy
  }
}

extension Diagnostic {
  package var description: String {
    "\(onOneLine(file, limit: 1_000)):\(line): \(severity.rawValue): \(fullMessage)"
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
