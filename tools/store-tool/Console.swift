import ArgumentParser
import Foundation

/// What both commands print with.
enum Console {
  /// Reports an error and ends with status 2.
  static func fail(_ error: any Error) throws -> Never {
    printError("\(error)")
    throw ExitCode(2)
  }

  static func printError(_ message: String) {
    FileHandle.standardError.write(Data("store-tool: \(onOneLine(message))\n".utf8))
  }

  static func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Lines of columns that are as wide as their widest cell.
  static func table(_ rows: [[String]]) -> [String] {
    let cells = rows.map { $0.map(onOneLine) }
    let widths = (cells.first ?? []).indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    return cells.map { row in
      let line = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// Names in a store are anybody's: what would break a line or move the cursor becomes a blank.
  static func onOneLine(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: " "
          default: scalar
          }
        }))
  }
}
