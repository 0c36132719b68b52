import CoreDataModel
import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelGenerator

/// What versions are called decides their order; the numbers in generated names follow it.
@Suite("Names of versions")
struct VersionNamesTests {
  @Test("Versions stand in natural order, whatever order they were saved in")
  func order() throws {
    let names = ["Model 10", "Model 2.1", "Model", "Model 9", "Model 2", "Model 2b"]
    let bundle = try bundle(names, current: "Model 9")
    let versions = try ModelVersions.reading(bundle.url)
    #expect(versions.versions.map(\.name) == ["Model", "Model 2", "Model 2.1", "Model 2b", "Model 9", "Model 10"])
    #expect(versions.currentIndex == 4)
    let output = try ModelGenerator().generate(versions)
    let plan = try #require(output.files.first { $0.name == "ModelMigrationPlan.swift" }).contents
    #expect(plan.contains("MigrationStage.lightweight(fromVersion: ModelSchemaV4.self, toVersion: ModelSchemaV5.self)"))
    #expect(!plan.contains("ModelSchemaV6"))
    #expect(output.notes.contains { $0.version == "Model 10" && $0.what.contains("comes after the current one") })
  }

  @Test("Versions whose names differ in case, or in signs only, have numbers of their own")
  func alike() throws {
    let names = ["Model 2", "Model-2", "model 2", "MODEL 2", "Model  2", "Model 02"]
    let bundle = try bundle(names, current: "Model-2")
    let versions = try ModelVersions.reading(bundle.url)
    let again = try ModelVersions.reading(bundle.url)
    #expect(versions.versions.map(\.name) == again.versions.map(\.name))
    #expect(Set(versions.versions.map(\.name)).isSubset(of: names))
    #expect(versions.versions[versions.currentIndex].name == "Model-2")
    let files = try ModelGenerator().generate(versions).files.map(\.name)
    #expect(files.filter { $0.contains("Schema") } == (1...versions.versions.count).map { "ModelSchemaV\($0).swift" })
    // On a disk that knows no case, no file may take another one's place.
    #expect(Set(files.map { $0.lowercased() }).count == files.count)
  }

  @Test("Two versions of one name are two schemas") func twins() throws {
    let version = ModelVersions.Version.test([EntityDescription(name: "Book")], name: "Model")
    var other = version
    other.model.entities[0].versionHashModifier = "2"
    let output = try ModelGenerator().generate(
      ModelVersions(name: "Model", source: "Model.momd", versions: [version, other]))
    #expect(output.files.map(\.name).prefix(2) == ["ModelSchemaV1.swift", "ModelSchemaV2.swift"])
    let plan = try #require(output.files.first { $0.name == "ModelMigrationPlan.swift" }).contents
    #expect(plan.contains("[ModelSchemaV1.self, ModelSchemaV2.self]"))
  }

  /// A bundle on disk, its versions saved in the order given; each has an attribute more than the one before.
  private func bundle(_ names: [String], current: String) throws -> TemporaryStore {
    let bundle = try TemporaryStore(name: "Model.xcdatamodeld")
    for (index, name) in names.enumerated() {
      let folder = bundle.url.appendingPathComponent("\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let attributes = (0...index).map { #"<attribute name="a\#($0)" optional="YES" attributeType="String"/>"# }
      let text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Book">\(attributes.joined())</entity></model>
        """
      try Data(text.utf8).write(to: folder.appendingPathComponent("contents"))
    }
    let list = """
      <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>\(current).xcdatamodel</string></dict></plist>
      """
    try Data(list.utf8).write(to: bundle.url.appendingPathComponent(".xccurrentversion"))
    return bundle
  }
}
