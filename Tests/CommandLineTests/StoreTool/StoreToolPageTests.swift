import Foundation
import TestSupport
import Testing

/// The page "Looking into stores" beside what the tool says of itself.
@Suite("Looking into stores", .needsStoreTool)
struct StoreToolPageTests {
  private static let page = Fixtures.packageRoot.appendingPathComponent(
    "Sources/SwiftData/SwiftData.docc/LookingIntoStores.md")

  /// The sections that are called as verbs.
  private static func sections() throws -> [String: String] {
    let parts = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n### ").dropFirst()
    return Dictionary(
      uniqueKeysWithValues: parts.map { part in
        let lines = part.split(separator: "\n", maxSplits: 1)
        return (String(lines[0]), String(lines[1]))
      })
  }

  /// The names of options, but `--help` and `--version`, that begin a row of a table or a line of a help page.
  private static func options(_ text: String, in pattern: Regex<(Substring, Substring)>) -> Set<String> {
    Set(
      text.matches(of: pattern).flatMap { match in
        match.1.matches(of: #/(?:^|[ ,`])(--?[a-z][a-z-]*)/#).map { String($0.1) }
      }
    ).subtracting(["-h", "--help", "--version"])
  }

  @Test("Every verb has a section, and no section is of none") func verbs() throws {
    let help = try storeTool.run(["--help"]).output
    let list = try #require(help.components(separatedBy: "SUBCOMMANDS:\n").dropFirst().first)
    let verbs = list.matches(of: #/(?m)^  ([a-z]+) /#).map { String($0.1) }
    #expect(verbs.count == 11)
    #expect(Set(verbs) == Set(try Self.sections().keys))
  }

  @Test(
    "Every option of a verb is in its section, and the other way round",
    arguments: ["inspect", "check", "history", "doctor", "copy", "migrate", "dump", "import", "export", "diff", "sql"])
  func options(_ verb: String) throws {
    let section = try #require(try Self.sections()[verb])
    let documented = Self.options(section, in: #/(?m)^\| (`-[^|]*) \|/#)
    let offered = Self.options(try storeTool.run([verb, "--help"]).output, in: #/(?m)^  (-[^<\n]*?)(?: <|  |$)/#)
    #expect(offered.count >= 3)
    #expect(documented == offered)
  }

  @Test("The version is that of the changelog") func version() throws {
    let result = try storeTool.run(["--version"])
    #expect(result.status == 0)
    #expect(result.output == "OpenSwiftData \(try Fixtures.newestVersion())\n")
  }

  @Test("The exit codes of the page are those of the tool") func exitCodes() throws {
    let page = try String(contentsOf: Self.page, encoding: .utf8).matches(of: #/(?m)^\| ([0-9]+) \|/#).map {
      String($0.1)
    }
    let help = try storeTool.run(["--help"]).output.matches(of: #/(?m)^  ([0-9]+) +[a-z]/#).map { String($0.1) }
    #expect(page.count >= 6)
    #expect(page == help)
  }
}
