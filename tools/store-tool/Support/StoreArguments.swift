import ArgumentParser
import CoreDataStore
import ErrorReporting
import Foundation
import ToolConsole

/// The store of a command, and the model to open it with.
struct StoreArguments: ParsableArguments {
  @Argument(help: "The store's file.", transform: parsePath) var store: String
  @OptionGroup var candidates: ModelArguments

  /// Opens the store for reading.
  ///
  /// - Throws: `StoreError`, `Failure`
  func openForReading() throws -> PersistentStore {
    try candidates.read().open(store, options: StoreOptions(isReadOnly: true))
  }

  /// Opens the store for reading. A store without a usable model, for which none is given, is opened without entities,
  /// with a note.
  ///
  /// - Throws: `StoreError`, `Failure`
  func openTables() throws -> PersistentStore {
    do { return try openForReading() } catch let error as StoreError where candidates.model == nil {
      switch error.kind {
      case .noModel, .unreadableModel, .unusableModel, .missingColumns: break
      default: throw error
      }
      var options = StoreOptions(isReadOnly: true)
      options.hasTablesOnly = true
      let opened = try PersistentStore.open(at: URL(fileURLWithPath: store), options: options)
      Console.report([
        Message(
          severity: .note, file: store, line: nil,
          problem: "only the store's own tables are known, as it \(onOneLine(error.predicate))",
          remedy: "name the model with --model")
      ])
      return opened
    }
  }
}

/// The model for a store that contains none.
struct ModelArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The model of a store that carries none: an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store.",
      valueName: "path"), transform: parsePath)
  var model: String?

  /// - Throws: `Failure`
  func read() throws -> CandidateModels { try CandidateModels(path: model) }
}

/// Refuses an empty path, such as an unset variable of a script gives. It would lead to the working folder.
func parsePath(_ text: String) throws -> String {
  guard !text.isEmpty else { throw ValidationError("the path is empty.") }
  return text
}

/// The path of a file that the command may write, or the address of a database; see `CommandLineWords.problem(ofFile:)`.
func parseFilePath(_ text: String) throws -> String {
  let path = try parsePath(text)
  if let problem = CommandLineWords.problem(ofFile: path) { throw ValidationError(problem) }
  return path
}
