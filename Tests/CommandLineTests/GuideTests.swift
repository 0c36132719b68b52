import Foundation
import TestSupport
import Testing

/// Every command of the guide "From Core Data to SwiftData", run in its order on the bundle and the store it names.
@Suite("From Core Data to SwiftData", .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
struct GuideTests {
  static let guide = Fixtures.packageRoot.appendingPathComponent(
    "Sources/SwiftData/SwiftData.docc/FromCoreDataToSwiftData.md")
  static let bundle = Fixtures.url("models/duckduckgo__BrowserServicesKit/BookmarksModel.xcdatamodeld")

  @Test("The guide's commands do what it says") func commands() throws {
    let store = try Fixtures.copyOfStore("duckduckgo__BrowserServicesKit__Bookmarks_V3.sqlite")
    for suffix in ["", "-wal"] {
      try FileManager.default.moveItem(
        atPath: store.url.path + suffix,
        toPath: store.folder.appendingPathComponent("Bookmarks_V3.sqlite").path + suffix)
    }
    try FileManager.default.copyItem(
      at: Self.bundle, to: store.folder.appendingPathComponent("BookmarksModel.xcdatamodeld"))
    let commands = try Self.commands()
    #expect(commands.count >= 7)
    var answers: [String: String] = [:]
    for command in commands {
      let result = try run(command, in: store.folder)
      #expect(result.status == 0, "\(command)\n\(result.output)")
      answers[command] = result.output
    }
    let written = try FileManager.default.subpathsOfDirectory(atPath: store.folder.path)
    #expect(written.contains("Sources/BookmarksData/BookmarksModelSchemaV3.swift"))
    #expect(written.contains("Sources/BookmarksData/BookmarksModelMigrationPlan.swift"))
    #expect(written.contains("Sources/BookmarksData/BookmarksModelModels.swift"))
    #expect(written.contains { $0.hasPrefix("Sources/Recovered/") && $0.hasSuffix("SchemaV1.swift") })
    #expect(written.contains("bookmarks.svg"))
    let hashes = try #require(answers.first { $0.key.contains("--diff V3 Bookmarks_V3.sqlite") })
    #expect(hashes.value.contains("No migration: a store of BookmarksModel 3 opens"))
    let changes = try #require(answers.first { $0.key.contains("--diff V4 V5") })
    #expect(changes.value.contains("A lightweight migration does it."))
  }

  /// The lines of the guide's `sh` blocks.
  private static func commands() throws -> [String] {
    var commands: [String] = []
    var isCommand = false
    for line in try String(contentsOf: guide, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("```") {
        isCommand = line == "```sh"
      } else if isCommand {
        commands.append(String(line))
      }
    }
    return commands
  }

  /// Runs one line in a folder; the first word is one of our tools.
  private func run(_ line: String, in folder: URL) throws -> RunningProgram.Result {
    let words = line.split(separator: " ").map(String.init)
    let tools = [
      "generate-models": GenerateModelsTool.url,
      "store-tool": BuiltTool("store-tool", variable: "STORE_TOOL").url,
    ]
    let tool = try #require(words.first.flatMap { tools[$0] } ?? nil, "\(line)")
    return try RunningProgram.run(tool.path, Array(words.dropFirst()), in: folder, mergesErrors: true)
  }
}
