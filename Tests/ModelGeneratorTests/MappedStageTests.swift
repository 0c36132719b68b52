import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelGenerator

/// Migration stages of mapping models; `GeneratedModelsTests` compiles and runs what becomes of the bundle here.
@Suite("Stages of mapping models")
struct MappedStageTests {
  private static func bundle() throws -> ModelVersions {
    let bundle = Fixtures.packageRoot.appendingPathComponent("Tests/ModelGeneratorTests/Models/Depot.xcdatamodeld")
    var versions = try ModelVersions.reading(bundle)
    versions.mappings = [first(), second()]
    return versions
  }

  private static func expression(_ name: String, _ text: String) -> PropertyMapping {
    PropertyMapping(name: name, value: PredicateParser.expression(text).map { .expression($0) } ?? .unreadable(text))
  }

  private static func first() -> MappingModel {
    func rows(_ mapping: String, _ path: String) -> String {
      "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"\(mapping)\", $source.\(path))"
    }
    return MappingModel(
      name: "Depot1to2", source: .init(versionName: "Depot"), destination: .init(versionName: "Depot 2"),
      entityMappings: [
        EntityMapping(
          name: "ItemToWare", sourceEntityName: "Item", destinationEntityName: "Ware", sourceFilter: "price > 0",
          attributeMappings: [
            expression("name", "$source.title"), expression("cents", "$source.price * 100"),
            expression("isOld", "true"), expression("source", "\"1\""), expression("shelfLabel", "$source.shelf.label"),
          ],
          relationshipMappings: [expression("rack", rows("ShelfToRack", "shelf"))]),
        EntityMapping(
          name: "ShelfToRack", sourceEntityName: "Shelf", destinationEntityName: "Rack",
          attributeMappings: [expression("code", "$source.label")],
          relationshipMappings: [PropertyMapping(name: "wares", value: .none)]),
        EntityMapping(
          name: "ClerkToClerk", sourceEntityName: "Clerk", destinationEntityName: "Clerk",
          sourceFilter: "name != \"\"",
          attributeMappings: [
            expression("name", "uppercase:($source.name)"), PropertyMapping(name: "shift", value: .corresponding),
            expression("teamSize", "$source.team.@count"),
          ],
          relationshipMappings: ["boss", "team"].map { PropertyMapping(name: $0, value: .corresponding) }),
      ])
  }

  private static func second() -> MappingModel {
    MappingModel(
      name: "Depot2to3", source: .init(versionName: "Depot 2"), destination: .init(versionName: "Depot 3"),
      entityMappings: [
        EntityMapping(
          name: "ClerkToClerk", sourceEntityName: "Clerk", destinationEntityName: "Clerk",
          attributeMappings: [
            PropertyMapping(name: "name", value: .corresponding),
            PropertyMapping(name: "shift", value: .corresponding),
            PropertyMapping(name: "teamSize", value: .corresponding),
            expression("badge", "FUNCTION($entityPolicy, \"badgeFor:\", $source.name)"),
          ],
          relationshipMappings: ["boss", "team"].map { PropertyMapping(name: $0, value: .corresponding) },
          policyClassName: "Depot.DPTClerkPolicy", userInfo: ["prefix": .string("C-")]),
        EntityMapping(
          name: "RackToRack", sourceEntityName: "Rack", destinationEntityName: "Rack",
          attributeMappings: [PropertyMapping(name: "code", value: .corresponding)]),
      ])
  }

  @Test("A mapping model becomes a custom stage of Swift, with functions where a policy class did the work")
  func golden() throws {
    let output = try ModelGenerator().generate(Self.bundle())
    try GoldenFolder("Depot").compare(output.files)
    let stages = output.files.filter { $0.name.contains("+") }
    #expect(stages.map(\.ownership) == [.developer, .developer])
    let remarks = output.notes.map(\.what).filter { $0.contains("leaves work") }
    #expect(remarks.count == 2)
    #expect(remarks.contains { $0.contains("“Depot.DPTClerkPolicy”") })
    #expect(remarks.contains { $0.contains("badgeFor:") })
    #expect(output.notes.contains { $0.what.contains("no entity mapping takes the rows of “Ware”") })
    #expect(output.notes.contains { $0.what.contains("was saved for other entities") })
  }

  @Test("A mapping model with filters, arithmetic, absent objects and rows that stay behind becomes Swift without gaps")
  func estate() throws {
    let bundle = Fixtures.packageRoot.appendingPathComponent("Tests/ModelGeneratorTests/Models/Estate.xcdatamodeld")
    var versions = try ModelVersions.reading(bundle)
    versions.mappings = [EstateMapping.mapping]
    let output = try ModelGenerator().generate(versions)
    try GoldenFolder("Estate").compare(output.files)
    #expect(!output.notes.contains { $0.what.contains("leaves work") })
  }

  @Test("Names and texts that are no Swift become other names, and literals that hold them whole")
  func hostile() throws {
    let versions = ModelVersions(
      name: "Hostile", source: "Hostile.xcdatamodeld",
      versions: HostileMapping.versions.map { .init(name: $0.name, model: $0.model) },
      mappings: [HostileMapping.mapping])
    let output = try ModelGenerator().generate(versions)
    try GoldenFolder("Hostile").compare(output.files)
    for line in output.files.flatMap({ $0.contents.split(separator: "\n") }) where line.contains("enum Evil") {
      #expect(line.contains("//") || line.contains("\""))
    }
  }

  @Test("A step with a mapping model is not light, even if all of its changes can be inferred")
  func notLight() throws {
    var bundle = try Self.bundle()
    let light = try #require(
      ModelDifference(from: bundle.versions[1].model, to: bundle.versions[2].model).isLightweight as Bool?)
    #expect(light)
    let with = try ModelGenerator().generate(bundle).files.map(\.name)
    #expect(with.contains("DepotMigrationPlan+migrateV2toV3.swift"))
    bundle.mappings = []
    let without = try ModelGenerator().generate(bundle).files.map(\.name)
    #expect(!without.contains("DepotMigrationPlan+migrateV2toV3.swift"))
  }

  @Test("A mapping model of other versions, and one that names what the models do not have, are noted and left out")
  func unfit() throws {
    var bundle = try Self.bundle()
    var wrong = Self.second()
    wrong.entityMappings[0].attributeMappings.append(PropertyMapping(name: "badg", value: .corresponding))
    bundle.mappings = [
      wrong, MappingModel(name: "Far", source: .init(versionName: "Depot"), destination: .init(versionName: "Depot 3")),
    ]
    let output = try ModelGenerator().generate(bundle)
    let notes = output.notes.map { "\($0.severity): \($0.what)" }
    #expect(notes.contains { $0.hasPrefix("warning: not carried out") && $0.contains("did you mean “badge”") })
    #expect(notes.contains { $0.contains("“Far”, from “Depot” to “Depot 3”, belongs to no step") })
  }
}
