import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("generate-models with mapping models", .enabled(if: GenerateModelsTool.url != nil, "needs generate-models"))
struct MappingInputTests {
  /// A folder with a bundle and a mapping model that lead from its second version to its third.
  private func project() throws -> TemporaryStore {
    let project = try TemporaryStore()
    let model = Fixtures.packageRoot.appendingPathComponent("Tests/ModelGeneratorTests/Models/Depot.xcdatamodeld")
    try FileManager.default.copyItem(at: model, to: project.folder.appendingPathComponent("Depot.xcdatamodeld"))
    let mapping = project.folder.appendingPathComponent("Badges.xcmappingmodel")
    try FileManager.default.createDirectory(at: mapping, withIntermediateDirectories: true)
    let text = """
      <?xml version="1.0" standalone="no"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
      <database>
        <object type="XDDEVMAPPINGMODEL" id="z1">
          <attribute name="sourcemodelpath" type="string">App/Depot.xcdatamodeld/Depot 2.xcdatamodel</attribute>
          <attribute name="destinationmodelpath" type="string">App/Depot.xcdatamodeld/Depot 3.xcdatamodel</attribute>
          <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z2"></relationship>
        </object>
        <object type="XDDEVENTITYMAPPING" id="z2">
          <attribute name="migrationpolicyclassname" type="string">BadgePolicy</attribute>
          <attribute name="sourcename" type="string">Clerk</attribute>
          <attribute name="destinationname" type="string">Clerk</attribute>
          <attribute name="mappingnumber" type="int16">1</attribute>
        </object>
      </database>
      """
    try Data(text.utf8).write(to: mapping.appendingPathComponent("xcmapping.xml"))
    return project
  }

  @Test("A mapping model beside the bundle becomes a custom stage with its policy as a function")
  func stage() throws {
    let project = try project()
    let folder = try OutputFolder()
    let model = project.folder.appendingPathComponent("Depot.xcdatamodeld").path
    let result = try GenerateModelsTool.run([model, "--output", folder.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("write DepotMigrationPlan.badgePolicy"))
    let stage = try folder.text("DepotMigrationPlan+migrateV2toV3.swift")
    #expect(stage.contains("as the mapping model “Badges” says"))
    #expect(stage.contains("private static func badgePolicy("))
    let difference = try GenerateModelsTool.run([model, "--diff", "V2", "V3"])
    #expect(difference.output.contains("The mapping model “Badges” does it"))
    let json = try GenerateModelsTool.run([model, "--diff", "V2", "V3", "--json"])
    #expect(
      json.output.contains("\"mappingModel\" : \"Badges\"") || json.output.contains("\"mappingModel\": \"Badges\""))
  }

  /// A compiled mapping model with one entity mapping, from Clerk to Clerk.
  private func compiled(policy: String) -> Data {
    var builder = KeyedArchiveBuilder()
    let names = ["Clerk", policy].map { builder.plain(.string($0)) }
    let entity = builder.add(
      [
        ("NSSourceEntityName", .reference(names[0])), ("NSDestinationEntityName", .reference(names[0])),
        ("NSEntityMigrationPolicyClassName", .reference(names[1])),
      ], chain: ["NSEntityMapping", "NSObject"])
    let list = builder.add([("NS.objects", .references([entity]))], chain: ["NSArray", "NSObject"])
    let root = builder.add([("NSEntityMappings", .reference(list))], chain: ["NSMappingModel", "NSObject"])
    return builder.finish(root: root).encoded()
  }

  @Test("Of a mapping model and its compiled form, the source is read")
  func sourceFirst() throws {
    let project = try project()
    let folder = try OutputFolder()
    try compiled(policy: "FormerPolicy").write(to: project.folder.appendingPathComponent("Badges.cdm"))
    let model = project.folder.appendingPathComponent("Depot.xcdatamodeld").path
    let result = try GenerateModelsTool.run([model, "--output", folder.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(!result.errors.contains("FormerPolicy") && !result.errors.contains("belongs to no step"))
    #expect(try folder.text("DepotMigrationPlan+migrateV2toV3.swift").contains("private static func badgePolicy("))
  }

  @Test("A mapping model that cannot be read is a warning, and the model is generated without it")
  func damaged() throws {
    let project = try project()
    let folder = try OutputFolder()
    let xml = project.folder.appendingPathComponent("Badges.xcmappingmodel/xcmapping.xml")
    try Data("<database>".utf8).write(to: xml)
    try Data("bplist00".utf8).write(to: project.folder.appendingPathComponent("Other.cdm"))
    let model = project.folder.appendingPathComponent("Depot.xcdatamodeld").path
    let result = try GenerateModelsTool.run([model, "--output", folder.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("xcmapping.xml:1: warning: the XML is not well-formed"))
    #expect(result.errors.contains("Other.cdm:1: warning: the model's archive"))
    #expect(!folder.names.contains("DepotMigrationPlan+migrateV2toV3.swift"))
  }
}
