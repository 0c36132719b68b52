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
  /// The system's reason for an error, in its own words.
  package static func reason(_ error: any Error) -> String { (error as NSError).localizedDescription }
}
