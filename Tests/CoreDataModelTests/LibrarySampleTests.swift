import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import CoreDataModel

/// What the sample model was written to exercise stays in it.
@Suite("The library sample")
struct LibrarySampleTests {
  private let bundle: ModelBundle

  init() throws {
    bundle = try ModelBundle.read(
      at: Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld"))
  }

  private func version(_ number: Int) throws -> ModelDescription {
    try #require(bundle.versions.count >= number ? bundle.versions[number - 1].model : nil)
  }

  @Test("It has three versions, the third one current, and no problem but one relationship without inverse")
  func versions() {
    #expect(bundle.name == "Library")
    #expect(bundle.versions.map(\.name) == ["Library", "Library 2", "Library 3"])
    #expect(bundle.current?.name == "Library 3")
    #expect(bundle.versions.map(\.model.versionIdentifiers) == [["1"], ["2"], ["3"]])
    #expect(bundle.diagnostics.allSatisfy { $0.problem.contains("“handledBy”: the relationship has no inverse") })
    #expect(bundle.diagnostics.count == 2)
  }

  @Test("It uses every type of attribute that a model editor offers, and every delete rule")
  func types() throws {
    let entities = try version(3).entities
    let types = Set(entities.flatMap(\.attributes).map(\.type))
    #expect(types == Set(AttributeType.allCases).subtracting([.undefined, .objectID]))
    let rules = Set(entities.flatMap(\.relationships).map(\.deleteRule))
    #expect(rules == [.noAction, .nullify, .cascade, .deny])
  }

  @Test("It uses what is hard: inheritance, order, circles, constraints, indexes, composites, renaming")
  func features() throws {
    let model = try version(3)
    let graph = EntityGraph(model)
    #expect(graph.entity("Item")?.isAbstract == true)
    #expect(graph.subentities(of: "Item") == ["Book", "Magazine"])
    let relationships = model.entities.flatMap(\.relationships)
    #expect(relationships.filter(\.isOrdered).map(\.name) == ["chapters", "items"])
    #expect(relationships.contains { $0.name == "friends" && $0.inverseName == "friends" })
    #expect(relationships.contains { $0.inverseName == nil })
    #expect(graph.entity("LibraryCard")?.uniquenessConstraints == [["branchCode", "number"]])
    #expect(graph.entity("Loan")?.fetchIndexes.first?.elements.map(\.isAscending) == [false, true])
    #expect(graph.entity("Member")?.renamingIdentifier == "Borrower")
    #expect(graph.entity("Member")?.attributes.first?.elements.map(\.name) == ["city", "postalCode", "street"])
  }

  @Test("The second step changes a type, which cannot be inferred")
  func typeChange() throws {
    func fine(_ number: Int) throws -> AttributeType? {
      try version(number).entity(named: "Loan")?.attributes.first { $0.name == "fine" }?.type
    }
    #expect(try fine(2) == .string)
    #expect(try fine(3) == .decimal)
  }

  @Test("VH-1 … VH-6 The hashes of the first version are these")
  func hashes() throws {
    let hashes = try VersionHashes(try version(1))
    #expect(hashes.checksum == "aJNRWYbugzVEFdTvxagIJPttUUBEBlfyysTuLrSAiRc=")
    #expect(
      hashes["Book"].map(hexadecimal) == "53af8e516dda39e6ca878cea65cbb10f59327f6414f94dc9e1f7e865f1ee9af4")
    #expect(
      hashes["Borrower"].map(hexadecimal) == "ae2f33af91819cbce20f8c831946fec928a0073b457e21a685566b1a3b51c561")
  }
}
