import ErrorReporting
import ManagedModel

/// The reason why objects were not imported: problem, place in the text, and remedy. Nothing has been written.
package struct ImportError: ReportableError, Sendable {
  /// From 1; `nil` if the problem is not in a line.
  package var line: Int?
  /// In characters, from 1.
  package var column: Int?
  /// One clause without values.
  package let problem: String
  package let remedy: String?

  package var place: String? { textPlace(line: line, column: column) }
}

/// An import error whose place is still an offset in the line's bytes.
struct ImportFault: Error {
  let problem: String
  let remedy: String
  var offset: Int

  init(_ problem: String, _ remedy: String, at offset: Int) {
    self.problem = problem
    self.remedy = remedy
    self.offset = offset
  }

  func error(line: Int, _ bytes: ArraySlice<UInt8>) -> ImportError {
    let prefix = String(decoding: bytes.prefix(offset), as: UTF8.self)
    return ImportError(line: line, column: prefix.unicodeScalars.count + 1, problem: problem, remedy: remedy)
  }
}
