import CoreDataModel
import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelArchive

@Suite(
  "Mapping models of Xcode",
  .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
struct MappingModelTests {
  private func read(_ path: String) throws -> ParsedMapping {
    try MappingModelParser.read(at: Fixtures.url("mappings/" + path), readExpression: ModelArchive.decodeExpression)
  }

  @Test("Entity mappings have their entities, numbers, policies and user info")
  func bookMigration() throws {
    let parsed = try read("hwaxxer__BookMigration/Model1_to_Model2.xcmappingmodel")
    #expect(parsed.diagnostics == [])
    let mapping = parsed.mapping
    #expect(mapping.name == "Model1_to_Model2")
    #expect(mapping.source.versionName == "Model1")
    #expect(mapping.destination.versionName == "Model2")
    #expect(mapping.entityMappings.map(\.name) == ["UserToUser", "Author", "BookToBook"])
    let book = mapping.entityMappings[2]
    #expect(book.policyClassName == "MHWBookToBookPolicy")
    #expect(book.userInfo == ["modelVersion": .string("2")])
    #expect(book.attributeMappings.map(\.name) == ["fileURL", "title"])
    #expect(book.relationshipMappings.map(\.name) == ["authors", "users"])
    #expect(mapping.entityMappings[1].sourceEntityName == nil)
  }

  @Test("An entity mapping that its mapping model does not list is read, with a warning")
  func unlisted() throws {
    let parsed = try read("hwaxxer__BookMigration/Model2_to_Model3.xcmappingmodel")
    #expect(parsed.mapping.entityMappings.map(\.name) == ["File", "UserToUser", "BookToBook", "AuthorToAuthor"])
    #expect(parsed.diagnostics.count == 1)
    #expect(parsed.diagnostics.first?.problem.contains("“UserToUser”") == true)
  }

  @Test("Value expressions are read from their archives")
  func expressions() throws {
    let mapping = try read("alemar11__CoreDataPlus/V2toV3.xcmappingmodel").mapping
    let car = try #require(mapping.entityMappings.first { $0.name == "CarToCar" })
    let owners = try #require(car.relationshipMappings.first { $0.name == "previousOwners" })
    guard case .expression(let tree) = owners.value else {
      Issue.record("\(owners.value)")
      return
    }
    #expect(
      tree.format
        == #"FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "PersonToPerson", $source.owner)"#
    )
    #expect(MappedValue(tree) == .rows(of: ["owner"], mapping: "PersonToPerson"))
    let person = try #require(mapping.entityMappings.first { $0.name == "PersonToPerson" })
    let cars = try #require(person.relationshipMappings.first { $0.name == "previousCars" })
    guard case .expression(let other) = cars.value else { return }
    #expect(MappedValue(other) == .rows(of: ["cars"], mapping: nil))
  }

  @Test(
    "The models inside a mapping model have the version hashes of the versions in their bundle",
    arguments: [
      ("hwaxxer__BookMigration/Model1_to_Model2", "hwaxxer__BookMigration/Model.xcdatamodeld"),
      ("hwaxxer__BookMigration/Model2_to_Model3", "hwaxxer__BookMigration/Model.xcdatamodeld"),
      ("alemar11__CoreDataPlus/V2toV3", "alemar11__CoreDataPlus/SampleModel.xcdatamodeld"),
      (
        "wibosco__CoreDataMigrationRevised-Example/Migration2to3ModelMapping",
        "wibosco__CoreDataMigrationRevised-Example/CoreDataMigration_Example.xcdatamodeld"
      ),
    ])
  func insideModels(mapping: String, bundle: String) throws {
    let parsed = try read(mapping + ".xcmappingmodel")
    let versions = try ModelBundle.read(at: Fixtures.url("models/" + bundle)).versions
    for side in [parsed.mapping.source, parsed.mapping.destination] {
      let inside = try #require(side.model)
      let version = try #require(versions.first { $0.name == side.versionName })
      #expect(try VersionHashes(inside) == VersionHashes(version.model), "\(version.name)")
    }
  }

  @Test("Damaged mapping models are refused or read with warnings, and none ends the program")
  func damage() throws {
    let file = Fixtures.url("mappings/hwaxxer__BookMigration/Model1_to_Model2.xcmappingmodel/xcmapping.xml")
    let bytes = try [UInt8](Data(contentsOf: file))
    var random = SplitMix(seed: 5)
    for _ in 0..<60 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 32...126, using: &random)
      }
      _ = try? MappingModelParser.parse(
        Data(damaged), name: "M", fileName: "xcmapping.xml", readExpression: ModelArchive.decodeExpression)
    }
    #expect(throws: ModelReadingError.self) {
      try MappingModelParser.parse(
        Data("<model/>".utf8), name: "M", fileName: "xcmapping.xml", readExpression: ModelArchive.decodeExpression)
    }
  }
}
