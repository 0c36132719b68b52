import ArgumentParser
import ErrorReporting
import Foundation
package import ModelDiagram
import ModelGenerator
import ToolConsole
import ToolModels

/// The command line of the generator: flags in, exit code out.
@main
struct GenerateModels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate-models", abstract: HelpPage.abstract, usage: HelpPage.usage,
    discussion: HelpPage.discussion, version: ToolVersion.text)

  @Argument(help: ArgumentHelp("The model to read, in any form.", valueName: "input"))
  var input: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The folder to write or to check; it is created if it does not exist. With --diagram, --diff and --json: the "
        + "file to write, instead of standard output.", valueName: "path"))
  var output: String?

  @Option(help: ArgumentHelp("The schema of a database; the default is public.", valueName: "name"))
  var schema: String?

  @Option(help: "The output: Swift source, or a compiled model (.mom, .momd) that Core Data loads.")
  var format: OutputFormat?

  @Option(help: "The API that the source uses: this package's, which expresses every feature, or Apple's.")
  var dialect: ModelGenerator.Dialect?

  @Option(
    help: """
      The access level of the generated declarations. With 'package', other files of the target state the level of their imports, too, \
      or the target enables InternalImportsByDefault.
      """)
  var access: ModelGenerator.AccessLevel?

  @Option(
    help: ArgumentHelp(
      "The versions to read, separated by commas: names, numbers (V2), current, oldest, newest, and ranges (V3...V5, "
        + "V3...). The default is all versions.", valueName: "list"))
  var versions: [String] = []

  /// The order of all versions.
  @Option(
    help: ArgumentHelp(
      "All versions of the bundle from the oldest to the newest, separated by commas. The default order is the version "
        + "that is named like the bundle, then the others by name.", valueName: "list"))
  var order: [String] = []

  @Flag(help: "Remove files that an earlier run generated and this run does not.")
  var prune = false

  @Flag(help: "Change nothing; print the actions.")
  var dryRun = false

  @Flag(help: "Change nothing; print the difference between the folder and the output as a patch.")
  var check = false

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "List the changes between two versions, and whether Core Data infers the migration of a store. OLD and NEW are "
        + "versions of INPUT or paths of models.", valueName: "old> <new"))
  var diff: [String] = []

  @Option(
    help: ArgumentHelp(
      "Draw the entities and relationships of the current version, or of the version that --versions selects.",
      valueName: "format"))
  var diagram: DiagramFormat?

  @Flag(help: "Print JSON for other programs: the model, or the result of --check or --diff.")
  var json = false

  /// Like the parser's own `main`, but writes help and version texts as results: the pipe may be closed, or the disk
  /// full.
  static func main() {
    Console.ignoreTerminatingSignals()
    CommandLineWords.requireUTF8()
    do {
      let names = CommandLineCheck.optionNames
      if let problem = CommandLineWords.misspelledOption(in: CommandLine.arguments.dropFirst(), names: names) {
        throw ValidationError(problem)
      }
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

  /// Checks that the flags can be combined, before any file is read.
  func validate() throws { try CommandLineCheck(self).run() }

  func run() throws {
    Console.ignoreTerminatingSignals()
    do {
      try perform()
    } catch let error where error is Failure || error is any ReportableError {
      let failure = Failure(of: "generate-models", error)
      Console.report(failure.diagnostics)
      if json, !failure.diagnostics.isEmpty { try? Console.write(JSONText.encode(FailureDocument(failure))) }
      throw ExitCode(failure.status)
    }
  }

  private func perform() throws {
    if let output, let input = comparison.input {
      try ModelSource(path: input).requireOutside(URL(fileURLWithPath: output))
    }
    switch verb {
    case .generate:
      try GenerateCommand(
        source: source, output: folder, options: options, prunes: prune, isTrial: dryRun
      ).run()
    case .compile: try CompileCommand(source: source, output: folder).run()
    case .check:
      try CheckCommand(source: source, output: folder, options: options, isJSON: json).run()
    case .diff:
      try DiffCommand(
        input: comparison.input, old: comparison.old, new: comparison.new, order: VersionOrder(order), schema: schema,
        output: document,
        isJSON: json
      )
      .run()
    case .diagram(let format):
      try DiagramCommand(source: source(default: .current), output: document, format: format).run()
    case .describe:
      try DescribeCommand(source: source, output: document, options: options).run()
    }
  }
}

extension GenerateModels {
  /// The single task of a run.
  enum Verb: Equatable {
    case generate, compile, check, diff, describe
    case diagram(DiagramFormat)
  }

  var verb: Verb {
    if check { return .check }
    if !diff.isEmpty { return .diff }
    if let diagram { return .diagram(diagram) }
    if format == .mom { return .compile }
    return json ? .describe : .generate
  }

  /// The two sides of `--diff`. If INPUT follows them on the command line, the parser passes it as a third value.
  var comparison: (input: String?, old: String, new: String) {
    (input ?? diff.dropFirst(2).first, diff.first ?? "", diff.dropFirst().first ?? "")
  }

  private var source: ModelSource { source(default: .all) }

  private func source(default versionsIfNoneNamed: VersionSelection.Default) -> ModelSource {
    ModelSource(
      path: input ?? "", schema: schema, order: VersionOrder(order),
      selection: VersionSelection(versions, default: versionsIfNoneNamed)
    )
  }

  private var folder: URL { URL(fileURLWithPath: output ?? "", isDirectory: true) }
  private var document: DocumentOutput { DocumentOutput(file: output.map { URL(fileURLWithPath: $0) }) }

  private var options: ModelGenerator.Options {
    ModelGenerator.Options(dialect: dialect ?? .open, access: access ?? .internal)
  }
}

/// The form of the output.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  case swift, mom
}

extension ModelGenerator.Dialect: ExpressibleByArgument {}
extension ModelGenerator.AccessLevel: ExpressibleByArgument {}
extension DiagramFormat: ExpressibleByArgument {}
