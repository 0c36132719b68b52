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
    #expect(
      stub.contents.contains("  /// - Book\n  ///   - title: has type integer64 instead of string: values are not"))
    #expect(
      plan.contains(
        "  // migrateV2toV3 is in TestMigrationPlan+migrateV2toV3.swift, because it cannot be inferred:\n  // - Book"))
    #expect(!stub.contents.hasPrefix(GeneratedFile.marker))
  }

  @Test("A bundle whose plan would have the name of the protocol gets another name")
  func reservedName() throws {
    let model = ModelDescription(entities: [EntityDescription(name: "Book")])
    let output = try ModelGenerator().generate(
      ModelVersions(name: "Schema", source: "Schema", versions: [.init(name: "Schema", model: model)]))
    #expect(
      output.files.map(\.name).sorted() == [
        "SchemaBundleMigrationPlan.swift", "SchemaBundleModels.swift", "SchemaBundleSchemaV1.swift",
      ])
  }

  @Test("A stub lists what cannot be inferred entity by entity, and says what to write where") func stub() throws {
    func version(_ type: AttributeType, extra: Bool) -> [EntityDescription] {
      self.version(type, extra: extra) + [
        EntityDescription(
          name: "Author",
          properties: [.attribute(AttributeDescription(name: "name", type: extra ? .binary : .string))])
      ]
    }
    let output = try generate([version(.string, extra: false), version(.date, extra: true)])
    let stub = try text("TestMigrationPlan+migrateV1toV2.swift", of: output)
    let lines = stub.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
    let entities = lines.filter { $0.hasPrefix("/// - ") }
    #expect(entities == ["/// - Book", "/// - Author"])
    // What is added and can be inferred is not in the list.
    #expect(lines.count { $0.hasPrefix("///   - ") } == 2)
    #expect(lines.contains("willMigrate: { context in"))
    #expect(
      lines.contains("// The store holds objects of TestSchemaV1. Keep the data that would be lost, and save."))
    #expect(lines.contains("didMigrate: { context in"))
    #expect(output.notes.count { $0.what.contains("cannot be inferred") } == 2)
  }

  @Test("A thing renamed in every version is one thing all the way", arguments: [["A", "A"], ["A", "B"]])
  func renaming(identifiers: [String]) throws {
    func version(_ name: String, _ identifier: String?) -> [EntityDescription] {
      [
        EntityDescription(
          name: name, properties: [.attribute(AttributeDescription(name: "title", type: .string))],
          renamingIdentifier: identifier)
      ]
    }
    // C is B under a new name, whether its identifier is the first name or the one before.
    let output = try generate([version("A", nil), version("B", identifiers[0]), version("C", identifiers[1])])
    #expect(output.files.allSatisfy { $0.ownership == .generator })
    #expect(try text("TestSchemaV2.swift", of: output).contains("@Model(originalName: \"A\")"))
    #expect(try text("TestSchemaV3.swift", of: output).contains("@Model(originalName: \"\(identifiers[1])\")"))
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
