import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import SwiftData

@Suite(
  "Features of Core Data's models",
  .damagesStores("derived attributes with a filter, whose hash the checker does not compute"))
struct VocabularyTests {
  private let shelf: EntityDescription
  private let model: ModelDescription

  init() throws {
    model = try Schema(versionedSchema: Vocabulary.Version.self).lowered()
    shelf = try #require(model.entity(named: "Shelf"))
  }

  private func attribute(_ name: String) throws -> AttributeDescription {
    try #require(shelf.attributes.first { $0.name == name })
  }

  @Test("The entity has its class name, Spotlight name and user info of any kind") func entity() {
    #expect(shelf.className == "CDShelf")
    #expect(shelf.coreSpotlightDisplayName == "name")
    #expect(
      shelf.userInfo == [
        "sync": .string("yes"), "priority": .integer(3), "tags": .array([.string("a"), .boolean(true)]),
      ])
    #expect(shelf.relationships[0].userInfo == ["role": .string("owner")])
    #expect(shelf.relationships[0].isIndexedBySpotlight)
  }

  @Test("An attribute has its rules, in its own type") func rules() throws {
    let name = try attribute("name")
    #expect(name.minimumValue == .integer(1) && name.maximumValue == .integer(8))
    #expect(name.regularExpression == "[A-Z].*")
    #expect(name.userInfo == ["label": .string("Name")])
    #expect(try attribute("room").minimumValue == .integer(1))
    #expect(try attribute("width").minimumValue == .double(0.5))
    #expect(try attribute("price").maximumValue == .decimal(2))
    #expect(try attribute("built").minimumValue == .date(0))
    #expect(try attribute("contact").validationRules == [.init(predicate: "SELF CONTAINS '@'", message: "needs an @")])
  }

  @Test("VH-7 The model has a derivation's filter, and an attribute without type") func oddAttributes() throws {
    let derivation = try #require(try attribute("longBooks").derivation)
    #expect(derivation.filteringPredicate == "pages > 3")
    #expect(try attribute("scratch").type == .undefined)
    #expect(try attribute("scratch").isTransient)
  }

  @Test("CD-2.4 VH-8 A composite has exactly its declared elements, even if optional") func composite()
    throws
  {
    let place = try attribute("place")
    #expect(place.type == .composite && place.isOptional && place.compositeName == "PlaceType")
    #expect(place.elements.map(\.name) == ["city", "latitude", "inner"])
    #expect(place.elements.map(\.isOptional) == [false, true, true])
    #expect(place.elements[0].maximumValue == .integer(5))
    #expect(place.elements[0].userInfo == ["unit": .string("name")])
    #expect(place.elements[1].versionHashModifier == "2")
    #expect(place.elements[2].elements.map(\.name) == ["code"])
  }

  @Test("CD-4 Indexes have their names, orders, expressions and predicates") func indexes() throws {
    #expect(
      shelf.fetchIndexes == [
        FetchIndexDescription(
          name: "byName",
          elements: [
            .init(subject: .property("name"), isAscending: false), .init(subject: .property("room")),
          ], partialIndexPredicate: "room > 2"),
        FetchIndexDescription(name: "bySelf", elements: [.init(subject: .expression("self"))]),
        FetchIndexDescription(name: "SwiftDataIndexOnBinaryname", elements: [.init(subject: .property("name"))]),
      ])
    #expect(try attribute("name").isIndexed)
    let store = try TemporaryStore()
    _ = try ModelContainer(for: Vocabulary.Shelf.self, configurations: ModelConfiguration(url: store.url))
    let definitions = try store.indexDefinitions()
    #expect(
      definitions.contains(
        "CREATE INDEX Z_Shelf_byName ON ZSHELF (ZNAME COLLATE BINARY DESC, ZROOM COLLATE BINARY ASC) WHERE ZROOM > 2"))
    #expect(definitions.contains("CREATE INDEX Z_Shelf_bySelf ON ZSHELF (Z_PK COLLATE BINARY ASC)"))
  }

  @Test("Fetched properties, fetch requests and configurations are the model's") func requests() throws {
    let long = try #require(shelf.fetchedProperties.first { $0.name == "long" })
    #expect(long.isOptional && long.userInfo == ["k": .string("v")])
    #expect(long.fetchRequest.entityName == "Volume" && long.fetchRequest.fetchLimit == 2)
    #expect(long.fetchRequest.sortDescriptors == [.init(keyPath: "pages", isAscending: false)])
    #expect(shelf.fetchedProperties.first { $0.name == "own" }?.isOptional == false)
    #expect(model.fetchRequestTemplates.map(\.name) == ["thick"])
    #expect(model.fetchRequestTemplates[0].predicateFormat == "pages > $PAGES")
    #expect(
      model.configurations == [
        ConfigurationDescription(name: "Books", entityNames: ["Volume"], usedWithCloudKit: true)
      ])
  }

  @Test("A schema keeps all of it through its coded form") func coding() throws {
    let schema = Schema(versionedSchema: Vocabulary.Version.self)
    let coded = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    let lowered = try #require(try coded.lowered().entity(named: "Shelf"))
    #expect(lowered.fetchIndexes == shelf.fetchIndexes)
    #expect(lowered.userInfo == shelf.userInfo)
    #expect(lowered.fetchedProperties == shelf.fetchedProperties)
    #expect(try coded.lowered().configurations == model.configurations)
  }

  // MARK: At run time

  private func context() throws -> (ModelContext, TemporaryStore) {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: Schema(versionedSchema: Vocabulary.Version.self), configurations: ModelConfiguration(url: store.url))
    return (ModelContext(container), store)
  }

  @Test("A save reports all broken rules together, and saves nothing") func validation() throws {
    let (context, store) = try context()
    defer { withExtendedLifetime(store) {} }
    let shelf = Vocabulary.Shelf(name: "lower case and long", room: 100)
    shelf.width = 0.25
    shelf.price = 3
    shelf.built = Date(timeIntervalSinceReferenceDate: -1)
    shelf.contact = "nobody"
    shelf.place = Vocabulary.Place(city: "Ljubljana")
    context.insert(shelf)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    let problems = try #require(error).validationProblems
    #expect(error == SwiftDataError.modelValidationFailure)
    #expect(
      problems.map { "\($0.entityName).\($0.propertyName) \($0.problem)" } == [
        "Shelf.name has 19 characters; at most 8 are allowed", "Shelf.name does not match '[A-Z].*'",
        "Shelf.room is more than 99", "Shelf.width is less than 0.5", "Shelf.price is more than 2",
        "Shelf.built is less than 2001-01-01T00:00:00Z", "Shelf.contact needs an @",
        "Shelf.place has 'city', which has 9 characters; at most 5 are allowed",
      ])
    #expect(try context.fetchCount(FetchDescriptor<Vocabulary.Shelf>()) == 1)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Vocabulary.Shelf>()) == 0)
  }

  @Test("Values at the bounds, and nil, break no rule; only changed values are checked") func bounds()
    throws
  {
    let (context, store) = try context()
    defer { withExtendedLifetime(store) {} }
    let shelf = Vocabulary.Shelf(name: "Abcdefgh", room: 99)
    shelf.price = 2
    shelf.contact = "a@b"
    context.insert(shelf)
    try context.save()
    shelf.room = 1
    try context.save()
    shelf.room = 0
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.validationProblems.map(\.problem) == ["is less than 1"])
    #expect(error?.validationProblems.map(\.rule) == [.value])
    #expect(error?.explanation?.contains("Nothing was saved") == true)
  }

  @Test("A composite in a composite is stored flat and comes back") func nestedComposite() throws {
    let (context, store) = try context()
    let shelf = Vocabulary.Shelf(name: "A", room: 1)
    shelf.place = Vocabulary.Place(city: "Rome", latitude: 41.9, inner: Vocabulary.Inner(code: 7))
    context.insert(shelf)
    let other = Vocabulary.Shelf(name: "B", room: 1)
    other.place = Vocabulary.Place(city: "Oslo", latitude: nil, inner: nil)
    context.insert(other)
    context.insert(Vocabulary.Shelf(name: "C", room: 1))
    try context.save()
    let fresh = ModelContext(context.container)
    let shelves = try fresh.fetch(FetchDescriptor<Vocabulary.Shelf>(sortBy: [SortDescriptor(\.name)]))
    #expect(shelves.map(\.place) == [shelf.place, other.place, nil])
    withExtendedLifetime(store) {}
  }

  @Test("A fetched property fetches for its object, including unsaved objects") func fetchedProperties() throws {
    let (context, store) = try context()
    defer { withExtendedLifetime(store) {} }
    let shelf = Vocabulary.Shelf(name: "A", room: 10)
    context.insert(shelf)
    for (title, pages) in [("Alpha", 5), ("alto", 20), ("Arc", 30), ("beta", 40), ("Ark", 50)] {
      context.insert(Vocabulary.Volume(title: title, pages: pages, shelf: pages < 30 ? shelf : nil))
    }
    #expect(shelf.long.map(\.title) == ["Ark", "Arc"])
    try context.save()
    #expect(shelf.long.map(\.title) == ["Ark", "Arc"])
    #expect(Set(shelf.own.map(\.title)) == ["Alpha", "alto"])
    #expect(shelf.all.count == 5)
    #expect(Vocabulary.Shelf(name: "B", room: 1).all.isEmpty)
  }
}

extension TemporaryStore {
  /// The text of every index of the store.
  func indexDefinitions() throws -> [String] {
    let text = try Data(contentsOf: url)
    return String(decoding: text, as: UTF8.self).components(separatedBy: "CREATE ").map { part in
      "CREATE " + String(part.prefix { $0.isASCII && ($0.asciiValue ?? 0) >= 32 })
    }
  }
}
