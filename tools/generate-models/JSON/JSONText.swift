import Foundation

/// JSON as the tool prints it: the same value gives the same bytes, with keys in order and a line feed at the end.
enum JSONText {
  static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value) + Data("\n".utf8)
  }
}

/// A diagnostic, part by part.
struct DiagnosticDocument: Encodable {
  let severity: String
  let file: String
  let line: Int
  let what: String
  let remedy: String

  init(_ message: Message) {
    severity = message.severity.rawValue
    file = message.file
    line = message.line
    what = message.what
    remedy = message.remedy
  }
}

/// What stands on standard output when a run that was to print JSON has failed.
struct FailureDocument: Encodable {
  let formatVersion = 1
  let diagnostics: [DiagnosticDocument]

  init(_ failure: Failure) { diagnostics = failure.diagnostics.map(DiagnosticDocument.init) }
}
