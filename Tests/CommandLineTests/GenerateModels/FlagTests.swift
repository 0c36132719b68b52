import Foundation
import TestSupport
import Testing

@Suite("generate-models: flags", .enabled(if: GenerateModelsTool.url != nil, "needs the built generate-models"))
struct FlagTests {
  @Test(
    "Flags that contradict one another, or lack something, end with status 64 and a sentence",
    arguments: [
      (["IN", "--check", "--prune", "-o", "x"], "--prune cannot be combined with --check: leave it out."),
      (["IN", "--check", "--dry-run", "-o", "x"], "--dry-run cannot be combined with --check"),
      (
        ["IN", "--check", "--diagram", "svg", "-o", "x"], "--check and --diagram cannot be done in one run: choose one."
      ),
      (["IN", "--diagram", "dot", "--diff", "V1", "V2"], "--diff and --diagram cannot be done in one run"),
      (["IN", "--diagram", "dot", "--json"], "--json cannot be combined with --diagram"),
      (["IN", "--diagram", "dot", "--access", "public"], "--access cannot be combined with --diagram"),
      (["IN", "--diagram", "png"], "Please provide one of 'mermaid', 'dot' or 'svg'"),
      (["IN", "--diff", "V1", "V2", "--versions", "V1"], "--versions cannot be combined with --diff"),
      (["IN", "--diff", "V1"], "--diff takes two values, OLD and NEW"),
      (["IN", "--diff", "V1", "V2", "V3"], "--diff takes two values"),
      (["IN", "--diff", "", "V2"], "A value of --diff is empty"),
      (["IN", "--json", "--prune", "--access", "public"], "--access and --prune cannot be combined with --json"),
      (["IN", "--check"], "--output is missing: name the folder to check"),
      (["IN"], "--output is missing: name the folder to write to"),
      (["IN", "-o", "x", "--versions", " , "], "--versions names no version."),
      (["IN", "-o", ""], "The path of --output is empty"),
      (["", "-o", "x"], "INPUT is empty"),
      (["--json"], "INPUT is missing: name the model to read"),
      (["IN", "--chekc", "-o", "x"], "--check"),
    ])
  func contradictions(arguments: [String], sentence: String) throws {
    let result = try GenerateModelsTool.run(arguments.map { $0 == "IN" ? GenerateModelsTool.library : $0 })
    #expect(result.status == 64)
    #expect(result.errors.contains(sentence), "\(result.errors)")
    #expect(result.output.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: "x"))
  }

  @Test("The help page names every verb, shows examples, and fits a terminal") func help() throws {
    let result = try GenerateModelsTool.run("--help")
    #expect(result.status == 0)
    for word in [
      "--check", "--diff", "--diagram", "--json", "--prune", "--versions", "--access", "--dialect", "--dry-run",
      "EXAMPLES", "EXIT CODES", ".momd", "NO_COLOR",
    ] { #expect(result.output.contains(word), "\(word)") }
    for line in result.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test("The version is that of the changelog") func version() throws {
    let result = try GenerateModelsTool.run("--version")
    #expect(result.status == 0)
    #expect(result.output == "OpenSwiftData \(try Fixtures.newestVersion())\n")
  }

  @Test(
    "A reader that is gone ends a run, and no error is told",
    arguments: ["--json", "--diagram svg", "--diff V1 V2 --json", "--help"])
  func closedPipe(_ flags: String) throws {
    let shell = BuiltTool(url: URL(fileURLWithPath: "/bin/sh"))
    for signal in ["trap '' PIPE", "trap - PIPE"] {
      let folder = try TemporaryStore()
      let line = "\(signal); " + BuiltTool.closingPipe(of: "\"$0\" \"$1\" \(flags)", beside: "$2")
      let result = try shell.run(
        ["-c", line, GenerateModelsTool.url?.path ?? "", GenerateModelsTool.library, folder.url.path])
      #expect(result.output == "141\n" && !result.errors.contains(": error: "), "\(signal): \(result.errors)")
    }
  }

  @Test("A full device is told, with status 2", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func fullDevice() throws {
    let result = try RunningProgram.run(
      try #require(GenerateModelsTool.url).path, [GenerateModelsTool.library, "--json"],
      output: FileHandle(forWritingAtPath: "/dev/full"))
    #expect(result.status == 2)
    #expect(result.errors.contains("the output cannot be written"))
  }
}
