import Foundation
import TestSupport
import Testing

@Suite("generate-models --diff", .enabled(if: GenerateModelsTool.url != nil, "needs the built generate-models"))
struct DiffTests {
  static let library = GenerateModelsTool.library

  @Test("Two versions of a bundle are compared entity by entity") func versions() throws {
    let result = try GenerateModelsTool.run(Self.library, "--diff", "Library 2", "current")
    #expect(result.status == 0)
    let lines = result.output.components(separatedBy: "\n")
    #expect(lines.first == "Library 2 → Library 3")
    #expect(lines.contains("Loan"))
    #expect(lines.contains("  ! fine: has type decimal instead of string"))
    #expect(lines.contains("      values are not converted from one type to another"))
    #expect(result.output.hasSuffix("A lightweight migration is not enough: write a custom stage.\n"))
    #expect(!result.output.contains("\u{1B}"))
  }

  @Test("What migrates lightly is said to") func lightweight() throws {
    let result = try GenerateModelsTool.run(Self.library, "--diff", "V1", "V2")
    #expect(result.output.hasPrefix("Library → Library 2\n"))
    #expect(result.output.contains("\nMember\n  ~ is renamed from “Borrower”\n"))
    #expect(result.output.hasSuffix("A lightweight migration does it.\n"))
    let same = try GenerateModelsTool.run(Self.library, "--diff", "V1", "oldest")
    #expect(same.output == "Library → Library\n\nNothing that a store or a class depends on differs.\n")
  }

  @Test("INPUT may come after the versions, and paths may stand for it") func paths() throws {
    let expected = try GenerateModelsTool.run(Self.library, "--diff", "V1", "V3").output
    #expect(try GenerateModelsTool.run("--diff", "V1", "V3", Self.library).output == expected)
    let old = Self.library + "/Library.xcdatamodel"
    let result = try GenerateModelsTool.run("--diff", old, Self.library)
    #expect(result.output.hasPrefix("\(old) → \(Self.library), Library 3\n"))
    #expect(
      result.output.drop { $0 != "\n" } == expected.drop { $0 != "\n" }.replacing("of Library", with: "of \(old)"))
    #expect(try GenerateModelsTool.run(Self.library, "--diff", old, "V3").status == 0)
  }

  @Test("A version that is not there is refused with the nearest name") func unknown() throws {
    let result = try GenerateModelsTool.run(Self.library, "--diff", "Libary", "V2")
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("has no version “Libary” (did you mean “Library”?)"))
    #expect(try GenerateModelsTool.run("--diff", "missing", Self.library).status == 2)
  }

  @Test("JSON has the verdict and every change") func json() throws {
    let object = try JSONObject(GenerateModelsTool.run(Self.library, "--diff", "V2", "V3", "--json").output)
    #expect(object["old"] as? String == "Library 2")
    #expect(object["new"] as? String == "Library 3")
    #expect(object["migration"] as? String == "custom")
    let changes = try #require(object["changes"] as? [[String: Any]])
    let change = try #require(changes.first { $0["kind"] as? String == "typeChanged" })
    #expect(change["entity"] as? String == "Loan")
    #expect(change["property"] as? String == "fine")
    #expect(change["migration"] as? String == "custom")
    #expect(change["obstacle"] as? String == "values are not converted from one type to another")
    let failed = try GenerateModelsTool.run(Self.library, "--diff", "V2", "V9", "--json")
    #expect(failed.status == 2)
    #expect((try JSONObject(failed.output)["diagnostics"] as? [Any])?.count == 1)
  }

  @Test("The difference goes to a file where one is named") func output() throws {
    let folder = try OutputFolder()
    try folder.write("", to: "difference.txt")
    let result = try GenerateModelsTool.run(
      Self.library, "--diff", "V1", "V2", "--output", folder.file("difference.txt").path)
    #expect(result.output.isEmpty)
    #expect(try folder.text("difference.txt").hasPrefix("Library → Library 2\n"))
  }
}
