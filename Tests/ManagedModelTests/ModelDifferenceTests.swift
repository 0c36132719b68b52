import Testing

@testable import ManagedModel

@Suite("The difference of two models")
struct ModelDifferenceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (inout ModelDescription) -> Void
    let expected: [ModelChange]
  }

  @Test("A model does not differ from itself, in whatever order it is declared")
  func equalModels() {
    var turned = model
    turned.entities.reverse()
    turned.entities[0].properties.reverse()
    let difference = ModelDifference(from: model, to: turned)
    #expect(difference.isEmpty)
    #expect(difference.isLightweight)
    #expect(!difference.needsMigration)
  }

  @Test("An index that a compiled model states in two forms is no difference")
  func indexInTwoForms() {
    var former = model
    former.entities[0].fetchIndexes = [
      .init(name: "both", elements: [.init(subject: .property("a")), .init(subject: .property("b"))])
    ]
    var compiled = former
    compiled.entities[0].compoundIndexes = [["a", "b"]]
    #expect(ModelDifference(from: former, to: compiled).isEmpty)
    compiled.entities[0].compoundIndexes.append(["b", "a"])
    #expect(ModelDifference(from: former, to: compiled).changes.count == 1)
  }

  @Test("Each change is reported once, with what it asks of a migration", arguments: cases)
  func change(_ example: Case) throws {
    var changed = model
    example.change(&changed)
    let difference = ModelDifference(from: model, to: changed)
    #expect(difference.changes == example.expected)
    let obstacles = difference.changes.compactMap(\.obstacleSentence)
    #expect(obstacles.count == example.expected.count { $0.obstacle != nil })
    #expect(difference.isLightweight == obstacles.isEmpty)
    // The version hashes are the judge of whether a migration is needed at all.
    #expect(try difference.needsMigration == (VersionHashes(model) != VersionHashes(changed)))
  }

  @Test("A composite differs by what is stored of its elements, not by the name of its type")
  func composites() {
    func model(_ type: AttributeType, _ name: String?) -> ModelDescription {
      let inner = AttributeDescription(
        name: "room", type: .composite, compositeName: name, elements: [AttributeDescription(name: "floor", type: type)]
      )
      let place = AttributeDescription(name: "place", type: .composite, elements: [inner])
      return ModelDescription(entities: [EntityDescription(name: "Book", properties: [.attribute(place)])])
    }
    #expect(ModelDifference(from: model(.integer16, "Room"), to: model(.integer16, nil)).isEmpty)
    #expect(
      ModelDifference(from: model(.integer16, nil), to: model(.string, nil)).changes.map(\.kind)
        == [.compositeElementsChanged(removed: [])])
  }

  @Test("A thing renamed twice is matched from each earlier version")
  func renamedTwice() {
    func version(_ name: String, _ identifier: String?) -> ModelDescription {
      ModelDescription(entities: [EntityDescription(name: name, renamingIdentifier: identifier)])
    }
    let versions = [version("A", nil), version("B", "A"), version("C", "A")]
    for (old, new) in [(0, 1), (1, 2), (0, 2)] {
      let changes = ModelDifference(from: versions[old], to: versions[new]).changes
      #expect(changes.map(\.kind) == [.entityRenamed(from: versions[old].entities[0].name)])
    }
    // An identifier that names the version before it, not the first one.
    #expect(
      ModelDifference(from: versions[1], to: version("C", "B")).changes.map(\.kind) == [.entityRenamed(from: "B")])
  }

  @Test("A name taken over by another entity is not mistaken for the renamed one")
  func swappedNames() {
    let old = ModelDescription(entities: [EntityDescription(name: "A"), EntityDescription(name: "B")])
    let new = ModelDescription(entities: [
      EntityDescription(name: "A", renamingIdentifier: "B"), EntityDescription(name: "B", renamingIdentifier: "A"),
    ])
    #expect(
      ModelDifference(from: old, to: new).changes.map(\.kind) == [.entityRenamed(from: "B"), .entityRenamed(from: "A")])
  }

  @Test("A renaming identifier that leads nowhere does not make a new entity of an old one")
  func deadIdentifiers() {
    let plain = ModelDescription(entities: [EntityDescription(name: "Talk"), EntityDescription(name: "User")])
    let odd = ModelDescription(entities: [
      EntityDescription(name: "Talk", renamingIdentifier: "messageTimeout"), EntityDescription(name: "User"),
    ])
    #expect(ModelDifference(from: plain, to: odd).isEmpty)
    #expect(ModelDifference(from: odd, to: plain).isEmpty)
  }

  @Test("Whoever names its former self is that one, even if a new thing has its name", arguments: [false, true])
  func takenNames(isReversed: Bool) {
    let old = ModelDescription(entities: [EntityDescription(name: "A")])
    var new = ModelDescription(entities: [
      EntityDescription(name: "A"), EntityDescription(name: "B", renamingIdentifier: "A"),
    ])
    if isReversed { new.entities.reverse() }
    #expect(
      Set(ModelDifference(from: old, to: new).changes) == [
        ModelChange(entity: "A", kind: .entityAdded, migration: .lightweight),
        ModelChange(entity: "B", kind: .entityRenamed(from: "A"), migration: .lightweight),
      ])
  }

  @Test("A renamed thing and a new one with its former name stay themselves later", arguments: [false, true])
  func keptNames(isReversed: Bool) {
    typealias Item = (name: String, formerly: String?)
    func sources(from old: [Item], to new: [Item]) -> [String: String] {
      func model(_ items: [Item]) -> ModelDescription {
        let attributes = items.map {
          PropertyDescription.attribute(
            AttributeDescription(name: $0.name, type: .string, renamingIdentifier: $0.formerly))
        }
        return ModelDescription(entities: [
          EntityDescription(name: "E", properties: isReversed ? attributes.reversed() : attributes)
        ])
      }
      return ModelMatching(from: model(old), to: model(new)).properties(of: "E")
    }
    let second: [Item] = [("name", nil), ("title", "name")]
    #expect(sources(from: [("name", nil)], to: second) == ["title": "name"])
    #expect(sources(from: second, to: second + [("size", nil)]) == ["name": "name", "title": "title"])
    // Without the renaming identifier, which the third version no longer needs.
    #expect(sources(from: second, to: [("name", nil), ("title", nil)]) == ["name": "name", "title": "title"])
    // The renamed one is renamed again; its identifier is still the first name.
    #expect(sources(from: second, to: [("name", nil), ("heading", "name")]) == ["name": "name", "heading": "title"])
    // The new one is renamed, too.
    #expect(
      sources(from: second, to: [("label", "name"), ("name", nil), ("title", "name")])
        == ["label": "name", "title": "title"])
    // The renamed one is renamed again by its present name, and another one gets the first or the second name.
    let renamed: [Item] = [("title", "name")]
    #expect(sources(from: renamed, to: [("name", nil), ("heading", "title")]) == ["heading": "title"])
    #expect(sources(from: renamed, to: [("title", nil), ("heading", "title")]) == ["heading": "title"])
    // The first name comes back, as a new property or as that of the renamed one.
    #expect(sources(from: renamed, to: [("name", nil), ("title", nil)]) == ["title": "title"])
    #expect(sources(from: renamed, to: [("name", nil)]) == ["name": "title"])
    // Two names change places, and later versions no longer say so.
    let swapped: [Item] = [("a", "b"), ("b", "a")]
    #expect(sources(from: [("a", nil), ("b", nil)], to: swapped) == ["a": "b", "b": "a"])
    #expect(sources(from: swapped, to: swapped) == ["a": "a", "b": "b"])
    #expect(sources(from: swapped, to: [("a", nil), ("b", nil)]) == ["a": "a", "b": "b"])
  }

  @Test("Names in another normal form are told, though Swift takes them for equal")
  func respelledNames() {
    func model(_ word: String, identifier: String? = nil) -> ModelDescription {
      ModelDescription(entities: [
        EntityDescription(
          name: "Ca\(word)",
          properties: [
            .attribute(AttributeDescription(name: "n\(word)", type: .string, renamingIdentifier: identifier)),
            .attribute(
              AttributeDescription(
                name: "place", type: .composite, elements: [AttributeDescription(name: "x\(word)", type: .double)])),
          ]),
        EntityDescription(
          name: "Plain", properties: [.relationship(.init(name: word, destinationEntityName: "Plain"))]),
      ])
    }
    let (one, other) = ("f\u{E9}", "fe\u{301}")
    #expect(
      ModelDifference(from: model(one), to: model(other)).changes == [
        ModelChange(entity: "Ca\(one)", kind: .entityRenamed(from: "Ca\(one)"), migration: .custom(.undocumented)),
        ModelChange(
          entity: "Ca\(one)", property: "n\(one)", kind: .propertyRenamed(from: "n\(one)"),
          migration: .custom(.undocumented)),
        ModelChange(
          entity: "Ca\(one)", property: "place", kind: .compositeElementsChanged(removed: []),
          migration: .custom(.undocumented)),
        ModelChange(
          entity: "Plain", property: one, kind: .propertyRenamed(from: one), migration: .custom(.undocumented)),
      ])
    #expect(ModelDifference(from: model(other), to: model(other)).isEmpty)
    // A renaming identifier tells Core Data as well.
    let named = ModelDifference(from: model(one), to: model(other, identifier: "n\(one)")).changes
    #expect(named.contains { $0.property == "n\(one)" && $0.migration == .lightweight })
    #expect(named[0].phrase == "is spelled with other characters that look the same (another Unicode normal form)")
  }

  @Test("Changes and obstacles are said in words")
  func words() {
    var changed = model
    changed.entities[0].properties[0] = .attribute(AttributeDescription(name: "title", type: .integer64))
    #expect(
      ModelDifference(from: model, to: changed).changes.compactMap(\.obstacleSentence) == [
        "entity “Book”, property “title” has type integer64 instead of string: "
          + "values are not converted from one type to another"
      ])
  }

  @Test("Only of a new mandatory property the words tell that a version in between lets a stage fill it")
  func wordsOfMandatoryProperties() {
    func words(_ change: (inout ModelDescription) -> Void) -> String? {
      var changed = model
      change(&changed)
      return ModelDifference(from: model, to: changed).changes.compactMap(\.obstacleDescription).first
    }
    let advice = "rows that exist have no value for it — give it a default value or make it optional"
    #expect(
      words { $0.entities[0].properties.append(attribute("isbn")) }
        == advice + "; a version in between, where it is optional, lets a stage fill it")
    #expect(
      words { $0.entities[0].properties[1] = .attribute(AttributeDescription(name: "pages", type: .integer32)) }
        == advice)
  }
}

