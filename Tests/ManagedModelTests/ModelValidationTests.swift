import Testing

@testable import ManagedModel

@Suite("What is wrong with a model")
struct ModelValidationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (inout ModelDescription) -> Void
    let expected: [ModelIssue]
  }

  @Test("A sound model has no issues")
  func sound() throws {
    #expect(library.validate() == [])
    #expect(library.isSound)
    #expect(ModelDescription().validate() == [])
  }

  @Test("Each hole in a model is reported once, where it is", arguments: holes)
  func hole(_ example: Case) {
    var model = library
    example.change(&model)
    let issues = model.validate()
    #expect(issues == example.expected)
    for issue in issues {
      #expect(issue.remedy?.isEmpty == false)
      #expect(!issue.description.contains("\n"))
    }
  }

  @Test("Messages say where, what, the nearest name and what to do")
  func wording() {
    let issue = ModelIssue(
      entity: "Book", property: "author", kind: .unknownDestination("Auhtor", nearest: "Author"))
    #expect(
      issue.description
        == "error: entity “Book”, property “author”: the destination entity “Auhtor” is not in the model "
        + "(did you mean “Author”?) — add it or correct the name")
  }

  @Test("Only errors make a model unsound")
  func isSound() {
    var model = library
    model.entities[1].properties.append(
      .relationship(RelationshipDescription(name: "friend", destinationEntityName: "Author")))
    #expect(model.validate().map(\.severity) == [.warning])
    #expect(model.isSound)
    model.entities[1].superentityName = "Nobody"
    #expect(!model.isSound)
  }

  @Test("A hostile model gives a bounded list of bounded messages")
  func hostileModel() {
    let name = String(repeating: "\u{7}", count: 10_000)
    let entities = (0..<5_000).map { EntityDescription(name: "E\($0)", superentityName: name) }
    let issues = ModelDescription(entities: entities).validate()
    #expect(issues.count == 1_000)
    #expect(issues.allSatisfy { $0.description.count < 1_000 })
  }

  @Test("A line of superentities beyond the bound is reported, not walked")
  func deepInheritance() {
    let entities = (0..<3_000).map { level in
      EntityDescription(
        name: "E\(level)", superentityName: level == 0 ? nil : "E\(level - 1)",
        properties: [.attribute(AttributeDescription(name: "a\(level)", type: .string))])
    }
    #expect(ModelDescription(entities: entities).validate().map(\.kind) == [.inheritanceTooDeep])
  }
}

private let library = ModelDescription(
  entities: [
    EntityDescription(
      name: "Book",
      properties: [
        .attribute(AttributeDescription(name: "title", type: .string, defaultValue: .string("untitled"))),
        .attribute(
          AttributeDescription(
            name: "origin", type: .composite, elements: [AttributeDescription(name: "year", type: .integer16)])),
        .relationship(
          RelationshipDescription(name: "author", destinationEntityName: "Author", inverseName: "books")),
      ],
      uniquenessConstraints: [["title", "author"]],
      fetchIndexes: [
        FetchIndexDescription(
          name: "byYear",
          elements: [.init(subject: .property("origin.year")), .init(subject: .expression("entity"))])
      ], compoundIndexes: [["title", "author"]]),
    EntityDescription(
      name: "Author", superentityName: "Person",
      properties: [
        .relationship(
          RelationshipDescription(
            name: "books", destinationEntityName: "Book", inverseName: "author", inverseEntityName: "Book",
            maximumCount: 0))
      ], uniquenessConstraints: [["name"]]),
    EntityDescription(
      name: "Person", isAbstract: true,
      properties: [.attribute(AttributeDescription(name: "name", type: .string))]),
  ],
  configurations: [ConfigurationDescription(name: "Cloud", entityNames: ["Book"])],
  fetchRequestTemplates: [FetchRequestDescription(name: "all", entityName: "Book")])

private func relationship(_ name: String, to destination: String, inverse: String?) -> PropertyDescription {
  .relationship(RelationshipDescription(name: name, destinationEntityName: destination, inverseName: inverse))
}

private func attribute(_ name: String, _ type: AttributeType = .string) -> PropertyDescription {
  .attribute(AttributeDescription(name: name, type: type))
}

