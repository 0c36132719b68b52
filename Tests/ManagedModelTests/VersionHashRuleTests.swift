import Foundation
import Testing

@testable import ManagedModel

/// Hashes that Core Data wrote for small entities, as literals; the model of `madeUp` was hashed independently.
@Suite("Version hash rules")
struct VersionHashRuleTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let entities: [EntityDescription]
    let expected: [String: String]
  }

  @Test("VH-1…VH-9: hashes are those that Core Data wrote", arguments: cases)
  func literals(_ example: Case) throws {
    let hashes = try VersionHashes(ModelDescription(entities: example.entities))
    for (name, expected) in example.expected {
      #expect(hashes[name].map(hexadecimal) == expected, "\(name)")
    }
  }

  @Test("VH-10: nothing but the hashed facts changes a hash")
  func unhashedFacts() throws {
    let plain = EntityDescription(
      name: "Item",
      properties: [
        .attribute(AttributeDescription(name: "count", type: .integer32)),
        .relationship(RelationshipDescription(name: "owner", destinationEntityName: "Owner")),
      ])
    let decorated = EntityDescription(
      name: "Item", className: "ItemObject",
      properties: [
        .relationship(
          RelationshipDescription(
            name: "owner", destinationEntityName: "Owner", deleteRule: .cascade, isIndexedBySpotlight: true,
            renamingIdentifier: "boss", userInfo: ["a": .string("b")])),
        .attribute(
          AttributeDescription(
            name: "count", type: .integer32, defaultValue: .integer(7), valueClassName: "NSNumber",
            allowsCloudEncryption: true, isIndexed: true, isIndexedBySpotlight: true, usesScalarValueType: true,
            minimumValue: .integer(1), maximumValue: .integer(9), renamingIdentifier: "number",
            userInfo: ["a": .integer(1)])),
      ],
      fetchIndexes: [FetchIndexDescription(name: "byCount", elements: [.init(subject: .property("count"))])],
      compoundIndexes: [["count"]], renamingIdentifier: "Thing", userInfo: ["c": .boolean(true)],
      codeGeneration: .manual, coreSpotlightDisplayName: "count")
    #expect(
      try VersionHashes(ModelDescription(entities: [plain]))
        == VersionHashes(ModelDescription(entities: [decorated])))
  }

  @Test("VH-13, VH-14: digest and checksum do not depend on the order of entities")
  func digestAndChecksum() throws {
    let hashes = try VersionHashes(ModelDescription(entities: madeUp))
    let turned = try VersionHashes(ModelDescription(entities: madeUp.reversed()))
    #expect(hashes == turned)
    #expect(
      hashes.digest
        == "ObMl8u5o3Iiq/6XRGSfsbAaUkz2wIshd0X01NRBZVmKlllMiBn7lwcS1CcNnwAonASfEXXNvKawbws4FJrYWzw==")
    #expect(hashes.checksum == "JAWbxkQw+mz5Pu16WsOSoZq5KHZn9r9u0aipvlZ9ZDs=")
    #expect(turned.digest == hashes.digest)
    #expect(turned.checksum == hashes.checksum)
  }

  @Test("VH-18: entities that differ are named, those of one side too")
  func differences() throws {
    var changed = madeUp
    changed[2].versionHashModifier = "3"
    changed.append(EntityDescription(name: "Added"))
    let hashes = try VersionHashes(ModelDescription(entities: madeUp))
    #expect(hashes.differingEntities(from: try VersionHashes(ModelDescription(entities: changed))) == ["Added", "Pet"])
    #expect(hashes.differingEntities(from: hashes).isEmpty)
  }

  @Test(
    "VH-7: a derivation is hashed in its expression's format",
    arguments: [
      ("title", "title"), ("author.name", "author.name"), (" pages.@count ", "count:(pages)"),
      ("count:(pages)", "count:(pages)"), ("now()", "now()"), ("canonical:( title )", "canonical:(title)"),
      // A decomposed letter, whose mark is a scalar of its own.
      ("nae\u{301}.@count", "count:(nae\u{301})"), ("lowercase:(nae\u{301})", "lowercase:(nae\u{301})"),
    ])
  func derivations(_ expression: String, _ format: String) {
    #expect(AttributeDescription.Derivation(expression: expression).expressionFormat == format)
  }

  @Test(
    "VH-7: a derivation whose format is not known is refused by name",
    arguments: ["", "a + b", "pages.@sum.length", "pages.@sum", "f(a)", "a..b", ".a", "sum:(a, b)", "1a", "a b", ")("])
  func unsupportedDerivation(_ expression: String) {
    let entity = EntityDescription(
      name: "Book",
      properties: [
        .attribute(AttributeDescription(name: "total", type: .integer64, derivation: .init(expression: expression)))
      ])
    #expect(throws: VersionHashError.unsupportedDerivation(entity: "Book", attribute: "total", expression: expression))
    {
      try VersionHashes(ModelDescription(entities: [entity]))
    }
  }
}

