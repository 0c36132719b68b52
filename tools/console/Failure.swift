package import Foundation

/// The run cannot go on; the messages say why. Without any there is nobody left to tell.
package struct Failure: Error {
  package var diagnostics: [Message]

  package init(_ diagnostics: [Message]) { self.diagnostics = diagnostics }

  package init(_ file: URL, line: Int? = 1, _ what: String, remedy: String) {
    diagnostics = [Message(severity: .error, file: file.path, line: line, what: what, remedy: remedy)]
  }
}

extension Failure {
  /// Whoever read the output has had enough, which is nobody's mistake.
  package static let readerIsGone = Failure([])

  /// The exit status: 2, or that of a program which writes to a pipe that nobody reads.
  package var status: Int32 { diagnostics.isEmpty ? 128 + SIGPIPE : 2 }
}

extension Failure {
  /// Why the system refused, in its own words.
  package static func reason(_ error: any Error) -> String { (error as NSError).localizedDescription }
}

extension Failure {
  /// What an error says of itself, told by a program: `store-tool: error: …`.
  package init(of program: String, _ error: any Error) {
    self.init([Message(severity: .error, file: program, line: nil, what: onOneLine("\(error)"))])
  }
}
