import ArgumentParser
import CoreDataStore
import Foundation
import StoreInspection
import ToolConsole

/// `store-tool check STORE…`
struct Check: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks stores against their own model and the facts of the format.",
    discussion: """
      The report counts the rules that hold, and shows each rule that something was found for. With --verbose, each rule \
      is a line: ok, FAIL, or skip if the store has nothing to check, and the fact of the format it comes from. Without \
      a model, most rules have nothing to compare a store with; the report says so.

      An error is a state that Core Data never writes. A warning is a leftover of Core Data or of an application, such as \
      a key of a deleted object. A note is a trace of a migration or an old framework. A line with an arrow says how to \
      repair the finding.

      Stores are only read: no file is changed, and none is created beside them.

      EXAMPLES
        store-tool check Library.sqlite
        store-tool check Backups --verbose
        store-tool check Old.sqlite --model Library.xcdatamodeld --json

      EXIT CODES
        0  no store has errors
        1  a store has errors
        2  a store, or a file or folder among those to search, cannot be opened;
           or no store has errors, and the report cannot be written
      """)

  @Argument(help: "Stores, and folders to search for stores.", transform: parsePath) var stores: [String]
  @OptionGroup var candidates: ModelArguments
  @Flag(name: [.long, .customLong("fresh")], help: "Also report what only a migrated or old store shows.")
  var strict = false
  @Flag(help: "Print every rule, every finding and the notes.") var verbose = false
  @Flag(help: "Print JSON.") var json = false

  func perform() throws {
    let models = try candidates.read()
    let found = try StoreSearch.stores(at: stores)
    var documents: [CheckDocument] = []
    var output = VerdictOutput()
    for (position, store) in found.enumerated() {
      let place = found.count > 1 ? " (\(position + 1) of \(found.count))" : ""
      let document = Progress.shared.during("checking \(store.url.lastPathComponent)\(place)") {
        CheckDocument(store.path) {
          if let obstacle = store.obstacle {
            throw Failure(store.url, line: nil, obstacle.problem, remedy: obstacle.remedy)
          }
          return try StoreChecker.report(store.url, candidates: models.versions, isStrict: strict)
        }
      }
      // A database in a folder may belong to another program.
      if !store.isNamed, document.isForeign { continue }
      documents.append(document)
      if !json { try output.print { try CheckText(document, isVerbose: verbose).print() } }
    }
    if json { try output.print { try Console.print(json: documents) } }
    if documents.isEmpty {
      throw Failure(
        URL(fileURLWithPath: stores.first ?? "."), line: nil, "there is no store in it",
        remedy: "name a store, or its folder")
    }
    let isUnread = documents.contains { $0.error != nil }
    try output.end(with: isUnread ? 2 : documents.contains { $0.errorCount > 0 } ? 1 : 0)
  }
}
