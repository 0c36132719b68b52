import Foundation
import TestSupport
import Testing

@Suite("--format mom", .enabled(if: GenerateModelsTool.url != nil, "needs the built generate-models"))
struct CompiledOutputTests {
  private func compile(_ input: String, _ output: OutputFolder, _ more: String...) throws -> BuiltTool.Result {
    try GenerateModelsTool.run([input, "--format", "mom", "--output", output.path] + more)
  }

  private func entries(_ output: OutputFolder, _ name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: output.file(name).path).sorted()
  }

  @Test("A bundle becomes a .momd with a .mom per version, the list of versions and their hashes") func bundle() throws
  {
    let output = try OutputFolder()
    let result = try compile(GenerateModelsTool.library, output)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.hasSuffix("Generated/Library.momd: 3 versions, written\n"))
    #expect(output.names == ["Library.momd"])
    let files = ["Library 2.mom", "Library 3.mom", "Library.mom", "VersionInfo.plist"]
    #expect(try entries(output, "Library.momd") == files)
    let list = try PropertyListSerialization.propertyList(
      from: Data(contentsOf: output.file("Library.momd/VersionInfo.plist")), format: nil)
    let info = try #require(list as? [String: Any])
    #expect(info["NSManagedObjectModel_CurrentVersionName"] as? String == "Library 3")
    let hashes = try #require(info["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
    #expect(Set(hashes.keys) == ["Library", "Library 2", "Library 3"])
    #expect(hashes["Library 3"]?["Book"]?.count == 32)
    #expect(info.count == 2)
  }

  @Test(
    "VH-1…VH-12: the independent checker reads the .mom, and finds the hashes that the list states",
    .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation))) func checker() throws
  {
    let output = try OutputFolder()
    _ = try compile(GenerateModelsTool.library, output)
    let list = try PropertyListSerialization.propertyList(
      from: Data(contentsOf: output.file("Library.momd/VersionInfo.plist")), format: nil)
    let info = try #require(
      (list as? [String: Any])?["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
    for (version, hashes) in info {
      let report = try Oracle.versionHashes([output.file("Library.momd/\(version).mom").path])
      #expect(report.status == 0)
      for (entity, hash) in hashes {
        let digits = hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let line = report.output.split(separator: "\n").first { $0.hasPrefix("  \(entity) ") }
        #expect(line?.hasSuffix(digits) == true, "\(entity): \(report.output)")
      }
    }
  }

  @Test("A hidden folder with the process's number in its name is in no run's way, and stays") func foreignDraft()
    throws
  {
    let output = try OutputFolder()
    // The tool gets the process number of the shell.
    let result = try GenerateModelsTool.run(
      [GenerateModelsTool.library, "--format", "mom", "--output", output.path],
      after: "cd '\(output.url.deletingLastPathComponent().path)'; mkdir -p Generated/.Library.momd.$$.partial")
    #expect(result.status == 0, "\(result.errors)")
    #expect(output.names.count == 2 && output.names[0].hasSuffix(".partial"), "\(output.names)")
  }

  @Test("A single model, or one version of a bundle, becomes a .mom") func single() throws {
    let output = try OutputFolder()
    #expect(try compile(GenerateModelsTool.library, output, "--versions", "V2").status == 0)
    let version = GenerateModelsTool.library + "/Library 3.xcdatamodel"
    #expect(try compile(version, output).output.hasSuffix("Library 3.mom: 1 version, written\n"))
    #expect(try compile(output.file("Library 2.mom").path, try OutputFolder()).status == 0)
    #expect(output.names == ["Library 2.mom", "Library 3.mom"])
    let bundle = try output.bundle("<model><entity name=\"A\"/></model>", name: "One.xcdatamodeld")
    #expect(try compile(bundle, output).status == 0)
    #expect(try entries(output, "One.momd") == ["Test.mom", "VersionInfo.plist"])
  }

  @Test("Equal models give equal bytes; what is up to date is left alone, what is older replaced") func again() throws {
    let (output, other) = (try OutputFolder(), try OutputFolder())
    let bundle = try output.bundle("<model><entity name=\"A\"/></model>")
    _ = try compile(bundle, output)
    _ = try compile(bundle, other)
    for name in ["Test.mom", "VersionInfo.plist"] {
      let (one, two) = (output.file("Test.momd/\(name)"), other.file("Test.momd/\(name)"))
      #expect(try Data(contentsOf: one) == Data(contentsOf: two))
    }
    #expect(try compile(bundle, output).output.hasSuffix("Test.momd: 1 version, unchanged\n"))
    try Data("momv2$".utf8).write(to: output.file("Test.momd/Test.omo"))
    _ = try output.bundle("<model><entity name=\"B\"/></model>")
    #expect(try compile(bundle, output).output.hasSuffix("Test.momd: 1 version, written\n"))
    #expect(output.names == ["Test.momd"])
    #expect(try entries(output, "Test.momd") == ["Test.mom", "VersionInfo.plist"])
    let (before, after) = (other.file("Test.momd/Test.mom"), output.file("Test.momd/Test.mom"))
    #expect(try Data(contentsOf: before) != Data(contentsOf: after))
  }

  @Test("Only a compiled model is replaced, and never the one that is read") func obstacles() throws {
    let output = try OutputFolder()
    let bundle = try output.bundle("<model><entity name=\"A\"/></model>")
    try output.write("mine", to: "Test.momd")
    let file = try compile(bundle, output)
    #expect(file.status == 2)
    #expect(file.errors.contains("Test.momd: error: it is no compiled model"), "\(file.errors)")
    #expect(try output.text("Test.momd") == "mine")

    try FileManager.default.removeItem(at: output.file("Test.momd"))
    try FileManager.default.createDirectory(at: output.file("Test.momd"), withIntermediateDirectories: true)
    try output.write("mine", to: "Test.momd/notes.txt")
    let folder = try compile(bundle, output)
    #expect(folder.status == 2)
    #expect(folder.errors.contains("the folder is no compiled model: it holds “notes.txt”"), "\(folder.errors)")
    #expect(try output.text("Test.momd/notes.txt") == "mine")

    try FileManager.default.removeItem(at: output.file("Test.momd"))
    _ = try compile(bundle, output)
    try Data("<plist><dict/></plist>".utf8).write(to: output.file("Test.momd/VersionInfo.plist"))
    let itself = try compile(output.file("Test.momd").path, output)
    #expect(itself.status == 2)
    #expect(itself.errors.contains("it is the model that is read"), "\(itself.errors)")

    try output.write("mine", to: "Test.mom")
    let single = try compile(bundle + "/Test.xcdatamodel", output)
    #expect(single.status == 2)
    #expect(try output.text("Test.mom") == "mine")
    #expect(output.names == ["Test.mom", "Test.momd"])
  }

  @Test("A wrong model is refused with its line, and nothing is written") func wrongModels() throws {
    let output = try OutputFolder()
    let bundle = try output.bundle(
      "<model>\n<entity name=\"A\"><relationship name=\"b\" destinationEntity=\"B\"/></entity></model>")
    let result = try compile(bundle, output)
    #expect(result.status == 2)
    #expect(result.errors.contains("contents:2: error: "), "\(result.errors)")
    let derived = try output.bundle(
      "<model><entity name=\"A\"><attribute name=\"b\" attributeType=\"Integer 64\" derived=\"YES\" "
        + "derivationExpression=\"c.@sum.d\"/></entity></model>")
    #expect(try compile(derived, output).status == 2)
    #expect(output.names.isEmpty)
  }

  @Test("A predicate that cannot be archived is left out, with a warning") func omissions() throws {
    let output = try OutputFolder()
    let bundle = try output.bundle(
      "<model><entity name=\"A\"/><fetchRequest name=\"odd\" entity=\"A\" predicateString=\"this is no predicate\"/>"
        + "</model>")
    let result = try compile(bundle, output)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("warning: the predicate of fetch request template “odd” cannot be archived"))
  }

  @Test("Flags of generating mean nothing to compiling, and the output is a folder") func commandLine() throws {
    let output = try OutputFolder()
    #expect(try compile(GenerateModelsTool.library, output, "--access", "public").status == 64)
    #expect(try compile(GenerateModelsTool.library, output, "--check").status == 64)
    #expect(try GenerateModelsTool.run(GenerateModelsTool.library, "--format", "mom").status == 64)
    #expect(try GenerateModelsTool.run(GenerateModelsTool.library, "--format", "xml", "--output", "x").status == 64)
    let inside = try GenerateModelsTool.run(
      GenerateModelsTool.library, "--format", "mom", "--output", output.file("Library.momd").path)
    #expect(inside.status == 2)
    #expect(inside.errors.contains("leave out “Library.momd”"))
    #expect(output.names.isEmpty)
  }

  @Test("A relationship whose inverse names another one is compiled and generated, with a warning from each form")
  func unansweredInverse() throws {
    let output = try OutputFolder()
    let bundle = try output.bundle(
      """
      <model userDefinedModelVersionIdentifier=""><entity name="Album">
      <relationship name="songs" optional="YES" toMany="YES" destinationEntity="Song" inverseName="album" inverseEntity="Song"/>
      </entity><entity name="Song">
      <relationship name="album" optional="YES" maxCount="1" destinationEntity="Album" inverseName="songs" inverseEntity="Album"/>
      <relationship name="origin" optional="YES" maxCount="1" destinationEntity="Album" inverseName="songs" inverseEntity="Album"/>
      </entity></model>
      """)
    let complaint = "property “origin”: its inverse “songs” of entity “Album” does not have it as inverse"
    let compiled = try GenerateModelsTool.run([bundle, "--output", output.path, "--format", "mom"])
    #expect(
      compiled.status == 0 && compiled.errors.contains("5: warning: entity “Song”, \(complaint)"), "\(compiled.errors)")
    let model = try #require(output.names.first { $0.hasPrefix("Test.mom") })
    let generated = try GenerateModelsTool.run([output.file(model).path, "--output", output.path])
    #expect(generated.status == 0 && generated.errors.contains(complaint), "\(generated.errors)")
    #expect(try output.text("TestSchemaV1.swift").contains(#".inverse(named: "songs", of: "Album")"#))
  }
}
