import ArgumentParser
import ErrorReporting
import Foundation
import ToolConsole

/// Inspects, checks, repairs, copies, migrates, imports, exports and compares Core Data and SwiftData stores.
@main
struct StoreTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store-tool",
    abstract:
      "Inspects, checks, repairs, copies, migrates, imports, exports and compares Core Data and SwiftData stores.",
    discussion: """
      EXIT CODES
        0    done
        1    check, doctor or copy --check found errors; diff found differences;
             doctor or migrate: the store cannot be brought to the model
        2    failed: the message on standard error says where, why and what to do;
             if only the summary cannot be written, it says what is saved
        64   the command line is wrong
        130  interrupted (143 by kill, 129 by a closed terminal)
        141  the reader of the output has closed it
      """, version: ToolVersion.text,
    subcommands: [
      Inspect.self, Check.self, Doctor.self, Copy.self, Migrate.self, Dump.self, Import.self, Export.self, Diff.self,
      Query.self, History.self,
    ])

  /// Like the parser's own `main`, but writes help and version texts as results: the pipe may be closed, or the disk
  /// full.
  static func main() {
    Console.ignoreTerminatingSignals()
    CommandLineWords.requireUTF8()
    do {
      try requireKnownSubcommand()
      try requireFiles()
      var command = try parseAsRoot()
      try command.run()
    } catch {
      let status = exitCode(for: error).rawValue
      if let problem = CommandLineWords.fileTakenForOption(in: CommandLine.arguments.dropFirst(), status: status) {
        exit(withError: ValidationError(problem))
      }
      guard status == EXIT_SUCCESS else {
        DatabaseAddress.endIfShown(in: fullMessage(for: error), status: status)
        exit(withError: error)
      }
      Console.end(with: fullMessage(for: error))
    }
  }

  /// - Throws: `ValidationError` for a database in the place of a file: only `copy` knows databases, and `migrate` as the store.
  private static func requireFiles() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    guard let verb = words.first, verb != "copy" else { return }
    let addresses = words.indices.filter { DatabaseAddress.isAddress(words[$0]) }
    guard !addresses.isEmpty else { return }
    let isStore = addresses.allSatisfy {
      !["--to", "--plan", "--output", "-o", "--model-version"].contains(words[$0 - 1])
    }
    if verb == "migrate", addresses.count == 1, isStore { return }
    throw ValidationError(
      "'\(onOneLine(verb))' works on files, not on databases: make a file first, with store-tool copy ADDRESS FILE.")
  }

  /// - Throws: `ValidationError` for a word in the place of a subcommand that is near a subcommand's name.
  private static func requireKnownSubcommand() throws {
    let names = configuration.subcommands.map { $0.configuration.commandName ?? "\($0)".lowercased() } + ["help"]
    guard let word = CommandLine.arguments.dropFirst().first, !word.hasPrefix("-"), !names.contains(word) else {
      return
    }
    let listed = names.joined(separator: ", ")
    throw ValidationError(
      "There is no subcommand '\(onOneLine(word))'. "
        + (nearestName(to: word, in: names).map { "Did you mean '\($0)'?" } ?? "Choose one of \(listed)."))
  }
}