private let cases: [VersionHashRuleTests.Case] = [
  .init(
    testDescription: "derived from now()",
    entities: [
      EntityDescription(
        name: "Item",
        properties: [
          .attribute(
            AttributeDescription(
              name: "updatedAt", type: .date, isOptional: true, isReadOnly: true,
              derivation: .init(expression: "now()"))),
          .attribute(AttributeDescription(name: "timestamp", type: .date, isOptional: true)),
        ])
    ],
    expected: ["Item": "b6c91c38d3288d74e7155424d5e50ee447978b1b6f5185360196366ab209d12b"]),
  .init(
    testDescription: "composite, relationship without inverse",
    entities: [
      EntityDescription(
        name: "Ingredient",
        properties: [
          .relationship(
            RelationshipDescription(
              name: "ingredientBase", destinationEntityName: "IngredientBase", isOptional: false)),
          .attribute(AttributeDescription(name: "id", type: .uuid)),
          .attribute(AttributeDescription(name: "value", type: .double)),
          .attribute(
            AttributeDescription(
              name: "unit", type: .composite,
              elements: [AttributeDescription(name: "unit", type: .string, isOptional: true)])),
        ])
    ],
    expected: ["Ingredient": "4a3b9f32df42aee19eb186b6ad03ad57c96cd3fb4532671a4063da2002cfc61a"]),
  .init(
    testDescription: "entity modifier, uniqueness constraint",
    entities: [
      EntityDescription(
        name: "Codec", properties: [.attribute(AttributeDescription(name: "fourCharCodeName", type: .string))],
        uniquenessConstraints: [["fourCharCodeName"]], versionHashModifier: "13102")
    ],
    expected: ["Codec": "63bb7d3bcc305552728d4e806dc8a1de4f384ff8017885b3faaeb50507d24f13"]),
  .init(
    testDescription: "ordered, entity and property modifiers",
    entities: [
      EntityDescription(
        name: "AlbumList",
        properties: [
          .attribute(AttributeDescription(name: "needsReorderingNumber", type: .boolean, isOptional: true)),
          .attribute(
            AttributeDescription(
              name: "identifier", type: .integer16, isOptional: true, versionHashModifier: "9203")),
          .relationship(
            RelationshipDescription(
              name: "albums", destinationEntityName: "GenericAlbum", inverseName: "albumLists", isOrdered: true,
              maximumCount: 0)),
          .attribute(AttributeDescription(name: "uuid", type: .string, isOptional: true)),
        ],
        versionHashModifier: "11066")
    ],
    expected: ["AlbumList": "d200a101cddb32419b161e1a47584e03fe7d761f4f392cda88f6daa4bc406a36"]),
  .init(
    testDescription: "preserved in history on deletion",
    entities: [
      EntityDescription(
        name: "FileSystemVolume",
        properties: [
          .attribute(AttributeDescription(name: "volumeUuidString", type: .string, isOptional: true)),
          .relationship(
            RelationshipDescription(
              name: "resources", destinationEntityName: "InternalResource", inverseName: "fileSystemVolume",
              maximumCount: 0)),
          .attribute(AttributeDescription(name: "name", type: .string)),
          .attribute(AttributeDescription(name: "uuid", type: .string, preservesValueInHistoryOnDeletion: true)),
        ])
    ],
    expected: ["FileSystemVolume": "9b83a38999cb6c9f249246e4846382906d79b3ce747b4aca8cb6925a541cd409"]),
  .init(
    testDescription: "minimum count",
    entities: [
      EntityDescription(
        name: "Page",
        properties: [
          .attribute(AttributeDescription(name: "isBookmarked", type: .boolean)),
          .attribute(AttributeDescription(name: "number", type: .integer32)),
          .attribute(AttributeDescription(name: "content", type: .transformable)),
          .relationship(
            RelationshipDescription(
              name: "book", destinationEntityName: "Book", inverseName: "pages", isOptional: false,
              minimumCount: 1)),
        ])
    ],
    expected: ["Page": "9ee9445f9060dc0ae0737ca930dd312246afc97362869cb5b7875e5bc9899171"]),
  .init(
    testDescription: "abstract entities and inheritance",
    entities: [
      EntityDescription(
        name: "NewEntity", superentityName: "AbstractEntity",
        properties: [.attribute(AttributeDescription(name: "identifier", type: .uuid, isOptional: true))],
        uniquenessConstraints: [["identifier"]]),
      EntityDescription(name: "AbstractEntity", isAbstract: true),
    ],
    expected: [
      "AbstractEntity": "dbc201c1a26b2e8f6b8130b6ed8f7083e88229db4c1d1b73d8bccaab48402d12",
      "NewEntity": "a1d2c1d335618c265d2ffbd01c2bafe655aa0e0a82bc9f1ceba0c8b5b1d73264",
    ]),
  .init(
    testDescription: "self-inverse, external storage, transient, counts, inherited properties sorted among own",
    entities: madeUp,
    expected: [
      "Person": "c41580d20ff9ea753cdcb8657e641701acf21b6f759745609f52761e1cbc3031",
      "Employee": "6af160e72b3e55db7252575964fa647df20a050c217fdc97dd1e12d43adcc2e0",
      "Pet": "ae7cef8a1b069fc971406bb2da6545d2bf9a67e142e07b15eca16b71f7ffdcd1",
    ]),
]

