import ErrorReporting
package import Foundation

/// The run cannot continue; the messages say why. It has no messages if no reader is left.
package struct Failure: Error {
  package var diagnostics: [Message]

  package init(_ diagnostics: [Message]) { self.diagnostics = diagnostics }

  package init(_ file: URL, line: Int? = 1, _ problem: String, remedy: String) {
    diagnostics = [Message(severity: .error, file: file.path, line: line, problem: problem, remedy: remedy)]
  }
}

extension Failure {
  /// The reader of the output has closed the pipe, which is not an error.
  package static let readerIsGone = Failure([])

  /// The exit status: 2; without messages, the status of a program that writes to a closed pipe.
  package var status: Int32 { diagnostics.isEmpty ? 128 + SIGPIPE : 2 }
}

extension Failure {
  /// The failure to read standard input, with the system's reason.
  package static func ofStandardInput(_ error: any Error) -> Failure {
    Failure([
      Message(
        severity: .error, file: "standard input", line: nil, problem: "it cannot be read: \(reason(error))",
        remedy: "redirect it from a file, or from a program")
    ])
  }

  /// The system's reason for an error, in its own words.
  ///
  /// Foundation's own words on Linux say only that the operation could not be completed; the cause is an error of POSIX.
  package static func reason(_ error: any Error) -> String {
    if let error = error as? any ReportableError { return error.problem }
    var next: NSError? = error as NSError
    while let cause = next {
      if cause.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(truncatingIfNeeded: cause.code))) }
      next = (cause.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
    }
    return (error as NSError).localizedDescription
  }
}
