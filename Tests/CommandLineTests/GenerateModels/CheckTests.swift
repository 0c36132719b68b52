import Foundation
import TestSupport
import Testing

@Suite("generate-models --check", .enabled(if: GenerateModelsTool.url != nil, "needs the built generate-models"))
struct CheckTests {
  private func generated() throws -> OutputFolder {
    let folder = try OutputFolder()
    _ = try GenerateModelsTool.run(GenerateModelsTool.library, "--output", folder.path)
    return folder
  }

  private func check(_ folder: OutputFolder, _ more: String...) throws -> BuiltTool.Result {
    try GenerateModelsTool.run([GenerateModelsTool.library, "--output", folder.path, "--check"] + more)
  }

  @Test("Files that are as generated give no output and status 0, whatever stands beside them") func same() throws {
    let folder = try generated()
    try folder.write("// my step\n", to: "LibraryMigrationPlan+migrateV2toV3.swift")
    try folder.write("// mine\n", to: "Mine.swift")
    let result = try check(folder)
    #expect(result.status == 0)
    #expect(result.output.isEmpty)
    #expect(!result.errors.contains("note:"))
  }

  @Test("Differences that cannot be printed keep their status", arguments: [[], ["--json"]])
  func fullDevice(_ options: [String]) throws {
    let folder = try generated()
    func check() throws -> BuiltTool.Result {
      try GenerateModelsTool.run(
        [GenerateModelsTool.library, "--output", folder.path, "--check"] + options, after: "exec > /dev/full")
    }
    #expect(try check().status == (options.isEmpty ? 0 : 2))
    try change(folder)
    let result = try check()
    #expect(result.status == 1)
    #expect(result.errors.contains("standard output: error: the output cannot be written: "), "\(result.errors)")
  }

  @Test("Every kind of difference ends with status 1, and nothing is changed") func differences() throws {
    let folder = try generated()
    try change(folder)
    let before = try folder.contents()
    let result = try check(folder)
    #expect(result.status == 1)
    #expect(try folder.contents() == before)
    let headers = result.output.split(separator: "\n").filter { $0.hasPrefix("--- ") || $0.hasPrefix("+++ ") }
    let path = String(folder.path.dropFirst())
    #expect(
      headers == [
        "--- a/\(path)/LibrarySchemaV1.swift", "+++ b/\(path)/LibrarySchemaV1.swift",
        "--- a/\(path)/LibrarySchemaV2.swift", "+++ b/\(path)/LibrarySchemaV2.swift",
        "--- a/\(path)/LibrarySchemaV3.swift", "+++ b/\(path)/LibrarySchemaV3.swift",
        "--- /dev/null", "+++ b/\(path)/LibraryModels.swift",
        "--- a/\(path)/LibrarySchemaV9.swift", "+++ /dev/null",
      ])
    #expect(result.errors.contains("5 of 7 files differ (1 missing, 2 outdated, 1 not generated, 1 orphaned)"))
    #expect(result.errors.contains("LibrarySchemaV3.swift:1: error: the file was not generated"))
    #expect(!result.output.contains("\u{1B}"))
  }

  @Test("The output is a patch that makes the folder what it would be", .enabled(if: hasPatch, "needs patch"))
  func patch() throws {
    let folder = try generated()
    let expected = try folder.contents()
    try change(folder)
    let result = try check(folder)
    try folder.write(result.output, to: "changes.patch")
    let patch = try RunningProgram.run(
      "/usr/bin/patch", ["-s", "-p1", "-d", "/", "-i", folder.file("changes.patch").path])
    #expect(patch.status == 0, "\(patch.output)\(patch.errors)")
    try FileManager.default.removeItem(at: folder.file("changes.patch"))
    #expect(try folder.contents() == expected)
    #expect(try check(folder).status == 0)
  }

  @Test("A folder that does not exist lacks every file") func missingFolder() throws {
    let folder = try OutputFolder()
    let result = try check(folder)
    #expect(result.status == 1)
    #expect(result.output.split(separator: "\n").count { $0 == "--- /dev/null" } == 6)
    #expect(folder.names == [])
  }

  @Test("The options that the files were generated with count") func options() throws {
    let folder = try generated()
    #expect(try check(folder, "--access", "public").status == 1)
    #expect(try check(folder, "--dialect", "apple").status == 1)
    let result = try check(folder, "--versions", "V2...")
    #expect(result.status == 1)
    #expect(result.errors.contains("1 orphaned) — generate again with --prune"))
  }

  @Test("A wrong input ends with status 2, and so does a folder in a file's place") func wrong() throws {
    let folder = try generated()
    #expect(try GenerateModelsTool.run("missing", "--output", folder.path, "--check").status == 2)
    try FileManager.default.removeItem(at: folder.file("LibraryModels.swift"))
    try FileManager.default.createDirectory(at: folder.file("LibraryModels.swift"), withIntermediateDirectories: true)
    let result = try check(folder)
    #expect(result.status == 2)
    #expect(result.errors.contains("LibraryModels.swift:1: error: it is not a file"))
    let file = folder.file("LibrarySchemaV1.swift").path
    let misplaced = try GenerateModelsTool.run(GenerateModelsTool.library, "--output", file, "--check")
    #expect(misplaced.status == 2)
    #expect(misplaced.errors.contains("a file is in the place of the output folder"))
  }

  @Test("JSON names every file that differs, with its patch") func json() throws {
    let folder = try generated()
    let same = try JSONObject(try check(folder, "--json").output)
    #expect(same["isUpToDate"] as? Bool == true)
    #expect((same["files"] as? [Any])?.isEmpty == true)
    try change(folder)
    let result = try check(folder, "--json")
    #expect(result.status == 1)
    let object = try JSONObject(result.output)
    #expect(object["formatVersion"] as? Int == 1)
    #expect(object["isUpToDate"] as? Bool == false)
    let files = try #require(object["files"] as? [[String: Any]])
    #expect(
      files.compactMap { $0["state"] as? String } == ["outdated", "outdated", "foreign", "missing", "orphaned"])
    #expect((files[0]["diff"] as? String)?.contains("@@") == true)
    #expect((object["diagnostics"] as? [[String: Any]])?.contains { $0["severity"] as? String == "error" } == true)
  }

  /// Two outdated files, one of them without a line feed at its end; one of a person, one missing, one orphaned.
  private func change(_ folder: OutputFolder) throws {
    let first = try folder.text("LibrarySchemaV1.swift")
    try folder.write(first.replacing("import SwiftData\n", with: "import SwiftDate\n\n\n"), to: "LibrarySchemaV1.swift")
    let second = try folder.text("LibrarySchemaV2.swift")
    try folder.write(String(second.dropLast()), to: "LibrarySchemaV2.swift")
    let third = try folder.text("LibrarySchemaV3.swift")
    try folder.write("// mine\n" + third, to: "LibrarySchemaV3.swift")
    try folder.write(third, to: "LibrarySchemaV9.swift")
    try FileManager.default.removeItem(at: folder.file("LibraryModels.swift"))
  }

  private static let hasPatch = FileManager.default.isExecutableFile(atPath: "/usr/bin/patch")
}
