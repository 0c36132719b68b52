package import Foundation

/// The run cannot continue; the messages say why. It has no messages if no reader is left.
package struct Failure: Error {
  package var diagnostics: [Message]

  package init(_ diagnostics: [Message]) { self.diagnostics = diagnostics }

  package init(_ file: URL, line: Int? = 1, _ what: String, remedy: String) {
    diagnostics = [Message(severity: .error, file: file.path, line: line, what: what, remedy: remedy)]
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

extension Failure {
  /// An error's description as a message of a program: `store-tool: error: …`.
  package init(of program: String, _ error: any Error) {
    self.init([Message(severity: .error, file: program, line: nil, what: onOneLine("\(error)"))])
  }
}
