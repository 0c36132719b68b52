package import Foundation

/// The tools' form of JSON: the same value gives the same bytes, with sorted keys and a line feed at the end.
package enum JSONText {
  /// Dates are written in ISO 8601, to the second.
  package static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(value) + Data("\n".utf8)
  }
}

/// A diagnostic with each part under its own key.
package struct DiagnosticDocument: Encodable {
  package let severity: String
  package let file: String
  package let line: Int?
  package let column: Int?
  package let what: String
  package let remedy: String

  package init(_ message: Message) {
    severity = message.severity.rawValue
    file = message.file
    line = message.line
    column = message.column
    what = message.problem
    remedy = message.remedy ?? ""
  }
}

/// The document on standard output if a run that should print JSON fails.
package struct FailureDocument: Encodable {
  package let formatVersion = 1
  package let diagnostics: [DiagnosticDocument]

  package init(_ failure: Failure) { diagnostics = failure.diagnostics.map(DiagnosticDocument.init) }
}