private let model = ModelDescription(entities: [
  EntityDescription(
    name: "Book", superentityName: "Work",
    properties: [
      .attribute(AttributeDescription(name: "title", type: .string)),
      .attribute(AttributeDescription(name: "pages", type: .integer32, isOptional: true)),
      .relationship(
        RelationshipDescription(
          name: "authors", destinationEntityName: "Author", inverseName: "books", maximumCount: 0)),
      .relationship(RelationshipDescription(name: "editor", destinationEntityName: "Author")),
    ]),
  EntityDescription(
    name: "Author",
    properties: [
      .attribute(AttributeDescription(name: "name", type: .string, isOptional: true)),
      .relationship(
        RelationshipDescription(
          name: "books", destinationEntityName: "Book", inverseName: "authors", maximumCount: 0)),
    ]),
  EntityDescription(
    name: "Work", isAbstract: true,
    properties: [.attribute(AttributeDescription(name: "year", type: .integer16, isOptional: true))]),
])

private func attribute(
  _ name: String, _ type: AttributeType = .string, isOptional: Bool = false, isTransient: Bool = false,
  defaultValue: AttributeValue? = nil, renamingIdentifier: String? = nil
) -> PropertyDescription {
  .attribute(
    AttributeDescription(
      name: name, type: type, isOptional: isOptional, isTransient: isTransient, defaultValue: defaultValue,
      renamingIdentifier: renamingIdentifier))
}

