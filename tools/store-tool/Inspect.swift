import ArgumentParser
import CoreDataStore
import Foundation
import ManagedModel
import ToolConsole

/// `store-tool inspect STORE`
struct Inspect: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says what is in a store: model, objects, sizes, versions, history, indexes, external data.",
    discussion: """
      The store is only read: no file is changed or made beside it. Sizes are those of pages in the file, where SQLite \
      was built to tell them.

      EXAMPLES
        store-tool inspect Library.sqlite
        store-tool inspect Library.sqlite --entity Book
        store-tool inspect Library.sqlite --json | jq .entities

      EXIT CODES
        0  done
        2  the store cannot be opened, or has no entity of the name that was given
      """)

  @Argument(help: "The store's file.") var store: String
  @OptionGroup var candidates: ModelArguments
  @Option(help: ArgumentHelp("Print what is known of one entity.", valueName: "name")) var entity: String?
  @Flag(help: "Print the version hashes of the entities.") var hashes = false
  @Flag(help: "Print every entity, table, index and trigger, and the metadata.") var all = false
  @Flag(help: "Print JSON, which has everything.") var json = false

  func perform() throws {
    let url = URL(fileURLWithPath: store)
    let candidates = try candidates.read()
    let summary = try Progress.shared.during("reading \(url.lastPathComponent)") {
      try StoreSummary.read(url, candidates: candidates.versions)
    }
    if let entity {
      guard let found = summary.entities.first(where: { $0.name == entity }) else {
        let nearest = nearestName(to: entity, in: summary.entities.map(\.name))
        throw Failure([
          Message(
            severity: .error, file: store, line: nil, what: "there is no entity “\(onOneLine(entity))”",
            remedy: nearest.map { "did you mean “\(onOneLine($0))”?" } ?? "the entities are listed without --entity")
        ])
      }
      if json { return try Console.print(json: found) }
      return try Console.print(EntityText(found, summary).lines.joined(separator: "\n"))
    }
    if json { return try Console.print(json: summary) }
    try Console.print(
      SummaryText(summary, showsHashes: hashes, showsAll: all).lines.joined(separator: "\n"))
  }
}
