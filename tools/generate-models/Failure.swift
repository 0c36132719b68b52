import Foundation

/// The run cannot go on; the messages say why.
struct Failure: Error {
  var diagnostics: [Message]

  init(_ diagnostics: [Message]) { self.diagnostics = diagnostics }

  init(_ file: URL, _ what: String, remedy: String) {
    diagnostics = [Message(severity: .error, file: file.path, what: what, remedy: remedy)]
  }
}

extension Failure {
  /// Why the system refused, in its own words.
  static func reason(_ error: any Error) -> String { (error as NSError).localizedDescription }
}
