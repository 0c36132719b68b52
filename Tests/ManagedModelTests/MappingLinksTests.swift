import ManagedModel
import Testing

@Suite("Links of mapping models") struct MappingLinksTests {
  private static func entity(_ name: String, _ parent: String? = nil, to destination: String? = nil)
    -> EntityDescription
  {
    EntityDescription(
      name: name, superentityName: parent,
      properties: destination.map {
        [.relationship(RelationshipDescription(name: "link", destinationEntityName: $0, inverseName: nil))]
      } ?? [])
  }

  /// Contracts lead to persons; novices are persons; firms are not. All of them become parties.
  private static func resolution() throws -> MappingResolution {
    let source = ModelDescription(entities: [
      entity("Contract", to: "Person"), entity("Firm"), entity("Novice", "Person"), entity("Person"),
    ])
    let destination = ModelDescription(entities: [entity("Contract", to: "Party"), entity("Other"), entity("Party")])
    let mappings = [
      ("Contract", "Contract"), ("Firm", "Party"), ("Novice", "Party"), ("Person", "Other"), ("Person", "Party"),
    ].map {
      EntityMapping(name: "\($0.0)To\($0.1)", sourceEntityName: $0.0, destinationEntityName: $0.1)
    }
    return try MappingResolution(
      MappingModel(name: "Parties", entityMappings: mappings), from: source, to: destination)
  }

  private static func names(_ path: [String], _ mapping: String?) throws -> [String] {
    let resolution = try resolution()
    return resolution.linkCandidates(at: path, of: resolution.entities[0], by: mapping, to: "Party").map {
      resolution.entities[$0].mapping.name
    }
  }

  @Test("A link leads to rows of the old relationship's entity and of its subentities, the named mapping's first")
  func candidates() throws {
    #expect(try Self.names(["link"], nil) == ["NoviceToParty", "PersonToParty"])
    #expect(try Self.names(["link"], "PersonToParty") == ["PersonToParty", "NoviceToParty"])
    #expect(try Self.names(["link"], "NoviceToParty") == ["NoviceToParty"])
    // Rows of firms may have the keys of persons.
    #expect(try Self.names(["link"], "FirmToParty") == [])
    #expect(try Self.names(["link"], "Nowhere") == [])
    #expect(try Self.names(["name"], nil) == [])
    #expect(try Self.names(["link", "link"], nil) == [])
  }
}
