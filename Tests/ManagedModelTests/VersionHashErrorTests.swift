import ErrorReporting
import Foundation
import Testing

@testable import ManagedModel

@Suite("Version hashes of unsound models")
struct VersionHashErrorTests {
  @Test("The way out of a derivation that is not understood is one that is")
  func derivation() {
    let error = VersionHashError.unsupportedDerivation(
      entity: "Order", attribute: "total", expression: "lines.amount.@sum")
    #expect(error.remedy?.hasSuffix("such as sum:(lines.amount)") == true)
  }

  @Test("A model that leaves open what is hashed is refused, with the nearest name")
  func unsoundModels() {
    let author = EntityDescription(name: "Author")
    let writer = EntityDescription(name: "Writer", superentityName: "Auhtor")
    #expect(throws: VersionHashError.duplicateEntity("Author")) {
      try VersionHashes(ModelDescription(entities: [author, author]))
    }
    let missing = VersionHashError.missingSuperentity(entity: "Writer", superentity: "Auhtor", nearest: "Author")
    #expect(throws: missing) { try VersionHashes(ModelDescription(entities: [author, writer])) }
    #expect(missing.description.contains("did you mean “Author”?"))
  }

  @Test("A circle of superentities is refused, also one of a single entity and what hangs below it")
  func circles() {
    let own = EntityDescription(name: "Own", superentityName: "Own")
    let below = EntityDescription(name: "Below", superentityName: "Own")
    #expect(throws: VersionHashError.cyclicInheritance(entity: "Below")) {
      try VersionHashes(ModelDescription(entities: [below, own]))
    }
    let circle = ["A", "B", "C"].map { name in
      EntityDescription(name: name, superentityName: name == "A" ? "C" : name == "B" ? "A" : "B")
    }
    #expect(throws: VersionHashError.cyclicInheritance(entity: "A")) {
      try VersionHashes(ModelDescription(entities: circle))
    }
  }

  @Test("A count beyond 32 bits is refused")
  func counts() {
    let entity = EntityDescription(
      name: "Box",
      properties: [
        .relationship(
          RelationshipDescription(name: "items", destinationEntityName: "Box", maximumCount: 1 << 40))
      ])
    #expect(throws: VersionHashError.countOutOfRange(entity: "Box", relationship: "items")) {
      try VersionHashes(ModelDescription(entities: [entity]))
    }
  }

  @Test("Inheritance of any depth is hashed without recursion, in any declared order")
  func deepInheritance() throws {
    let depth = 20_000
    let line = (0..<depth).map { level in
      EntityDescription(name: "E\(level)", superentityName: level == 0 ? nil : "E\(level - 1)")
    }
    let hashes = try VersionHashes(ModelDescription(entities: line))
    #expect(hashes.hashes.count == depth)
    #expect(try VersionHashes(ModelDescription(entities: line.reversed())) == hashes)
  }

  @Test("A redeclared property replaces the inherited one, and a transient one removes it")
  func redeclaration() throws {
    let base = EntityDescription(
      name: "Base",
      properties: [
        .attribute(AttributeDescription(name: "a", type: .string)),
        .attribute(AttributeDescription(name: "b", type: .string)),
      ])
    func hash(_ type: AttributeType, isTransient: Bool) throws -> Data? {
      let sub = EntityDescription(
        name: "Sub", superentityName: "Base",
        properties: [.attribute(AttributeDescription(name: "b", type: type, isTransient: isTransient))])
      return try VersionHashes(ModelDescription(entities: [base, sub]))["Sub"]
    }
    let bare = EntityDescription(name: "Sub", superentityName: "Base")
    let inherited = try VersionHashes(ModelDescription(entities: [base, bare]))["Sub"]
    #expect(try hash(.string, isTransient: false) == inherited)
    #expect(try hash(.integer16, isTransient: false) != inherited)
    #expect(try hash(.string, isTransient: true) != inherited)
  }
}
