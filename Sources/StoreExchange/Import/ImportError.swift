import ManagedModel

/// Why objects were not imported: what is wrong, where in the text, and the way out. Nothing has been written then.
package struct ImportError: Error, Sendable {
  /// From 1; `nil` where it is about no line.
  package var line: Int?
  /// In characters, from 1.
  package var column: Int?
  /// One clause; values are no part of it.
  package let problem: String
  package let remedy: String
}

extension ImportError: CustomStringConvertible {
  package var description: String {
    let place = line.map { "line \($0)\(column.map { ", column \($0)" } ?? ""): " } ?? ""
    return "\(place)\(problem) — \(remedy)"
  }
}

/// The same, with its place in a line's bytes still to be counted.
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
