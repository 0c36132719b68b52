import Foundation
import TestSupport
import Testing

@testable import ModelGenerator

/// The build-tool plug-in has to say what the generator will write before it runs; its sources are compiled into these
/// tests through symbolic links.
@Suite("What the build-tool plug-in expects")
struct PluginTests {
  @Test("The plug-in names the files that the generator makes of the sample models")
  func samples() throws {
    for bundle in [SampleModels.library, NamesGoldenTests.bundle] {
      try expectPrediction(of: bundle, named: bundle.lastPathComponent)
      // A version alone is a model as well.
      try expectPrediction(
        of: bundle.appendingPathComponent("\(ModelFolder(url: bundle).name).xcdatamodel"), named: bundle.path)
    }
    #expect(
      try ModelFolder(url: SampleModels.library).generatedFileNames() == [
        "LibrarySchemaV1.swift", "LibrarySchemaV2.swift", "LibrarySchemaV3.swift", "LibraryMigrationPlan.swift",
        "LibraryModels.swift",
      ])
  }

  @Test(
    "Whatever a bundle's name is made of, the plug-in names the generator's files or refuses it",
    arguments: [
      ("Library", true), ("library", true), ("my lovely-notes 2", true), ("a.b.c", true), ("snake_case_", true),
      ("x", true), ("iOS", true), ("-dash", true), ("A  B", true), ("2Notes", false), ("_private", false), ("-", false),
      ("Bücher", false), ("本", false), (String(repeating: "n", count: 100), true),
      (String(repeating: "n", count: 101), false),
    ])
  func names(name: String, isAccepted: Bool) throws {
    let temporary = try TemporaryStore()
    let bundle = temporary.folder.appendingPathComponent("\(name).xcdatamodeld")
    try FileManager.default.copyItem(at: SampleModels.library, to: bundle)
    try withExtendedLifetime(temporary) {
      if isAccepted {
        try expectPrediction(of: bundle, named: name)
      } else {
        #expect(throws: PluginError.self) { try ModelFolder(url: bundle).generatedFileNames() }
      }
    }
  }

  @Test("A bundle is found by itself or by the files in it; two whose names are one are refused")
  func amongSources() throws {
    let sources = ["/a/Main.swift", "/a/Shop.xcdatamodeld", "/a/Old.xcdatamodel/contents"].map { URL(filePath: $0) }
    let within = [".xccurrentversion", "Shop 2.xcdatamodel/contents"].map { sources[1].appending(path: $0) }
    #expect(try ModelFolder.all(among: sources + within).map(\.name) == ["Old", "Shop"])
    let error = #expect(throws: PluginError.self) {
      try ModelFolder.all(among: [sources[1], URL(filePath: "/b/shop.xcdatamodeld")])
    }
    #expect(error?.description.contains("/a/Shop.xcdatamodeld") == true)
  }

  @Test("The options file takes what the generator knows, and nothing else")
  func options() throws {
    #expect(
      GeneratorOptions.choices == [
        "access": ModelGenerator.AccessLevel.allCases.map(\.rawValue),
        "dialect": ModelGenerator.Dialect.allCases.map(\.rawValue),
      ])
    let temporary = try TemporaryStore()
    let file = temporary.folder.appendingPathComponent("generate-models.json")
    #expect(try GeneratorOptions(in: temporary.folder).arguments == [])
    try Data(#"{ "dialect": "apple", "access": "public" }"#.utf8).write(to: file)
    #expect(
      try GeneratorOptions(in: temporary.folder).arguments == ["--access", "public", "--dialect", "apple"])
    try Data(#"{ "access": "public", "order": { "Trips": ["Trips", "Trips, 2"] } }"#.utf8).write(to: file)
    let ordered = try GeneratorOptions(in: temporary.folder)
    #expect(
      ordered.arguments(forBundle: "Trips") == ["--access", "public", "--order", "Trips", "--order", "Trips, 2"])
    #expect(ordered.arguments(forBundle: "Library") == ["--access", "public"])
    for (text, complaint) in [
      (#"{ "order": "Trips" }"#, "“order” is no list of versions for each bundle"),
      (#"{ "access": { "Trips": ["public"] } }"#, "“access” is no text"),
      (#"{ "acces": "public" }"#, "“acces” is no option — choose among “access”, “dialect”, “order”"),
      (#"{ "access": "open" }"#, "“access” cannot be “open” — choose among “internal”, “package”, “public”"),
      (#"{ "access": 1 }"#, "no JSON object of strings"), ("", "no JSON object of strings"),
    ] {
      try Data(text.utf8).write(to: file)
      let error = #expect(throws: PluginError.self) { try GeneratorOptions(in: temporary.folder) }
      #expect(error?.description.contains(complaint) == true, "\(text)")
    }
    withExtendedLifetime(temporary) {}
  }

  private func expectPrediction(of model: URL, named name: String) throws {
    let files = try ModelGenerator().generate(.reading(model)).files
    #expect(try ModelFolder(url: model).generatedFileNames().sorted() == Self.namesToExpect(of: files), "\(name)")
  }

  /// The files of every run; steps that a person writes are none of the plug-in's.
  static func namesToExpect(of files: [GeneratedFile]) -> [String] {
    files.filter { $0.ownership == .generator }.map(\.name).sorted()
  }
}
