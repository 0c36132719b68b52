import ArgumentParser
import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import StoreInspection
import ToolConsole

/// `store-tool inspect STORE`
struct Inspect: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract: "Describes a store: model, objects, sizes, versions, history, indexes, external data.",
    discussion: """
      The store is only read: no file is changed, and none is created beside it. Sizes count pages of the file; they \
      are missing if SQLite was built without its dbstat table.

      EXAMPLES
        store-tool inspect Library.sqlite
        store-tool inspect Library.sqlite --entity Book
        store-tool inspect Library.sqlite --json | jq .entities

      EXIT CODES
        0  done
        2  the store cannot be opened, or has no entity of the given name
      """)

  @Argument(help: "The store's file.", transform: parsePath) var store: String
  @OptionGroup var candidates: ModelArguments
  @Option(help: ArgumentHelp("Print the details of one entity.", valueName: "name")) var entity: String?
  @Flag(help: "Print the version hashes of the entities.") var hashes = false
  @Flag(help: "Print every entity, table, index and trigger, and the metadata.") var all = false
  @Flag(help: "Print JSON with all details.") var json = false

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
            severity: .error, file: store, line: nil, problem: "there is no entity \(quoted(entity))",
            remedy: nearest.map { "did you mean \(quoted($0))?" } ?? "the entities are listed without --entity")
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
