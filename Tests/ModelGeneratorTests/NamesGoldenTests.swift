import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelGenerator

/// A bundle of names that Swift cannot take as they are; `GeneratedModelsTests` compiles and runs what becomes of it.
@Suite("Names of every kind")
struct NamesGoldenTests {
  static let bundle = Fixtures.packageRoot.appendingPathComponent("Tests/ModelGeneratorTests/Models/Names.xcdatamodeld")

  @Test("Names that Swift cannot take become golden files, and nothing is lost") func golden() throws {
    let output = try ModelGenerator().generate(.reading(Self.bundle))
    try GoldenFolder("Names").compare(output.files)
    #expect(output.notes.allSatisfy { $0.severity == .note })
  }

  @Test("Their text is formatted already", .enabled(if: Self.hasFormatter, "needs swift format"))
  func formatting() throws {
    let configuration = Fixtures.packageRoot.appendingPathComponent(".swift-format").path
    let result = try RunningProgram.run(
      "swift",
      [
        "format", "lint", "--strict", "--recursive", "--configuration", configuration, GoldenFolder("Names").url.path,
      ], mergesErrors: true)
    #expect(result.status == 0, "\(result.output)")
  }

  @Test("Natural order is the order of the versions, whatever their dates; the bundle names the current one")
  func order() throws {
    let versions = try ModelVersions.reading(Self.bundle)
    #expect(versions.versions.map(\.name) == ["Names", "Names 2", "Names 10", "Names-2"])
    // The identifiers are dates, and descend.
    let dates = versions.versions.flatMap(\.model.versionIdentifiers)
    #expect(dates == ["2026-03-01", "2025-12-24", "2024-01-01", "2024-06-30"])
    #expect(versions.currentIndex == 2)
    let output = try ModelGenerator().generate(versions)
    // “Names 2” and “Names-2” would be one identifier; numbers tell them apart.
    #expect(
      output.files.map(\.name).prefix(4) == [
        "NamesSchemaV1.swift", "NamesSchemaV2.swift", "NamesSchemaV3.swift", "NamesSchemaV4.swift",
      ])
    let plan = try #require(output.files.first { $0.name == "NamesMigrationPlan.swift" })
    #expect(plan.contents.contains("[NamesSchemaV1.self, NamesSchemaV2.self, NamesSchemaV3.self]"))
    #expect(output.notes.contains { $0.version == "Names-2" && $0.what.contains("comes after the current one") })
  }

  private static let hasFormatter = (try? RunningProgram.run("swift", ["format", "--version"]).status) == 0
}
