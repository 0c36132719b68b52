import Foundation
import TestSupport
import Testing

/// A built tool, run as a program.
struct BuiltTool {
  typealias Result = RunningProgram.Result

  /// Beside the test bundle, where the build leaves executables; an environment variable names another one.
  let url: URL?

  init(url: URL) { self.url = url }

  init(_ name: String, variable: String) {
    if let path = ProcessInfo.processInfo.environment[variable] {
      url = URL(fileURLWithPath: path)
    } else {
      let folders = ProcessInfo.processInfo.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
      url = folders.map { $0.appendingPathComponent(name) }.first {
        FileManager.default.isExecutableFile(atPath: $0.path)
      }
    }
  }

  /// - Parameter setUp: a shell command that the tool is started after, in the same process.
  func run(_ arguments: [String], after setUp: String? = nil) throws -> Result {
    guard let url else { throw CocoaError(.fileNoSuchFile) }
    guard let setUp else { return try RunningProgram.run(url.path, arguments) }
    return try RunningProgram.run("/bin/sh", ["-c", "\(setUp); exec \"$0\" \"$@\"", url.path] + arguments)
  }

  /// Runs the tool as a user whom permissions bind.
  func runAsNobody(_ arguments: [String]) throws -> Result {
    guard let url, geteuid() == 0 else { return try run(arguments) }
    return try RunningProgram.run(
      Self.setpriv, ["--reuid=65534", "--clear-groups", url.path] + arguments)
  }

  static let setpriv = "/usr/bin/setpriv"

  /// A line of a shell that starts a command when the other end of its output's pipe is closed, and prints the command's status.
  ///
  /// - Parameter place: a path; files are made beside it.
  static func closingPipe(of command: String, beside place: String) -> String {
    let (closed, status) = ("\"\(place).closed\"", "\"\(place).status\"")
    // Some shells wait for the last command of a pipe only.
    return "rm -f \(closed) \(status); mkfifo \(closed); "
      + "{ read line < \(closed); \(command); echo $? > \(status); } | { exec < /dev/null; echo > \(closed); }; "
      + "n=0; until [ -s \(status) ] || [ $n -gt 600 ]; do sleep 0.1; n=$((n + 1)); done; cat \(status)"
  }
}

let storeTool = BuiltTool("store-tool", variable: "STORE_TOOL")

extension Trait where Self == ConditionTrait {
  static var needsStoreTool: Self { .enabled(if: storeTool.url != nil, "needs the built store-tool") }

  /// See ``BuiltTool/runAsNobody(_:)``.
  static var needsNobody: Self {
    .enabled(if: geteuid() != 0 || FileManager.default.isExecutableFile(atPath: BuiltTool.setpriv), "needs setpriv")
  }
}

enum GenerateModelsTool {
  private static let tool = BuiltTool("generate-models", variable: "GENERATE_MODELS")
  static var url: URL? { tool.url }
  static let library = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld").path

  static func run(_ arguments: String...) throws -> BuiltTool.Result { try tool.run(arguments) }

  static func run(_ arguments: [String], after setUp: String) throws -> BuiltTool.Result {
    try tool.run(arguments, after: setUp)
  }
  static func run(_ arguments: [String]) throws -> BuiltTool.Result { try tool.run(arguments) }
}

/// A folder to write to, and what is in it.
struct OutputFolder {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  var url: URL { temporary.folder.appendingPathComponent("Generated") }
  var path: String { url.path }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  func write(_ text: String, to name: String) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file(name))
  }

  func text(_ name: String) throws -> String { try String(contentsOf: file(name), encoding: .utf8) }

  /// The text of every file in it.
  func contents() throws -> [String: String] {
    Dictionary(uniqueKeysWithValues: try names.map { ($0, try text($0)) })
  }

  /// Every entry, hidden ones too; empty if the folder does not exist.
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  /// Writes a bundle of one version beside the output folder.
  func bundle(_ contents: String, name: String = "Test.xcdatamodeld") throws -> String {
    let bundle = temporary.folder.appendingPathComponent(name)
    let version = bundle.appendingPathComponent("Test.xcdatamodel")
    try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
    try Data(contents.utf8).write(to: version.appendingPathComponent("contents"))
    return bundle.path
  }
}
