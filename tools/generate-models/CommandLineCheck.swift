import ArgumentParser
import ErrorReporting
import ToolConsole

/// Checks that the flags can be combined, and that the required ones are present.
struct CommandLineCheck {
  private let command: GenerateModels

  init(_ command: GenerateModels) { self.command = command }

  /// - Throws: `ValidationError`, which ends the program with status 64.
  func run() throws {
    try requireOneVerb()
    try requireMeaningfulFlags()
    try requireInput()
    try requireOutput()
    try requireDatabaseOfSchema()
    for item in command.versions where item.allSatisfy({ $0 == "," || $0 == " " }) {
      throw ValidationError("--versions names no version.")
    }
  }

  private func requireOneVerb() throws {
    let verbs = given.filter { ["--check", "--diff", "--diagram"].contains($0) }
    if verbs.count > 1 { throw ValidationError("\(list(verbs)) cannot be done in one run: choose one.") }
  }

  /// Checks that every given flag has a meaning for the verb.
  private func requireMeaningfulFlags() throws {
    let (name, companions): (String, Set<String>) =
      switch command.verb {
      case .generate:
        (
          "generating",
          [
            "--output", "--schema", "--format", "--dialect", "--access", "--versions", "--order", "--prune",
            "--dry-run",
          ]
        )
      case .compile: ("--format mom", ["--output", "--schema", "--format", "--versions", "--order"])
      case .check:
        ("--check", ["--check", "--output", "--schema", "--dialect", "--access", "--versions", "--json", "--order"])
      case .diff: ("--diff", ["--diff", "--output", "--schema", "--order", "--json"])
      case .diagram: ("--diagram", ["--diagram", "--output", "--schema", "--versions", "--order"])
      case .describe: ("--json", ["--json", "--output", "--schema", "--dialect", "--versions", "--order"])
      }
    let strangers = given.filter { !companions.contains($0) }
    if !strangers.isEmpty {
      throw ValidationError(
        "\(list(strangers)) cannot be combined with \(name): leave \(strangers.count == 1 ? "it" : "them") out.")
    }
  }

  private func requireInput() throws {
    if command.verb == .diff {
      let values = command.diff
      guard values.count == 2 || values.count == 3 && command.input == nil else {
        throw ValidationError("--diff takes two values, OLD and NEW: versions of INPUT, or paths of models.")
      }
      if (values + [command.input ?? "-"]).contains("") {
        throw ValidationError("A value of --diff is empty: name a version of INPUT or the path of a model.")
      }
      return
    }
    guard let input = command.input else {
      throw ValidationError(
        "INPUT is missing: name the model to read, for example Library.xcdatamodeld. See --help for examples.")
    }
    if input.isEmpty { throw ValidationError("INPUT is empty: name the model to read.") }
  }

  private func requireDatabaseOfSchema() throws {
    guard let schema = command.schema else { return }
    guard !schema.isEmpty else {
      throw ValidationError("The name of --schema is empty: name a schema of the database, or leave it out for public.")
    }
    guard ([command.input].compactMap(\.self) + command.diff).contains(where: DatabaseAddress.isAddress) else {
      throw ValidationError(
        "--schema names a schema of a database: name a database as INPUT, such as postgresql://user@host/database.")
    }
  }

  private func requireOutput() throws {
    if let output = command.output {
      if output.isEmpty { throw ValidationError("The path of --output is empty: name where to write to.") }
      if writesFile, let problem = CommandLineWords.problem(ofFile: output) {
        throw ValidationError("The value '\(onOneLine(output))' is invalid for '--output <path>': \(problem)")
      }
      return
    }
    switch command.verb {
    case .generate, .compile:
      throw ValidationError("--output is missing: name the folder to write to, for example --output Sources/Model.")
    case .check:
      throw ValidationError("--output is missing: name the folder to check, for example --output Sources/Model.")
    case .diff, .diagram, .describe: break
    }
  }

  /// Whether `--output` names a file, not a folder.
  private var writesFile: Bool {
    switch command.verb {
    case .generate, .compile, .check: false
    case .diff, .diagram, .describe: true
    }
  }

  /// The flags on the command line, in the order of the help page.
  private var given: [String] {
    let flags: [(name: String, isGiven: Bool)] = [
      ("--output", command.output != nil), ("--schema", command.schema != nil), ("--format", command.format != nil),
      ("--dialect", command.dialect != nil),
      ("--access", command.access != nil),
      ("--versions", !command.versions.isEmpty), ("--order", !command.order.isEmpty), ("--prune", command.prune),
      ("--dry-run", command.dryRun),
      ("--check", command.check), ("--diff", !command.diff.isEmpty), ("--diagram", command.diagram != nil),
      ("--json", command.json),
    ]
    return flags.filter(\.isGiven).map(\.name)
  }

  /// The names of all long options, the parser's own included.
  static let optionNames = [
    "--output", "--schema", "--format", "--dialect", "--access", "--versions", "--order", "--prune", "--dry-run",
    "--check",
    "--diff",
    "--diagram", "--json", "--version", "--help", "--help-hidden", "--generate-completion-script",
    "--experimental-dump-help",
  ]

  private func list(_ names: [String]) -> String {
    names.count < 2
      ? names.joined() : "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
  }
}
