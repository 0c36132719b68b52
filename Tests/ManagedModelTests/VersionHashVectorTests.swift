import Foundation
import TestSupport
import Testing

@testable import ManagedModel

@Suite("Version hashes of real models")
struct VersionHashVectorTests {
  @Test(
    "VH-1…VH-9, VH-13, VH-14: every published vector is met",
    .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
  func vectors() throws {
    let data = try Data(contentsOf: Fixtures.url("version-hash-vectors.json"))
    let vectors = try JSONDecoder().decode([Vector].self, from: data)
    #expect(vectors.count == 19)
    var entityCount = 0
    for vector in vectors {
      let hashes = try VersionHashes(vector.model)
      for (name, expected) in vector.hashes {
        #expect(hashes[name].map(hexadecimal) == expected, "\(vector.source): \(name)")
        entityCount += 1
      }
      #expect(hashes.hashes.count == vector.hashes.count)
      #expect(hashes.digest == vector.digest)
      #expect(hashes.checksum == vector.checksum)
    }
    #expect(entityCount == 58)
  }
}

/// One entry of the vector file.
private struct Vector: Decodable {
  struct Entity: Decodable {
    let name: String
    let abstract: Bool
    let superentity: String?
    let modifier: String?
    let unique: [[String]]
    let properties: [Property]
  }

  struct Property: Decodable {
    let kind: String
    let name: String
    let optional: Bool?
    let transient: Bool?
    let readonly: Bool?
    let ordered: Bool?
    let external: Bool?
    let preserve: Bool?
    let modifier: String?
    let type: UInt32?
    let derivation: String?
    let elements: [Property]?
    let destination: String?
    let inverse: String?
    let min: Int?
    let max: Int?
  }

  let source: String
  let entities: [Entity]
  let hashes: [String: String]
  let digest: String
  let checksum: String

  var model: ModelDescription {
    ModelDescription(
      entities: entities.map { entity in
        EntityDescription(
          name: entity.name, isAbstract: entity.abstract, superentityName: entity.superentity,
          properties: entity.properties.map(\.description), uniquenessConstraints: entity.unique,
          versionHashModifier: entity.modifier)
      })
  }
}

extension Vector.Property {
  fileprivate var description: PropertyDescription {
    switch kind {
    case "relationship":
      .relationship(
        RelationshipDescription(
          name: name, destinationEntityName: destination ?? "", inverseName: inverse, isOptional: optional ?? false,
          isTransient: transient ?? false, isOrdered: ordered ?? false, minimumCount: min ?? 0, maximumCount: max ?? 0,
          versionHashModifier: modifier))
    case "fetched":
      .fetchedProperty(
        FetchedPropertyDescription(name: name, fetchRequest: FetchRequestDescription(name: "", entityName: "")))
    default: .attribute(attribute)
    }
  }

  private var attribute: AttributeDescription {
    AttributeDescription(
      name: name, type: AttributeType(rawValue: type ?? 0) ?? .undefined, isOptional: optional ?? false,
      isTransient: transient ?? false, isReadOnly: readonly ?? false,
      allowsExternalBinaryDataStorage: external ?? false, preservesValueInHistoryOnDeletion: preserve ?? false,
      derivation: derivation.map { .init(expression: $0) }, elements: (elements ?? []).map(\.attribute),
      versionHashModifier: modifier)
  }
}

func hexadecimal(_ data: Data) -> String {
  data.map { byte in
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0" + digits : digits
  }.joined()
}
