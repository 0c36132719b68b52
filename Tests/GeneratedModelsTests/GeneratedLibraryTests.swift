import CoreDataModel
import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import SwiftData

/// The golden files of the library, which stand in this target through a symbolic link, compiled and run.
@Suite("Generated library")
struct GeneratedLibraryTests {
  static var schemas: [any VersionedSchema.Type] {
    [LibrarySchemaV1.self, LibrarySchemaV2.self, LibrarySchemaV3.self]
  }

  @Test("VH-1 … VH-8 Every entity of every version has the hash that the bundle's model has", arguments: 0..<3)
  func hashes(index: Int) throws {
    let bundle = try ModelBundle.read(
      at: Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld"))
    let expected = try VersionHashes(bundle.versions[index].model)
    let lowered = try Schema(versionedSchema: Self.schemas[index]).lowered()
    let hashes = try VersionHashes(lowered)
    #expect(hashes.differingEntities(from: expected) == [])
    #expect(hashes.digest == expected.digest)
  }

  @Test("What is not hashed is kept too: delete rules, inverses, former names, defaults", arguments: 0..<3)
  func unhashedFacts(index: Int) throws {
    let bundle = try ModelBundle.read(
      at: Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld"))
    let lowered = try Schema(versionedSchema: Self.schemas[index]).lowered()
    for expected in bundle.versions[index].model.entities {
      let entity = try #require(lowered.entity(named: expected.name))
      #expect(entity.superentityName == expected.superentityName)
      #expect((entity.renamingIdentifier ?? entity.name) == (expected.renamingIdentifier ?? expected.name))
      #expect(entity.userInfo == expected.userInfo)
      for wanted in expected.relationships {
        let found = try #require(entity.relationships.first { $0.name == wanted.name })
        #expect(found.inverseName == wanted.inverseName, "\(expected.name).\(wanted.name)")
        #expect(found.deleteRule == wanted.deleteRule, "\(expected.name).\(wanted.name)")
        #expect((found.renamingIdentifier ?? found.name) == (wanted.renamingIdentifier ?? wanted.name))
      }
      for wanted in expected.attributes {
        let found = try #require(entity.attributes.first { $0.name == wanted.name })
        #expect(found.type == wanted.type && found.isTransient == wanted.isTransient)
        #expect(found.isIndexedBySpotlight == wanted.isIndexedBySpotlight)
        #expect((found.renamingIdentifier ?? found.name) == (wanted.renamingIdentifier ?? wanted.name))
        #expect((found.defaultValue == nil) == (wanted.defaultValue == nil), "\(expected.name).\(wanted.name)")
      }
    }
  }

  @Test("The version identifiers ascend") func identifiers() {
    let identifiers = Self.schemas.map { $0.versionIdentifier }
    #expect(identifiers == [Schema.Version(1, 0, 0), Schema.Version(2, 0, 0), Schema.Version(3, 0, 0)])
  }

  @Test("The plan lists every version, with a light step and a custom one") func plan() throws {
    #expect(LibraryMigrationPlan.schemas.map { ObjectIdentifier($0) } == Self.schemas.map { ObjectIdentifier($0) })
    let stages = LibraryMigrationPlan.stages
    try #require(stages.count == 2)
    guard case .lightweight = stages[0] else { return #expect(Bool(false), "the first step is to be lightweight") }
    guard case .custom = stages[1] else { return #expect(Bool(false), "the second step is to be custom") }
  }

  @Test("The classes initialize what they inherit, and keep defaults") func initializers() {
    let identifier = UUID()
    let book = Book(identifier: identifier, title: "Middlemarch", isbn: "9780141439549", pageCount: 880)
    #expect(book.identifier == identifier)
    #expect(book.title == "Middlemarch")
    #expect(book.isAvailable)
    #expect(book.language == "en")
    #expect(book.price == Decimal(sign: .plus, exponent: -2, significand: 995))
    #expect(book.pageCount == 880)
    let member = Member(
      address: Address(city: "Sofia", postalCode: "1000", street: nil), memberNumber: 7, name: "Dorothea")
    #expect(member.address?.city == "Sofia")
    let loan = Loan(item: book, member: member)
    #expect(loan.item === book)
  }
}
