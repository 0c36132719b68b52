import ArgumentParser
import CoreDataStore
import ErrorReporting
import Foundation
import PropertyLists
import StoreExchange
import ToolConsole

/// `store-tool diff FIRST SECOND`
struct Diff: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares two stores: their models, and object by object.",
    discussion: """
      Objects of two states of one store are matched by keys. Objects of different stores are matched by unique \
      attributes, or by the attributes that --by names. Relationships are equal if they lead to matching objects.

        ~ Book/p7             an object that changed; its properties follow
            title: "Emma" → "Emma, or …"
        - Book/p8             an object in the first store only
        + Book/p9             an object in the second store only

      EXAMPLES
        store-tool diff Backup.sqlite Library.sqlite
        store-tool diff Phone.sqlite Tablet.sqlite --by Book.isbn \\
          --by Author.familyName
        store-tool diff Backup.sqlite Library.sqlite --json | jq .summary

      EXIT CODES
        0  the stores have the same model and the same objects
        1  they differ
        2  a store cannot be opened or read
      """)

  @Argument(help: "The first store's file.", transform: parsePath) var first: String
  @Argument(help: "The second store's file.", transform: parsePath) var second: String
  @Option(
    help: ArgumentHelp(
      "An attribute that identifies the objects of an entity; may be repeated.", valueName: "entity.attribute"))
  var by: [String] = []
  @OptionGroup var candidates: ModelArguments
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    for text in by where !text.contains(".") {
      throw ValidationError("--by \(text) names no attribute: write Entity.attribute.")
    }
  }

  func perform() throws {
    let models = try candidates.read()
    let stores = try [first, second].map { try models.open($0, options: StoreOptions(isReadOnly: true)) }
    defer { for store in stores { store.close() } }
    let comparison = try StoreComparison(stores[0], stores[1], by: by)
    if !comparison.unmatchable.isEmpty {
      let names = comparison.unmatchable.prefix(5).map { onOneLine($0) }.joined(separator: ", ")
      let rest = comparison.unmatchable.count - 5
      Console.report([
        Message(
          severity: .note, file: "store-tool", line: nil,
          problem: "nothing is unique in \(names)\(rest > 0 ? " and \(rest) more" : ""), so that keys were compared",
          remedy: "name an attribute with --by")
      ])
    }
    Interruption.shared.observe()
    let output = ResultStream()
    let summary = try Progress.shared.during("comparing \(onOneLine(first)) and \(onOneLine(second))") {
      json ? try printJSON(comparison, output) : try printText(comparison, output)
    }
    try output.flush()
    report(summary.repairedInFirst, of: first)
    report(summary.repairedInSecond, of: second)
    if !summary.isSame || !comparison.modelChanges.isEmpty { throw ExitCode(1) }
  }

  private func step() throws {
    Progress.shared.advance()
    try Interruption.shared.check()
  }

  // MARK: Text

  private func printText(_ comparison: StoreComparison, _ output: ResultStream) throws -> ComparisonSummary {
    let terminal = Terminal.output
    for change in comparison.modelChanges { try output.write("model: \(onOneLine(change))\n") }
    let summary = try comparison.run(progress: step) { difference in
      let (mark, style): (String, Terminal.Style) =
        switch difference.kind {
        case .changed: ("~", .yellow)
        case .onlyInFirst: ("-", .red)
        case .onlyInSecond: ("+", .green)
        }
      try output.write(terminal.styled("\(mark) \(Self.name(difference))", style) + "\n")
      for change in difference.changes {
        try output.write(
          "    \(onOneLine(change.property)): \(Self.text(change.first)) → \(Self.text(change.second))\n")
      }
    }
    let parts = [
      (summary.changed, "changed"), (summary.onlyInFirst, "only in the first store"),
      (summary.onlyInSecond, "only in the second store"), (summary.same, "the same"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    try output.write("\(parts.isEmpty ? "no objects" : parts.joined(separator: ", "))\n")
    return summary
  }

  private static func name(_ difference: ObjectDifference) -> String {
    let names = [difference.first, difference.second].compactMap { $0?.description }
    let name = names.first == names.last ? names.prefix(1) : names[...]
    let matched = difference.matched.map { "\($0.name) \(text($0.value))" }.joined(separator: ", ")
    return onOneLine(name.joined(separator: " → ")) + (matched.isEmpty ? "" : " (\(matched))")
  }

  /// A value as JSON, on one line and of bounded length.
  private static func text(_ value: ExportValue) -> String {
    var output = JSONWriter()
    output.write(value)
    let text = onOneLine(String(decoding: output.bytes, as: UTF8.self))
    return text.count > 70 ? text.prefix(69) + "…" : text
  }

  // MARK: JSON

  private func printJSON(_ comparison: StoreComparison, _ output: ResultStream) throws -> ComparisonSummary {
    var text = JSONWriter()
    text.beginObject()
    text.write(key: "formatVersion")
    text.write(number: 1 as Int64)
    text.write(key: "model")
    text.list { text in for change in comparison.modelChanges { text.write(text: change) } }
    text.write(key: "objects")
    text.beginList()
    let summary = try comparison.run(progress: step) { difference in
      text.startLine()
      text.write(difference)
      try output.write(text.bytes)
      text.removeAll()
    }
    text.endList()
    text.startLine()
    text.write(key: "summary")
    text.object { text in
      for (key, count) in [
        ("changed", summary.changed), ("onlyInFirst", summary.onlyInFirst), ("onlyInSecond", summary.onlyInSecond),
        ("same", summary.same),
      ] {
        text.write(key: key)
        text.write(number: Int64(count))
      }
    }
    text.endObject()
    text.endDocument()
    try output.write(text.bytes)
    return summary
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ difference: ObjectDifference) {
    beginObject()
    write(key: "kind")
    write(text: difference.kind.rawValue)
    for (key, object) in [("first", difference.first), ("second", difference.second)] {
      guard let object else { continue }
      write(key: key)
      write(text: object.description)
    }
    if !difference.matched.isEmpty {
      write(key: "matched")
      write(.composite(difference.matched))
    }
    if !difference.changes.isEmpty {
      write(key: "changes")
      object { output in
        for change in difference.changes {
          output.write(name: change.property)
          output.list { output in
            output.write(change.first)
            output.write(change.second)
          }
        }
      }
    }
    endObject()
  }
}
