import ArgumentParser
import CoreDataStore
import Foundation
import StoreExchange
import StoreRequests
import ToolConsole

/// `store-tool history STORE`
struct History: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract: "Tells who changed what when: the transactions of a store's persistent history.",
    discussion: """
      Each transaction is a line with its number, its time, and the author, context and program that the store recorded. \
      Below it stand its changes: inserted, updated with the properties that changed, or deleted with the values that \
      the model preserves. A store that keeps no history has no transactions.

      Properties of an update are unknown if it was recorded for another version of the model, or if the store carries \
      no model. Bytes of a text that are not UTF-8 become U+FFFD; a warning names each text.

      --since takes the number of a transaction, which a history token contains; a time in ISO 8601 (2026-11-01, \
      2026-11-01T08:30:00Z); or a time before now: 30m, 12h, 7d. --follow prints the present history and then each \
      transaction when it is saved, by any process, until it is interrupted. With --json it prints a line for each \
      transaction, otherwise one document.

      EXAMPLES
        store-tool history Library.sqlite
        store-tool history Library.sqlite --since 7d --entity Book
        store-tool history Library.sqlite --since 120 --follow
        store-tool history Library.sqlite --json | jq '.transactions[].author'

      EXIT CODES
        0    done
        2    the store cannot be opened or read, or has no such entity
        130  interrupted, as --follow always is
      """)

  @OptionGroup var arguments: StoreArguments
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only transactions after this number, or from this time on.", valueName: "number or time"))
  var since: String?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Only changes of this entity and its subentities; may be repeated.", valueName: "name"))
  var entity: [String] = []
  @Flag(help: "Go on, and print each new transaction.") var follow = false
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    if let since, HistoryStart(since) == nil {
      throw ValidationError(
        "--since \(since) is neither the number of a transaction nor a time: write 120, 7d, 2026-11-01 or "
          + "2026-11-01T08:30:00Z.")
    }
  }

  func perform() throws {
    let store = try arguments.openTables()
    defer { store.close() }
    var request = HistoryRequest()
    switch since.flatMap(HistoryStart.init) {
    case .number(let number)?: request.after = number
    case .date(let date)?: request.since = date
    case nil: break
    }
    try request.select(entities: entity, in: store)
    Interruption.shared.observe()
    let output: any HistoryOutput =
      json ? HistoryJSON(store, inLines: follow) : HistoryText(path: arguments.store, store)
    if try store.lastTransaction() == nil {
      Console.report([
        Message(
          severity: .note, file: arguments.store, line: nil, problem: "the store keeps no history",
          remedy: follow ? nil : "let the program that writes it track its history")
      ])
    }
    let alarm = follow ? WriteAlarm(store) : nil
    try output.begin()
    var last = try print(request, of: store, to: output)
    guard let alarm else { return try output.end() }
    while true {
      try alarm.wait()
      request.after = last ?? request.after
      last = try print(request, of: store, to: output) ?? last
    }
  }

  /// Prints the transactions of a request; returns the number of the last one.
  private func print(
    _ request: HistoryRequest, of store: PersistentStore, to output: any HistoryOutput
  ) throws -> Int64? {
    let history = try HistoryExport(request, of: store)
    var last: Int64?
    while let transaction = try history.next() {
      last = transaction.number
      try output.begin(transaction)
      while let change = try history.nextChange() {
        try output.write(change)
        try Interruption.shared.check()
      }
      try output.endTransaction()
    }
    try output.flush()
    report(history.repairedTexts, of: arguments.store)
    return last
  }
}

/// The first transactions that `--since` selects.
enum HistoryStart: Equatable {
  /// The transactions after this number.
  case number(Int64)
  case date(Date)

  init?(_ text: String) {
    if let number = Int64(text), number >= 0 {
      self = .number(number)
    } else if let unit = text.last, let seconds = ["m": 60.0, "h": 3600, "d": 86_400][unit],
      let count = UInt32(text.dropLast())
    {
      self = .date(Date(timeIntervalSinceNow: -seconds * Double(count)))
    } else if let seconds = ExportDate.seconds(text) ?? ExportDate.seconds(text + "T00:00:00Z") {
      self = .date(Date(timeIntervalSinceReferenceDate: seconds))
    } else {
      return nil
    }
  }
}
