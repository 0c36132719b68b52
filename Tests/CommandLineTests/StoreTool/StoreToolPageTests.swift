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
  /// The meaning of each exit code on a page of the tool.
  private static func exitCodes(_ arguments: [String]) throws -> [String: String] {
    let page = try storeTool.run(arguments + ["--help"]).output
    let section = try #require(page.components(separatedBy: "EXIT CODES\n").dropFirst().first)
    var codes: [String: String] = [:]
    var last = ""
    for line in section.prefix(upTo: section.firstRange(of: "\n\n")?.lowerBound ?? section.endIndex).split(
      separator: "\n")
    {
      // A line that the page has wrapped begins at the margin.
      #expect(line.hasPrefix("  "), "\(line)")
      if let match = line.firstMatch(of: #/^  ([0-9]+) +(.*)/#) {
        last = String(match.1)
        codes[last] = String(match.2)
      } else {
        codes[last, default: ""] += " " + line.drop { $0 == " " }
      }
    }
    return codes
  }

  @Test(
    "The page of the tool and the article name each subcommand that may end with 1",
    arguments: ["inspect", "check", "history", "doctor", "copy", "migrate", "dump", "import", "export", "diff", "sql"])
  func findings(_ verb: String) throws {
    let ends = try Self.exitCodes([verb])["1"] != nil
    let article = try #require(
      try String(contentsOf: Self.page, encoding: .utf8).firstMatch(of: #/(?m)^\| 1 \|(.*)$/#)?.1)
    for text in [try #require(try Self.exitCodes([])["1"]), String(article)] {
      #expect(text.contains(try Regex("\\b\(verb)\\b")) == ends, "\(text)")
    }
  }

  @Test("Both reasons of a refused migration are told, and end with the same status", arguments: ["migrate", "doctor"])
  func refusals(_ verb: String) throws {
    let folder = try OutputFolder()
    let store = folder.file("Library.sqlite")
    let bundle = GenerateModelsTool.library
    try folder.write(#"{"$entity":"Author","familyName":"Austen"}"#, to: "lines")
    let made = try storeTool.run(
      ["import", store.path, folder.file("lines").path, "--model", bundle + "/Library 2.xcdatamodel", "--lenient"])
    try #require(made.status == 0, "\(made.errors)")
    // `Loan.fine` is a String in version 2, and a Decimal in version 3.
    let result = try storeTool.run([verb, store.path, verb == "migrate" ? "--to" : "--model", bundle])
    #expect(result.status == 1, "\(result.errors)")
    #expect((result.output + result.errors).contains("property “fine” of entity “Loan” changes from String to Decimal"))
    let migrate = try #require(try Self.exitCodes(["migrate"])["1"])
    #expect(migrate.contains("rows are in the way") && migrate.contains("a change cannot be made"))
  }
}