private func relationship(
  _ name: String, _ change: (inout RelationshipDescription) -> Void, in entity: EntityDescription
) -> PropertyDescription {
  for case .relationship(var relationship) in entity.properties where relationship.name == name {
    change(&relationship)
    return .relationship(relationship)
  }
  return .relationship(RelationshipDescription(name: name, destinationEntityName: ""))
}

private func book(
  _ property: String?, _ kind: ModelChange.Kind, _ migration: ModelChange.Migration = .lightweight
) -> ModelChange {
  ModelChange(entity: "Book", property: property, kind: kind, migration: migration)
}

private let cases: [ModelDifferenceTests.Case] = [
  .init(
    testDescription: "entity added", change: { $0.entities.append(EntityDescription(name: "Loan")) },
    expected: [ModelChange(entity: "Loan", kind: .entityAdded, migration: .lightweight)]),
  .init(
    testDescription: "entity removed",
    change: { model in
      model.entities.removeLast()
      model.entities[0].superentityName = nil
      model.entities[0].properties.append(attribute("year", .integer16, isOptional: true))
    },
    expected: [
      book(nil, .superentityChanged(from: "Work", to: nil)), book("year", .propertyMoved(from: "Work", to: "Book")),
      ModelChange(entity: "Work", kind: .entityRemoved, migration: .lightweight),
    ]),
  .init(
    testDescription: "entity renamed, and with it a destination",
    change: { model in
      model.entities[1].name = "Person"
      model.entities[1].renamingIdentifier = "Author"
      for index in [2, 3] {
        guard case .relationship(var relationship) = model.entities[0].properties[index] else { continue }
        relationship.destinationEntityName = "Person"
        model.entities[0].properties[index] = .relationship(relationship)
      }
    },
    expected: [
      book("authors", .destinationChanged(from: "Author", to: "Person")),
      book("editor", .destinationChanged(from: "Author", to: "Person")),
      ModelChange(entity: "Person", kind: .entityRenamed(from: "Author"), migration: .lightweight),
    ]),
  .init(
    testDescription: "superentity renamed",
    change: { model in
      model.entities[2].name = "Opus"
      model.entities[2].renamingIdentifier = "Work"
      model.entities[0].superentityName = "Opus"
    },
    expected: [ModelChange(entity: "Opus", kind: .entityRenamed(from: "Work"), migration: .lightweight)]),
  .init(
    testDescription: "optional attribute added",
    change: { $0.entities[0].properties.append(attribute("isbn", isOptional: true)) },
    expected: [book("isbn", .propertyAdded(.attribute))]),
  .init(
    testDescription: "mandatory attribute added without default",
    change: { $0.entities[0].properties.append(attribute("isbn")) },
    expected: [book("isbn", .propertyAdded(.attribute), .custom(.mandatoryWithoutDefault))]),
  .init(
    testDescription: "mandatory attribute added with default",
    change: { $0.entities[0].properties.append(attribute("isbn", defaultValue: .string(""))) },
    expected: [book("isbn", .propertyAdded(.attribute))]),
  .init(
    testDescription: "mandatory attribute added to a superentity: reported there only",
    change: { $0.entities[2].properties.append(attribute("language")) },
    expected: [
      ModelChange(
        entity: "Work", property: "language", kind: .propertyAdded(.attribute),
        migration: .custom(.mandatoryWithoutDefault))
    ]),
  .init(
    testDescription: "attribute of a superentity removed: reported there only",
    change: { $0.entities[2].properties = [] },
    expected: [
      ModelChange(
        entity: "Work", property: "year", kind: .propertyRemoved(.attribute), migration: .lightweight)
    ]),
  .init(
    testDescription: "mandatory relationship added",
    change: { model in
      model.entities[0].properties.append(
        .relationship(RelationshipDescription(name: "shelf", destinationEntityName: "Work", isOptional: false)))
    },
    expected: [book("shelf", .propertyAdded(.relationship), .custom(.mandatoryRelationship))]),
  .init(
    testDescription: "mandatory to-many relationship added: to none at first",
    change: { model in
      model.entities[0].properties.append(
        .relationship(
          RelationshipDescription(
            name: "shelves", destinationEntityName: "Work", isOptional: false, maximumCount: 0)))
    },
    expected: [book("shelves", .propertyAdded(.relationship))]),
  .init(
    testDescription: "mandatory to-many relationship added that may not be empty",
    change: { model in
      model.entities[0].properties.append(
        .relationship(
          RelationshipDescription(
            name: "shelves", destinationEntityName: "Work", isOptional: false, minimumCount: 1, maximumCount: 0)))
    },
    expected: [book("shelves", .propertyAdded(.relationship), .custom(.mandatoryRelationship))]),
  .init(
    testDescription: "optional to-one relationship made mandatory",
    change: { $0.entities[0].properties[3] = relationship("editor", { $0.isOptional = false }, in: $0.entities[0]) },
    expected: [book("editor", .optionalityChanged(isOptional: false), .custom(.mandatoryRelationship))]),
  .init(
    testDescription: "optional to-many relationship made mandatory",
    change: { $0.entities[0].properties[2] = relationship("authors", { $0.isOptional = false }, in: $0.entities[0]) },
    expected: [book("authors", .optionalityChanged(isOptional: false))]),
  .init(
    testDescription: "transient attribute added",
    change: { $0.entities[0].properties.append(attribute("isNew", isTransient: true)) },
    expected: [book("isNew", .propertyAdded(.attribute), .none)]),
  .init(
    testDescription: "attribute renamed",
    change: { $0.entities[0].properties[0] = attribute("name", renamingIdentifier: "title") },
    expected: [book("name", .propertyRenamed(from: "title"))]),
  .init(
    testDescription: "attribute renamed without identifier: removed and added",
    change: { $0.entities[0].properties[1] = attribute("length", .integer32, isOptional: true) },
    expected: [book("length", .propertyAdded(.attribute)), book("pages", .propertyRemoved(.attribute))]),
  .init(
    testDescription: "type changed", change: { $0.entities[0].properties[0] = attribute("title", .date) },
    expected: [book("title", .typeChanged(from: .string, to: .date), .custom(.typeChange))]),
  .init(
    testDescription: "number made another number",
    change: { $0.entities[0].properties[1] = attribute("pages", .decimal, isOptional: true) },
    expected: [book("pages", .typeChanged(from: .integer32, to: .decimal))]),
  .init(
    testDescription: "number made a text",
    change: { $0.entities[0].properties[1] = attribute("pages", .string, isOptional: true) },
    expected: [book("pages", .typeChanged(from: .integer32, to: .string), .custom(.typeChange))]),
  .init(
    testDescription: "number made a date",
    change: { $0.entities[0].properties[1] = attribute("pages", .date, isOptional: true) },
    expected: [book("pages", .typeChanged(from: .integer32, to: .date), .custom(.typeChange))]),
  .init(
    testDescription: "optional made mandatory without default",
    change: { $0.entities[0].properties[1] = attribute("pages", .integer32) },
    expected: [book("pages", .optionalityChanged(isOptional: false), .custom(.mandatoryWithoutDefault))]),
  .init(
    testDescription: "optional made mandatory with default",
    change: { $0.entities[0].properties[1] = attribute("pages", .integer32, defaultValue: .integer(0)) },
    expected: [
      book("pages", .optionalityChanged(isOptional: false)), book("pages", .defaultValueChanged, .none),
    ]),
  .init(
    testDescription: "mandatory made optional",
    change: { $0.entities[0].properties[0] = attribute("title", isOptional: true) },
    expected: [book("title", .optionalityChanged(isOptional: true))]),
  .init(
    testDescription: "stored made transient",
    change: { $0.entities[0].properties[0] = attribute("title", isTransient: true) },
    expected: [book("title", .transienceChanged(isTransient: true))]),
  .init(
    testDescription: "attribute becomes relationship",
    change: { model in
      model.entities[0].properties[0] = .relationship(
        RelationshipDescription(name: "title", destinationEntityName: "Author", isOptional: false))
    },
    expected: [
      book("title", .propertyKindChanged(from: .attribute, to: .relationship), .custom(.kindChange))
    ]),
  .init(
    testDescription: "to-one becomes to-many",
    change: { $0.entities[0].properties[3] = relationship("editor", { $0.maximumCount = 0 }, in: $0.entities[0]) },
    expected: [book("editor", .cardinalityChanged(isToMany: true))]),
  .init(
    testDescription: "to-many becomes to-one",
    change: { $0.entities[0].properties[2] = relationship("authors", { $0.maximumCount = 1 }, in: $0.entities[0]) },
    expected: [book("authors", .cardinalityChanged(isToMany: false), .custom(.toManyToOne))]),
  .init(
    testDescription: "to-many becomes ordered, with another delete rule",
    change: { model in
      model.entities[0].properties[2] = relationship(
        "authors",
        {
          $0.isOrdered = true
          $0.deleteRule = .cascade
        }, in: model.entities[0])
    },
    expected: [book("authors", .orderingChanged(isOrdered: true)), book("authors", .deleteRuleChanged, .none)]),
  .init(
    testDescription: "inverse renamed",
    change: { model in
      model.entities[0].properties[2] = relationship(
        "authors", { $0.inverseName = "works" }, in: model.entities[0])
      model.entities[1].properties[1] = relationship(
        "books",
        {
          $0.name = "works"
          $0.renamingIdentifier = "books"
        }, in: model.entities[1])
    },
    expected: [
      book("authors", .inverseChanged(from: "books", to: "works")),
      ModelChange(
        entity: "Author", property: "works", kind: .propertyRenamed(from: "books"), migration: .lightweight),
    ]),
  .init(
    testDescription: "inverse replaced by another relationship",
    change: { model in
      model.entities[0].properties[2] = relationship("authors", { $0.inverseName = "works" }, in: model.entities[0])
      model.entities[1].properties[1] = relationship("books", { $0.name = "works" }, in: model.entities[1])
    },
    expected: [
      book("authors", .inverseChanged(from: "books", to: "works")),
      ModelChange(
        entity: "Author", property: "works", kind: .propertyAdded(.relationship), migration: .lightweight),
      ModelChange(
        entity: "Author", property: "books", kind: .propertyRemoved(.relationship), migration: .lightweight),
    ]),
  .init(
    testDescription: "destination changed",
    change: { model in
      model.entities[0].properties[3] = relationship(
        "editor", { $0.destinationEntityName = "Work" }, in: model.entities[0])
    },
    expected: [book("editor", .destinationChanged(from: "Author", to: "Work"), .custom(.undocumented))]),
  .init(
    testDescription: "attribute moved up to the superentity",
    change: { model in
      let pages = model.entities[0].properties.remove(at: 1)
      model.entities[2].properties.append(pages)
    },
    expected: [
      book("pages", .propertyMoved(from: "Book", to: "Work")),
      ModelChange(
        entity: "Work", property: "pages", kind: .propertyAdded(.attribute), migration: .lightweight),
    ]),
  .init(
    testDescription: "mandatory attribute moved up to an abstract superentity whose only subentity had it",
    change: { model in
      let title = model.entities[0].properties.remove(at: 0)
      model.entities[2].properties.append(title)
    },
    expected: [
      book("title", .propertyMoved(from: "Book", to: "Work")),
      ModelChange(entity: "Work", property: "title", kind: .propertyAdded(.attribute), migration: .lightweight),
    ]),
  .init(
    testDescription: "entity put below one of another tree",
    change: { $0.entities[1].superentityName = "Work" },
    expected: [
      ModelChange(
        entity: "Author", kind: .superentityChanged(from: nil, to: "Work"),
        migration: .custom(.mergedHierarchies(with: "Work"))),
      ModelChange(entity: "Author", property: "year", kind: .propertyAdded(.attribute), migration: .lightweight),
    ]),
  .init(
    testDescription: "new superentity of one tree, and a new subentity",
    change: { model in
      model.entities.append(EntityDescription(name: "Thing", isAbstract: true))
      model.entities[2].superentityName = "Thing"
      model.entities.append(EntityDescription(name: "Novel", superentityName: "Book"))
    },
    expected: [
      ModelChange(entity: "Work", kind: .superentityChanged(from: nil, to: "Thing"), migration: .lightweight),
      ModelChange(entity: "Thing", kind: .entityAdded, migration: .lightweight),
      ModelChange(entity: "Novel", kind: .entityAdded, migration: .lightweight),
    ]),
  .init(
    testDescription: "new common superentity for entities of two trees",
    change: { model in
      model.entities.append(EntityDescription(name: "Thing", isAbstract: true))
      model.entities[1].superentityName = "Thing"
      model.entities[2].superentityName = "Thing"
    },
    expected: [
      ModelChange(
        entity: "Author", kind: .superentityChanged(from: nil, to: "Thing"),
        migration: .custom(.mergedHierarchies(with: "Work"))),
      ModelChange(
        entity: "Work", kind: .superentityChanged(from: nil, to: "Thing"),
        migration: .custom(.mergedHierarchies(with: "Author"))),
      ModelChange(entity: "Thing", kind: .entityAdded, migration: .lightweight),
    ]),
  .init(
    testDescription: "modifiers, constraints, flags, indexes",
    change: { model in
      model.entities[0].versionHashModifier = "2"
      model.entities[0].uniquenessConstraints = [["title"]]
      model.entities[0].fetchIndexes = [.init(name: "byTitle", elements: [.init(subject: .property("title"))])]
      model.entities[0].properties[0] = .attribute(
        AttributeDescription(
          name: "title", type: .string, preservesValueInHistoryOnDeletion: true, maximumValue: .integer(80),
          versionHashModifier: "x"))
    },
    expected: [
      book(nil, .versionHashModifierChanged), book(nil, .uniquenessConstraintsChanged),
      book(nil, .indexesChanged, .none), book("title", .versionHashModifierChanged),
      book("title", .preservationChanged(isPreserved: true)), book("title", .validationChanged, .none),
    ]),
  .init(
    testDescription: "abstract made concrete", change: { $0.entities[2].isAbstract = false },
    expected: [
      ModelChange(
        entity: "Work", kind: .abstractnessChanged(isAbstract: false), migration: .lightweight)
    ]),
  .init(
    testDescription: "concrete made abstract", change: { $0.entities[1].isAbstract = true },
    expected: [
      ModelChange(
        entity: "Author", kind: .abstractnessChanged(isAbstract: true), migration: .custom(.undocumented))
    ]),
]
