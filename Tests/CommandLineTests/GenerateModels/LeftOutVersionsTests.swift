import Foundation
import TestSupport
import Testing

@Suite(
  "Bundles with a version that cannot be read", .enabled(if: GenerateModelsTool.url != nil, "needs generate-models"))
struct LeftOutVersionsTests {
  /// The sample bundle with a version whose file is damaged.
  private func bundle(damaged version: String, in folder: OutputFolder) throws -> String {
    let place = URL(fileURLWithPath: folder.path).deletingLastPathComponent()
      .appendingPathComponent("\(UUID().uuidString)/Library.xcdatamodeld")
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: URL(fileURLWithPath: GenerateModelsTool.library), to: place)
    try Data("<model>".utf8).write(to: place.appendingPathComponent("\(version).xcdatamodel/contents"))
    return place.path
  }

  @Test("The other versions are generated with their numbers, and the version left out is named")
  func others() throws {
    let folder = try OutputFolder()
    let path = try bundle(damaged: "Library 2", in: folder)
    defer { try? FileManager.default.removeItem(at: URL(fileURLWithPath: path).deletingLastPathComponent()) }
    let result = try GenerateModelsTool.run([path, "--output", folder.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("warning: the version “Library 2” cannot be used and was left out"))
    #expect(result.errors.contains("Library 2.xcdatamodel/contents:1: warning: the XML is not well-formed"))
    #expect(
      folder.names.filter { $0.contains("Schema") }.sorted() == ["LibrarySchemaV1.swift", "LibrarySchemaV3.swift"])
    #expect(try folder.text("LibraryMigrationPlan.swift").contains("migrateV1toV3"))
  }

  @Test("--order numbers the versions that can be read anew, from 1") func ordered() throws {
    let folder = try OutputFolder()
    let path = try bundle(damaged: "Library 2", in: folder)
    defer { try? FileManager.default.removeItem(at: URL(fileURLWithPath: path).deletingLastPathComponent()) }
    let result = try GenerateModelsTool.run([path, "--output", folder.path, "--order", "Library 3,Library"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      folder.names.filter { $0.contains("Schema") }.sorted() == ["LibrarySchemaV1.swift", "LibrarySchemaV2.swift"])
    #expect(try folder.text("LibrarySchemaV1.swift").contains("The model version “Library 3”"))
  }

  @Test("--versions, --diff and --diagram read only the versions that they name")
  func chosen() throws {
    let folder = try OutputFolder()
    let path = try bundle(damaged: "Library 2", in: folder)
    defer { try? FileManager.default.removeItem(at: URL(fileURLWithPath: path).deletingLastPathComponent()) }
    let versions = try GenerateModelsTool.run([path, "--output", folder.path, "--versions", "V3"])
    #expect(versions.status == 0)
    #expect(!versions.errors.contains("Library 2"))
    let difference = try GenerateModelsTool.run([path, "--diff", "oldest", "V3"])
    #expect(difference.status == 0)
    #expect(!difference.errors.contains("Library 2"))
    let diagram = try GenerateModelsTool.run([path, "--diagram", "mermaid"])
    #expect(diagram.status == 0)
    #expect(!diagram.errors.contains("Library 2"))
    for arguments in [["--diff", "V2", "V3"], ["--diagram", "mermaid", "--versions", "V2"]] {
      let result = try GenerateModelsTool.run([path] + arguments)
      #expect(result.status == 2)
      #expect(result.errors.contains("Library 2.xcdatamodel/contents:1: error"))
    }
  }

  @Test("A current version that cannot be read is an error")
  func current() throws {
    let folder = try OutputFolder()
    let path = try bundle(damaged: "Library 3", in: folder)
    defer { try? FileManager.default.removeItem(at: URL(fileURLWithPath: path).deletingLastPathComponent()) }
    let result = try GenerateModelsTool.run([path, "--output", folder.path])
    #expect(result.status == 2)
    #expect(result.errors.contains("Library 3.xcdatamodel/contents:1: error"))
    #expect(folder.names == [])
  }
}
