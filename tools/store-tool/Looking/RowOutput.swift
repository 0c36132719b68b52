import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import PropertyLists
import StoreExchange
import StoreRequests
import ToolConsole

/// Prints the rows of a query as they arrive.
protocol RowOutput: AnyObject {
  func write(_ row: [StoreValue]) throws
  func finish() throws
}

/// An aligned table. The first rows determine the widths of the columns. In a later row, a wider cell shifts the cells
/// after it.
final class TableRows: RowOutput {
  private let header: [String]
  private let output = ResultStream()
  private var waiting: [[StoreValue]] = []
  private var widths: [Int]?
  private var isNumeric: [Bool]
  private var count = 0
  private static let sampleSize = 200
  private static let widest = 60

  init(_ columns: [String]) {
    header = columns.map(onOneLine)
    isNumeric = columns.map { _ in true }
  }

  func write(_ row: [StoreValue]) throws {
    count += 1
    guard widths == nil else { return try print(row) }
    waiting.append(row)
    if waiting.count == Self.sampleSize { try begin() }
  }

  func finish() throws {
    if widths == nil { try begin() }
    try output.flush()
    if Terminal.output.isInteractive { Console.say(counted(count, "row")) }
  }

  private func begin() throws {
    let sample = waiting.map { $0.map(text) }
    let widths = header.indices.map { column in
      sample.reduce(columnWidth(header[column])) { max($0, min(columnWidth($1[column]), Self.widest)) }
    }
    self.widths = widths
    isNumeric = header.indices.map { column in
      waiting.contains { $0[column] != .null }
        && waiting.allSatisfy { row in
          switch row[column] {
          case .null, .integer, .real: true
          case .text, .blob: false
          }
        }
    }
    try output.write(Terminal.output.styled(line(header), .bold) + "\n")
    try output.write(widths.map { String(repeating: "-", count: max($0, 1)) }.joined(separator: "  ") + "\n")
    for row in waiting { try print(row) }
    waiting = []
  }

  private func print(_ row: [StoreValue]) throws { try output.write(line(row.map(text)) + "\n") }

  private func line(_ cells: [String]) -> String {
    let widths = widths ?? []
    var line = ""
    for (column, cell) in cells.enumerated() {
      if column > 0 { line += "  " }
      let blanks = String(repeating: " ", count: max(0, widths[column] - columnWidth(cell)))
      line += isNumeric[column] ? blanks + cell : column == cells.count - 1 ? cell : cell + blanks
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  private func text(_ value: StoreValue) -> String {
    switch value {
    case .null: return ""
    case .integer(let value): return "\(value)"
    case .real(let value): return "\(value)"
    case .text(let value): return onOneLine(value)
    case .blob(let value):
      let digits = value.prefix(16).map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
      return "x'\(digits)\(value.count > 16 ? "…" : "")'\(value.count > 16 ? " \(value.count) bytes" : "")"
    }
  }
}

final class CSVRows: RowOutput {
  private let output = ResultStream()
  private let header: [String]
  private var isBegun = false
  private var text = CSVText()

  init(_ columns: [String]) { header = columns }

  func write(_ row: [StoreValue]) throws {
    try begin()
    let fields = row.map { ExportValue.stored($0).plainText }
    // A terminal would execute control sequences in the data.
    try write(Terminal.output.isInteractive ? fields.map { $0.map(onOneLine) } : fields)
  }

  func finish() throws {
    try begin()
    try output.flush()
  }

  private func begin() throws {
    if !isBegun { try write(header) }
    isBegun = true
  }

  private func write(_ fields: [String?]) throws {
    text.removeAll()
    text.write(fields)
    try output.write(text.bytes)
  }
}

/// A list of JSON objects. Columns with the same name get numbers.
final class JSONRows: RowOutput {
  private let output = ResultStream()
  private let names: [String]
  private var text = JSONWriter()
  private var isEmpty = true

  init(_ columns: [String]) {
    var claims = NameClaims()
    names = columns.map { claims.claim($0, numbered: { "\($0)_\($1)" }) }
    text.beginList()
  }

  func write(_ row: [StoreValue]) throws {
    text.startLine()
    text.object { text in
      for (name, value) in zip(names, row) {
        text.write(key: name)
        text.write(value)
      }
    }
    isEmpty = false
    try output.write(text.bytes)
    text.removeAll()
  }

  func finish() throws {
    if !isEmpty { text.startLine() }
    text.endList()
    text.endDocument()
    try output.write(text.bytes)
    try output.flush()
  }
}
