import Foundation

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

  var text: String { "\(Self.onOneLine(file)):\(line): \(severity.rawValue): \(what) — \(remedy)" }

  /// A path with everything that would break the line or move the cursor replaced by blanks.
  private static func onOneLine(_ path: String) -> String {
    let scalars = path.unicodeScalars.map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: " "
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}

/// The run cannot go on; the messages say why.
struct Failure: Error {
  var diagnostics: [Message]

  init(_ diagnostics: [Message]) { self.diagnostics = diagnostics }

  init(_ file: URL, _ what: String, remedy: String) {
    diagnostics = [Message(severity: .error, file: file.path, what: what, remedy: remedy)]
  }
}

/// Standard error.
enum Console {
  static func report(_ messages: [Message]) {
    guard !messages.isEmpty else { return }
    let text = messages.map { $0.text + "\n" }.joined()
    FileHandle.standardError.write(Data(text.utf8))
  }
}
