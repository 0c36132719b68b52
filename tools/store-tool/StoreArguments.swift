import ArgumentParser
import CoreDataStore
import Foundation

/// The store of a command, and the model to open it with.
struct StoreArguments: ParsableArguments {
  @Argument(help: "The store's file.") var store: String
  @OptionGroup var candidates: ModelArguments

  /// Opens the store for reading.
  ///
  /// - Throws: `StoreError`, `Failure`
  func openForReading() throws -> PersistentStore {
    try candidates.read().open(store, options: StoreOptions(isReadOnly: true))
  }
}

/// The model for a store that contains none.
struct ModelArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The model of a store that carries none: an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store.",
      valueName: "path"))
  var model: String?

  /// - Throws: `Failure`
  func read() throws -> CandidateModels { try CandidateModels(path: model) }
}