private let madeUp = [
  EntityDescription(
    name: "Person",
    properties: [
      .attribute(AttributeDescription(name: "name", type: .string)),
      .attribute(
        AttributeDescription(name: "photo", type: .binary, isOptional: true, allowsExternalBinaryDataStorage: true)),
      .attribute(
        AttributeDescription(
          name: "badge", type: .binary, allowsExternalBinaryDataStorage: true,
          preservesValueInHistoryOnDeletion: true)),
      .attribute(AttributeDescription(name: "cached", type: .undefined, isOptional: true, isTransient: true)),
      .relationship(
        RelationshipDescription(
          name: "friends", destinationEntityName: "Person", inverseName: "friends", inverseEntityName: "Person",
          maximumCount: 0)),
      .relationship(
        RelationshipDescription(
          name: "pets", destinationEntityName: "Pet", inverseName: "owner", isOptional: false, isOrdered: true,
          minimumCount: 2, maximumCount: 5)),
    ]),
  EntityDescription(
    name: "Employee", superentityName: "Person",
    properties: [
      .attribute(AttributeDescription(name: "salary", type: .decimal)),
      .attribute(AttributeDescription(name: "Zone", type: .integer32)),
    ]),
  EntityDescription(
    name: "Pet",
    properties: [
      .relationship(
        RelationshipDescription(
          name: "owner", destinationEntityName: "Person", inverseName: "pets", isOptional: false)),
      .attribute(AttributeDescription(name: "tag", type: .uuid)),
      .attribute(AttributeDescription(name: "kind", type: .string)),
    ],
    uniquenessConstraints: [["tag"], ["kind", "owner"]], versionHashModifier: "2"),
]
