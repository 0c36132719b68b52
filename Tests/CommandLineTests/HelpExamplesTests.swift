import Foundation
import TestSupport
import Testing

/// The commands of the help pages, run as they stand there, one page after the other, beside copies of the sample store and its model.
@Suite(
  "Examples of the help",
  .enabled(if: storeTool.url != nil && GenerateModelsTool.url != nil, "needs the built tools"))
struct HelpExamplesTests {
  @Test(
    "The examples of each subcommand of store-tool do what they say",
    arguments: ["inspect", "check", "history", "doctor", "copy", "migrate", "dump", "import", "export", "diff", "sql"])
  func subcommands(_ verb: String) throws {
    try runExamples(of: try storeTool.run([verb, "--help"]).output, atLeast: 3)
  }

  @Test("The examples of generate-models do what they say") func generateModels() throws {
    try runExamples(of: try GenerateModelsTool.run("--help").output, atLeast: 10)
  }

  @Test("The example of a join gives each author's number of books") func join() throws {
    let commands = Self.commands(of: try storeTool.run(["sql", "--help"]).output)
    let join = try #require(commands.first { $0.contains("JOIN") })
    let result = try Workplace().run(join.replacing("store-tool sql", with: "store-tool sql --csv"))
    #expect(
      result.output == "familyName,books\r\nDumas,1\r\nDostoevsky,1\r\nVazov,1\r\nForster,1\r\n", "\(result.errors)")
  }

  private func runExamples(of page: String, atLeast count: Int) throws {
    let commands = Self.commands(of: page)
    #expect(commands.count >= count)
    let place = try Workplace()
    for command in commands {
      let result = try place.run(command)
      if command.contains("postgresql://") || command.contains(".xcmappingmodel") {
        // Neither a server nor mapping models are at hand; the options are right if only these are missed.
        #expect(result.status == 2 && result.errors.contains("error: "), "\(command)\n\(result.errors)")
        let missing = ["connection to server", "1to2.xcmappingmodel", "postgresql-model"]
        #expect(missing.contains(where: result.errors.contains), "\(command)\n\(result.errors)")
      } else {
        #expect(result.status == (command.contains("--follow") ? 128 + SIGTERM : 0), "\(command)\n\(result.errors)")
        // A shell forgets the status of a command before a pipe.
        #expect(!result.errors.lowercased().contains("error"), "\(command)\n\(result.errors)")
      }
    }
  }

  /// The commands of a page's examples. A command goes on after a line that ends with a backslash or a pipe, or within quotes.
  private static func commands(of page: String) -> [String] {
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
      .drop { $0 != "EXAMPLES" }.dropFirst().prefix { !$0.allSatisfy { $0.isUppercase || $0 == " " } || $0.isEmpty }
    var commands: [String] = []
    var isOpen = false
    for line in lines {
      if isOpen {
        commands[commands.count - 1] += "\n" + line
      } else if line.contains(#/^ +(store-tool|generate-models) /#) {
        commands.append(String(line))
      } else {
        // What is no command says what the next one does; a line that the page has wrapped is neither.
        #expect(line.isEmpty || line.hasPrefix("  ") && line.hasSuffix(":"), "\(line)")
        continue
      }
      let command = commands[commands.count - 1]
      isOpen = command.hasSuffix("\\") || command.hasSuffix("|") || !command.count { $0 == "'" }.isMultiple(of: 2)
    }
    return commands
  }
}

/// A folder with all that the examples name.
private struct Workplace {
  private let store: TemporaryStore
  private var folder: URL { store.folder }

  init() throws {
    store = try .sampleLibrary()
    for name in ["Old", "Backup", "Phone", "Tablet", "Backups/Earlier"] {
      let copy = store.folder.appendingPathComponent("\(name).sqlite")
      try FileManager.default.createDirectory(at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: store.url, to: copy)
    }
    let model = URL(fileURLWithPath: GenerateModelsTool.library)
    for (source, name) in [
      (model, "Library.xcdatamodeld"), (model.appendingPathComponent("Library 2.xcdatamodel"), "Old.xcdatamodel"),
      (model.appendingPathComponent("Library 3.xcdatamodel"), "New.xcdatamodel"),
    ] { try FileManager.default.copyItem(at: source, to: folder.appendingPathComponent(name)) }
    // The lines that the page of import shows.
    let lines = try storeTool.run(["import", "--help"]).output.split(separator: "\n").filter {
      $0.hasPrefix("  {\"$entity\"")
    }
    try write(lines.joined(separator: "\n"), "categories.jsonl")
    try write("{\"$entity\":\"Category\",\"$id\":\"Category/p1\",\"name\":\"Old books\"}\n", "corrections.jsonl")
    try write("SELECT title FROM Book", "query.sql")
    try FileManager.default.createDirectory(at: tools, withIntermediateDirectories: false)
    for (name, url) in [("store-tool", storeTool.url), ("generate-models", GenerateModelsTool.url)] {
      try FileManager.default.createSymbolicLink(
        at: tools.appendingPathComponent(name), withDestinationURL: try #require(url))
    }
  }

  private var tools: URL { folder.appendingPathComponent("tools") }

  private func write(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
  }

  /// Runs a command in a shell that finds the tools.
  func run(_ command: String) throws -> RunningProgram.Result {
    // Nothing listens at the first port.
    let command = command.replacing("app@db.example", with: "app@127.0.0.1:1")
    let ended = """
      \(command) > followed & n=0
      until [ -s followed ] || [ $n -gt 300 ]; do sleep 0.1; n=$((n + 1)); done; kill -TERM $!; wait $!
      """
    // Programs of others that may not be installed pass their input on.
    let others = ["jq", "dot"].map { "command -v \($0) > /dev/null || \($0)() { cat; }" }.joined(separator: "\n")
    return try RunningProgram.run(
      "/bin/sh",
      ["-c", "PATH=\"$0:$PATH\"\n\(others)\n\(command.contains("--follow") ? ended : command)", tools.path], in: folder)
  }
}
