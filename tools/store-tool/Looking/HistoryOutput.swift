import CoreDataStore
import ErrorReporting
import Foundation
import PropertyLists
import StoreExchange
import StoreRequests
import ToolConsole

/// Prints transactions and their changes as they are read.
protocol HistoryOutput: AnyObject {
  func begin() throws
  func begin(_ transaction: HistoryTransaction) throws
  func write(_ change: ExportChange) throws
  func endTransaction() throws
  func flush() throws
  func end() throws
}

/// A line for each transaction, and indented lines for its changes.
final class HistoryText: HistoryOutput {
  private let output = ResultStream()
  private let terminal = Terminal.output
  private let path: String
  private let identifier: String
  /// Longer values are cut.
  private static let widest = 70

  init(path: String, _ store: PersistentStore) {
    self.path = path
    identifier = store.metadata.identifier
  }

  func begin() throws {
    try output.write("\(terminal.styled(onOneLine(path), .bold)) (\(onOneLine(identifier)))\n")
  }

  func begin(_ transaction: HistoryTransaction) throws {
    let program = [transaction.processName, transaction.bundleIdentifier].compactMap { $0 }
    let names = [
      transaction.author.map { "author \(quoted($0))" }, transaction.contextName.map { "context \(quoted($0))" },
      program.isEmpty
        ? nil
        : "by \(onOneLine(program[0]))\(program.count > 1 && program[0] != program[1] ? " (\(onOneLine(program[1])))" : "")",
    ].compactMap { $0 }
    let time = ExportDate.text(transaction.date.timeIntervalSinceReferenceDate.rounded(.down)) ?? "at an unknown time"
    try output.write(
      "\(terminal.styled("\(transaction.number)  \(time)", .bold))\(names.isEmpty ? "" : "  " + names.joined(separator: ", "))\n"
    )
  }

  func write(_ change: ExportChange) throws {
    let (word, style): (String, Terminal.Style) =
      switch change.kind {
      case .insert: ("inserted", .green)
      case .update: ("updated", .yellow)
      case .delete: ("deleted", .red)
      }
    let details = change.properties ?? change.tombstone.map { "\($0.name) \(Self.text($0.value))" }
    try output.write(
      "    \(terminal.styled(word.padding(toLength: 8, withPad: " ", startingAt: 0), style))  "
        + onOneLine("\(change.object)")
        + (details.isEmpty ? "" : ": " + details.map { onOneLine($0) }.joined(separator: ", ")) + "\n")
  }

  func endTransaction() throws {}
  func flush() throws { try output.flush() }
  func end() throws { try output.flush() }

  /// A value as JSON, of bounded length.
  private static func text(_ value: ExportValue) -> String {
    var output = JSONWriter()
    output.write(value)
    let text = String(decoding: output.bytes, as: UTF8.self)
    return text.count > widest ? text.prefix(widest - 1) + "…" : text
  }
}

/// One document, or a line for each transaction.
final class HistoryJSON: HistoryOutput {
  private let output = ResultStream()
  private var text = JSONWriter()
  private let identifier: String
  private let isInLines: Bool

  init(_ store: PersistentStore, inLines: Bool) {
    identifier = store.metadata.identifier
    isInLines = inLines
  }

  func begin() throws {
    guard !isInLines else { return }
    text.beginObject()
    text.write(key: "formatVersion")
    text.write(number: Int64(1))
    write("store", identifier)
    text.write(key: "transactions")
    text.beginList()
  }

  func begin(_ transaction: HistoryTransaction) throws {
    if !isInLines { text.startLine() }
    text.beginObject()
    text.write(key: "number")
    text.write(number: transaction.number)
    write("date", ExportDate.text(transaction.date.timeIntervalSinceReferenceDate))
    write("author", transaction.author)
    write("context", transaction.contextName)
    write("process", transaction.processName)
    write("bundle", transaction.bundleIdentifier)
    if isInLines { write("store", identifier) }
    text.write(key: "changes")
    text.beginList()
  }

  func write(_ change: ExportChange) throws {
    text.object { text in
      text.write(key: "object")
      text.write(text: "\(change.object)")
      text.write(key: "entity")
      text.write(text: change.object.entity)
      text.write(key: "kind")
      text.write(text: "\(change.kind)")
      if let properties = change.properties {
        text.write(key: "properties")
        text.list { list in for name in properties { list.write(text: name) } }
      }
      if !change.tombstone.isEmpty {
        text.write(key: "tombstone")
        text.object { values in
          for element in change.tombstone {
            values.write(key: element.name)
            values.write(element.value)
          }
        }
      }
    }
    try pass()
  }

  func endTransaction() throws {
    text.endList()
    text.endObject()
    if isInLines { text.endDocument() }
    try pass()
  }

  func flush() throws { if isInLines { try output.flush() } }

  func end() throws {
    text.endList()
    text.endObject()
    text.endDocument()
    try pass()
    try output.flush()
  }

  private func write(_ key: String, _ value: String?) {
    guard let value else { return }
    text.write(key: key)
    text.write(text: value)
  }

  private func pass() throws {
    try output.write(text.bytes)
    text.removeAll()
  }
}
