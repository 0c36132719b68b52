import ErrorReporting

/// The reason why a document was not read, and the line.
struct XMLError: ReportableError, Sendable, Hashable {
  var cause: Cause
  var line: Int

  init(_ cause: Cause, line: Int) {
    self.cause = cause
    self.line = line
  }

  enum Cause: Sendable, Hashable {
    case empty
    case outOfMemory
    /// libxml2's own message.
    case malformed(String)
    case documentType
    case entity
    case tooLarge(limit: Int)
    case tooDeep(limit: Int)
    case tooManyElements(limit: Int)
    case tooManyAttributes(element: String, limit: Int)
  }
}