private let holes: [ModelValidationTests.Case] = [
  .init(
    testDescription: "entities whose tables have one name",
    change: { $0.entities.append(EntityDescription(name: "BOOK")) },
    expected: [ModelIssue(entity: "BOOK", kind: .sharedTable(with: "Book"))]),
  .init(
    testDescription: "empty entity name", change: { $0.entities.append(EntityDescription(name: "")) },
    expected: [ModelIssue(kind: .illegalName(.entity, "", .empty))]),
  .init(
    testDescription: "NUL in a property name", change: { $0.entities[2].properties.append(attribute("a\0b")) },
    expected: [ModelIssue(entity: "Person", kind: .illegalName(.property, "a\0b", .containsNUL))]),
  .init(
    testDescription: "duplicate entity", change: { $0.entities.append(EntityDescription(name: "Book")) },
    expected: [ModelIssue(kind: .duplicateName(.entity, "Book"))]),
  .init(
    testDescription: "duplicate property", change: { $0.entities[2].properties.append(attribute("name")) },
    expected: [ModelIssue(entity: "Person", kind: .duplicateName(.property, "name"))]),
  .init(
    testDescription: "inherited property declared again",
    change: { $0.entities[1].properties.append(attribute("name")) },
    expected: [ModelIssue(entity: "Author", property: "name", kind: .redeclaredProperty(superentity: "Person"))]),
  .init(
    testDescription: "unknown superentity", change: { $0.entities[0].superentityName = "Persn" },
    expected: [ModelIssue(entity: "Book", kind: .unknownSuperentity("Persn", nearest: "Person"))]),
  .init(
    testDescription: "circle of superentities", change: { $0.entities[2].superentityName = "Author" },
    expected: ["Author", "Person"].map { ModelIssue(entity: $0, kind: .cyclicSuperentities) }),
  .init(
    testDescription: "unknown destination",
    change: { $0.entities[2].properties.append(relationship("pet", to: "Animal", inverse: nil)) },
    expected: [ModelIssue(entity: "Person", property: "pet", kind: .unknownDestination("Animal", nearest: nil))]),
  .init(
    testDescription: "no inverse",
    change: { $0.entities[2].properties.append(relationship("friend", to: "Person", inverse: nil)) },
    expected: [ModelIssue(entity: "Person", property: "friend", kind: .missingInverse)]),
  .init(
    testDescription: "unknown inverse",
    change: { $0.entities[2].properties.append(relationship("loans", to: "Book", inverse: "autor")) },
    expected: [
      ModelIssue(
        entity: "Person", property: "loans", kind: .unknownInverse("autor", entity: "Book", nearest: "author"))
    ]),
  .init(
    testDescription: "inverse that is an attribute",
    change: { $0.entities[2].properties.append(relationship("loans", to: "Book", inverse: "title")) },
    expected: [
      ModelIssue(entity: "Person", property: "loans", kind: .unknownInverse("title", entity: "Book", nearest: nil))
    ]),
  .init(
    testDescription: "inverse that does not point back",
    change: { $0.entities[2].properties.append(relationship("loans", to: "Book", inverse: "author")) },
    expected: [
      ModelIssue(
        entity: "Person", property: "loans", kind: .inverseDoesNotPointBack("author", entity: "Book"))
    ]),
  .init(
    testDescription: "inverse of an entity of another line",
    change: { model in
      model.entities[0].properties[2] = .relationship(
        RelationshipDescription(
          name: "author", destinationEntityName: "Author", inverseName: "books", inverseEntityName: "Book"))
    },
    expected: [
      ModelIssue(
        entity: "Book", property: "author", kind: .unrelatedInverseEntity("Book", destination: "Author"))
    ]),
  .init(
    testDescription: "unknown inverse entity",
    change: { model in
      model.entities[0].properties[2] = .relationship(
        RelationshipDescription(
          name: "author", destinationEntityName: "Author", inverseName: "books", inverseEntityName: "Auhtor"))
    },
    expected: [
      ModelIssue(entity: "Book", property: "author", kind: .unknownInverseEntity("Auhtor", nearest: "Author"))
    ]),
  .init(
    testDescription: "counts that no number meets",
    change: { model in
      model.entities[1].properties[0] = .relationship(
        RelationshipDescription(
          name: "books", destinationEntityName: "Book", inverseName: "author", minimumCount: 3, maximumCount: 2))
    },
    expected: [ModelIssue(entity: "Author", property: "books", kind: .illegalCounts(minimum: 3, maximum: 2))]),
  .init(
    testDescription: "an index with a predicate that cannot be read",
    change: {
      $0.entities[1].fetchIndexes = [
        .init(name: "some", elements: [.init(subject: .property("books"))], partialIndexPredicate: "a = = 3")
      ]
    },
    expected: [ModelIssue(entity: "Author", property: nil, kind: .unreadableIndexPredicate(index: "some", "a = = 3"))]),
  .init(
    testDescription: "an index with an expression that is no column",
    change: {
      $0.entities[0].fetchIndexes = [
        .init(
          name: "some",
          elements: ["uppercase:(title)", "SELF", "origin.year", "author"].map { .init(subject: .expression($0)) })
      ]
    },
    expected: [
      ModelIssue(entity: "Book", kind: .unsupportedIndexExpression(index: "some", "uppercase:(title)"))
    ]),
  .init(
    testDescription: "rules that no value can be checked with",
    change: { model in
      model.entities[2].properties.append(
        .attribute(
          AttributeDescription(
            name: "code", type: .string, minimumValue: .integer(3), maximumValue: .integer(2),
            regularExpression: "[a-z",
            validationRules: [.init(predicate: "SELF = = 3"), .init(predicate: "SELF != 'a'")])))
    },
    expected: [
      ModelIssue(entity: "Person", property: "code", kind: .unreadablePattern("[a-z")),
      ModelIssue(entity: "Person", property: "code", kind: .unreadableRule("SELF = = 3")),
      ModelIssue(entity: "Person", property: "code", kind: .crossedBounds(isLength: true)),
    ]),
  .init(
    testDescription: "bounds that no value is between, also of a composite's element",
    change: { model in
      let bounds = [
        AttributeDescription(
          name: "count", type: .integer64, minimumValue: .integer(10), maximumValue: .integer(5)),
        AttributeDescription(name: "day", type: .date, minimumValue: .date(10), maximumValue: .date(5)),
        AttributeDescription(name: "mass", type: .double, minimumValue: .integer(3), maximumValue: .double(2.5)),
        AttributeDescription(name: "price", type: .decimal, minimumValue: .integer(2), maximumValue: .integer(2)),
      ]
      model.entities[2].properties += bounds.map { .attribute($0) }
      model.entities[2].properties.append(
        .attribute(AttributeDescription(name: "size", type: .composite, elements: [bounds[0]])))
    },
    expected: ["count", "day", "mass", "size"].map {
      ModelIssue(entity: "Person", property: $0, kind: .crossedBounds(isLength: false))
    }),
  .init(
    testDescription: "stored attribute of undefined type",
    change: { $0.entities[2].properties.append(attribute("thing", .undefined)) },
    expected: [ModelIssue(entity: "Person", property: "thing", kind: .undefinedType)]),
  .init(
    testDescription: "composite without elements",
    change: { $0.entities[2].properties.append(attribute("address", .composite)) },
    expected: [ModelIssue(entity: "Person", property: "address", kind: .compositeWithoutElements)]),
  .init(
    testDescription: "default that does not fit the type",
    change: { model in
      model.entities[2].properties.append(
        .attribute(AttributeDescription(name: "age", type: .integer16, defaultValue: .integer(40_000))))
    },
    expected: [ModelIssue(entity: "Person", property: "age", kind: .defaultOfOtherType(.integer16))]),
  .init(
    testDescription: "empty constraint, unknown and to-many property in a constraint",
    change: { $0.entities[1].uniquenessConstraints = [[], ["nmae"], ["books"]] },
    expected: [
      ModelIssue(entity: "Author", kind: .emptyConstraint),
      ModelIssue(entity: "Author", kind: .unknownConstraintProperty("nmae", nearest: "name")),
      ModelIssue(entity: "Author", kind: .unsuitableConstraintProperty("books")),
    ]),
  .init(
    testDescription: "unknown properties in indexes",
    change: { model in
      model.entities[0].fetchIndexes[0].elements.append(.init(subject: .property("origin.yaer")))
      model.entities[0].compoundIndexes = [["titel"]]
    },
    expected: [
      ModelIssue(entity: "Book", kind: .unknownIndexProperty(index: "byYear", "origin.yaer", nearest: nil)),
      ModelIssue(entity: "Book", kind: .unknownIndexProperty(index: "titel", "titel", nearest: "title")),
    ]),
  .init(
    testDescription: "unknown entities in configurations and fetch requests",
    change: { model in
      model.configurations[0].entityNames = ["Books"]
      model.fetchRequestTemplates[0].entityName = "Bok"
    },
    expected: [
      ModelIssue(kind: .unknownConfigurationEntity(configuration: "Cloud", "Books", nearest: "Book")),
      ModelIssue(kind: .unknownFetchEntity(request: "all", "Bok", nearest: "Book")),
    ]),
]
