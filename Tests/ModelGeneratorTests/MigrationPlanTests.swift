import Foundation
import ManagedModel
import Testing

@testable import ModelGenerator

@Suite("Migration plans")
struct MigrationPlanTests {
  @Test("A step is lightweight exactly where the difference can be inferred; others get a file of one's own")
  func stages() throws {
    let output = try generate([version(.string), version(.string, extra: true), version(.integer64, extra: true)])
    let plan = try text("TestMigrationPlan.swift", of: output)
    #expect(plan.contains("[TestSchemaV1.self, TestSchemaV2.self, TestSchemaV3.self]"))
    #expect(plan.contains("[migrateV1toV2, migrateV2toV3]"))
    #expect(plan.contains("static let migrateV1toV2 = MigrationStage.lightweight("))
    #expect(!plan.contains("static let migrateV2toV3"))
    let stub = try #require(output.files.first { $0.name == "TestMigrationPlan+migrateV2toV3.swift" })
    #expect(stub.ownership == .developer)
    #expect(stub.contents.contains("static let migrateV2toV3 = MigrationStage.custom("))
    #expect(stub.contents.contains("/// - entity “Book”, property “title” has type"))
    #expect(!stub.contents.hasPrefix(GeneratedFile.marker))
  }

  @Test("Of versions with equal hashes the last one is listed") func equalVersions() throws {
    let output = try generate([version(.string), version(.string), version(.string, extra: true)])
    let plan = try text("TestMigrationPlan.swift", of: output)
    #expect(plan.contains("[TestSchemaV2.self, TestSchemaV3.self]"))
    #expect(output.notes.contains { $0.version == "1" && $0.what.contains("same entity hashes as “2”") })
  }

  @Test("Versions after the current one are no goal, and aliases name the current one") func current() throws {
    let output = try generate([version(.string), version(.string, extra: true)], current: 0)
    #expect(try text("TestMigrationPlan.swift", of: output).contains("[TestSchemaV1.self]"))
    #expect(try text("TestModels.swift", of: output).contains("typealias Book = TestSchemaV1.Book"))
    #expect(output.files.contains { $0.name == "TestSchemaV2.swift" })
    #expect(output.notes.contains { $0.version == "2" && $0.what.contains("after the current one") })
  }

  private func generate(_ models: [[EntityDescription]], current: Int? = nil) throws -> GeneratorOutput {
    let versions = models.enumerated().map { ModelVersions.Version.test($1, name: String($0 + 1)) }
    return try ModelGenerator().generate(
      ModelVersions(name: "Test", source: "Test.xcdatamodeld", versions: versions, currentIndex: current))
  }

  private func text(_ name: String, of output: GeneratorOutput) throws -> String {
    try #require(output.files.first { $0.name == name }).contents
  }

  private func version(_ type: AttributeType, extra: Bool = false) -> [EntityDescription] {
    var attributes = [AttributeDescription(name: "title", type: type)]
    if extra { attributes.append(AttributeDescription(name: "extra", type: .date, isOptional: true)) }
    return [EntityDescription(name: "Book", properties: attributes.map { .attribute($0) })]
  }
}
