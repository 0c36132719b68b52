import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import CoreDataModel

/// Where every attribute of the format lands in a description, so that nothing is lost unnoticed.
@Suite("The vocabulary of the format")
struct VocabularyTests {
  /// An XML attribute in its element, and the value in the description that it decides.
  struct Place: Sendable, CustomTestStringConvertible {
    let element: String
    let attribute: String
    let value: String
    /// The text of a model, with `@` where the attribute goes.
    let template: String
    let lands: @Sendable (ModelDescription) -> AnyHashable?
    let expected: @Sendable () -> AnyHashable?

    var testDescription: String { "\(element).\(attribute)" }

    func model(withAttribute: Bool) throws -> ModelDescription {
      let tag = withAttribute ? "\(attribute)=\"\(value)\"" : ""
      let text = template.replacingOccurrences(of: "@", with: tag)
      let document = element == "model" ? text : modelText(text)
      return try ModelParser.parse(Data(document.utf8), fileName: "contents").model
    }
  }

  @Test("Every attribute that is read decides a value of the description", arguments: places)
  func placement(_ place: Place) throws {
    #expect(place.lands(try place.model(withAttribute: true)) == place.expected())
    #expect(place.lands(try place.model(withAttribute: false)) != place.expected())
  }

  @Test("The table of places is complete")
  func complete() {
    let listed = Set(places.map(\.testDescription)).union(checkedOnly)
    let read = Set(Vocabulary.elements.flatMap { element, words in words.read.map { "\(element).\($0)" } })
    #expect(listed == read)
  }

  @Test("Every attribute that is ignored has a reason, and changes nothing", arguments: ignored)
  func ignoredAttributes(element: String, attribute: String, reason: String) throws {
    #expect(!reason.isEmpty)
    let place = try #require(places.first { $0.element == element }, "no template for \(element)")
    let plain = try place.model(withAttribute: true)
    let template = place.template.replacingOccurrences(of: "@", with: "@ \(attribute)=\"YES\"")
    let document = Place(
      element: element, attribute: place.attribute, value: place.value, template: template, lands: place.lands,
      expected: place.expected)
    #expect(try document.model(withAttribute: true) == plain)
  }

  @Test(
    "No element or attribute of a real model is outside the vocabulary",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
  func survey() throws {
    var words: Set<String> = []
    func collect(_ element: XMLElement) {
      words.insert(element.name)
      for attribute in element.attributeNames { words.insert("\(element.name).\(attribute)") }
      if Vocabulary.elements[element.name]?.isOpaque != true { element.children.forEach(collect) }
    }
    for model in FixtureModels.all { collect(try XMLReader.read(model.bytes)) }
    let known = Vocabulary.elements.flatMap { element, words in
      [element] + (words.read.union(words.ignored.keys)).map { "\(element).\($0)" }
    }
    #expect(words.subtracting(known).isEmpty)
    #expect(words.count >= 80)
  }
}

/// Read for a check of the document alone; `BadModelTests` has their diagnostics.
private let checkedOnly: Set<String> = ["model.type", "model.documentVersion"]

private let ignored = Vocabulary.elements.sorted { $0.key < $1.key }.flatMap { element, words in
  words.ignored.sorted { $0.key < $1.key }.map { (element, $0.key, $0.value) }
}

private func place<Value: Hashable & Sendable>(
  _ element: String, _ attribute: String, _ value: String, _ template: String, _ expected: Value,
  _ lands: @escaping @Sendable (ModelDescription) -> Value?
) -> VocabularyTests.Place {
  VocabularyTests.Place(
    element: element, attribute: attribute, value: value, template: template,
    lands: { model in lands(model).map { AnyHashable($0) } }, expected: { AnyHashable(expected) })
}

/// A place in the first entity.
private func inEntity<Value: Hashable & Sendable>(
  _ attribute: String, _ value: String, _ expected: Value, template: String = #"<entity name="E" @/>"#,
  _ lands: @escaping @Sendable (EntityDescription) -> Value?
) -> VocabularyTests.Place {
  place("entity", attribute, value, template, expected) { $0.entities.first.flatMap(lands) }
}

/// A place in the first attribute of the first entity.
private func inAttribute<Value: Hashable & Sendable>(
  _ attribute: String, _ value: String, _ expected: Value,
  tag: String = #"name="a" attributeType="String""#, after: String = "",
  _ lands: @escaping @Sendable (AttributeDescription) -> Value?
) -> VocabularyTests.Place {
  place(
    "attribute", attribute, value, "<entity name=\"E\"><attribute \(tag) @/></entity>\(after)", expected
  ) { $0.entities.first?.attributes.first.flatMap(lands) }
}

/// A place in the first relationship of the first entity.
private func inRelationship<Value: Hashable & Sendable>(
  _ attribute: String, _ value: String, _ expected: Value,
  tag: String = #"name="r" destinationEntity="E""#,
  _ lands: @escaping @Sendable (RelationshipDescription) -> Value?
) -> VocabularyTests.Place {
  place(
    "relationship", attribute, value, "<entity name=\"E\"><relationship \(tag) @/></entity>", expected
  ) { $0.entities.first?.relationships.first.flatMap(lands) }
}

/// A place in the first fetch request template.
private func inRequest<Value: Hashable & Sendable>(
  _ attribute: String, _ value: String, _ expected: Value, tag: String = #"name="f" entity="E""#,
  _ lands: @escaping @Sendable (FetchRequestDescription) -> Value?
) -> VocabularyTests.Place {
  place("fetchRequest", attribute, value, "<entity name=\"E\"/><fetchRequest \(tag) @/>", expected) {
    $0.fetchRequestTemplates.first.flatMap(lands)
  }
}

/// A place in the first element of the first fetch index.
private func inIndexElement<Value: Hashable & Sendable>(
  _ attribute: String, _ value: String, _ expected: Value, tag: String = #"property="a""#,
  _ lands: @escaping @Sendable (FetchIndexDescription.Element) -> Value?
) -> VocabularyTests.Place {
  place(
    "fetchIndexElement", attribute, value,
    """
    <entity name="E"><attribute name="a" attributeType="String"/>
    <fetchIndex name="i"><fetchIndexElement \(tag) @/></fetchIndex></entity>
    """, expected
  ) { $0.entities.first?.fetchIndexes.first?.elements.first.flatMap(lands) }
}

private let composite = #"<composite name="C"><attribute name="x" attributeType="String"/></composite>"#

private let places: [VocabularyTests.Place] = [
  place("model", "userDefinedModelVersionIdentifier", "v2", "<model @/>", ["v2"]) { $0.versionIdentifiers },
  place("model", "usedWithCloudKit", "YES", "<model @/>", true) { $0.usedWithCloudKit },

  inEntity("name", "E", "E", template: "<entity @/>") { $0.name },
  inEntity("representedClassName", ".Book", ".Book") { $0.className },
  inEntity("isAbstract", "YES", true) { $0.isAbstract },
  inEntity("parentEntity", "P", "P", template: #"<entity name="E" @/><entity name="P"/>"#) { $0.superentityName },
  inEntity("elementID", "Old", "Old") { $0.renamingIdentifier },
  inEntity("versionHashModifier", "2", "2") { $0.versionHashModifier },
  inEntity("codeGenerationType", "category", .category) { $0.codeGeneration },
  inEntity("coreSpotlightDisplayNameExpression", "title", "title") { $0.coreSpotlightDisplayName },

  inAttribute("name", "a", "a", tag: #"attributeType="String""#) { $0.name },
  inAttribute("attributeType", "UUID", .uuid, tag: #"name="a""#) { $0.type },
  inAttribute("optional", "YES", true) { $0.isOptional },
  inAttribute("transient", "YES", true) { $0.isTransient },
  inAttribute("customClassName", "[String]", "[String]") { $0.valueClassName },
  inAttribute("valueTransformerName", "T", "T") { $0.valueTransformerName },
  inAttribute("allowsExternalBinaryDataStorage", "YES", true) { $0.allowsExternalBinaryDataStorage },
  inAttribute("preserveAfterDeletion", "YES", true) { $0.preservesValueInHistoryOnDeletion },
  inAttribute("allowsCloudEncryption", "YES", true) { $0.allowsCloudEncryption },
  inAttribute("indexed", "YES", true) { $0.isIndexed },
  inAttribute("spotlightIndexingEnabled", "YES", true) { $0.isIndexedBySpotlight },
  inAttribute("storedInTruthFile", "YES", true) { $0.isStoredInExternalRecord },
  inAttribute("usesScalarValueType", "YES", true) { $0.usesScalarValueType },
  inAttribute("regularExpressionString", "a+", "a+") { $0.regularExpression },
  inAttribute("derived", "YES", "now()", tag: #"name="a" attributeType="Date" derivationExpression="now()""#) {
    $0.derivation?.expression
  },
  inAttribute("derivationExpression", "now()", "now()", tag: #"name="a" attributeType="Date" derived="YES""#) {
    $0.derivation?.expression
  },
  inAttribute("elementID", "old", "old") { $0.renamingIdentifier },
  inAttribute("versionHashModifier", "2", "2") { $0.versionHashModifier },
  inAttribute("composite", "C", ["C", "x"], tag: #"name="a" attributeType="Composite""#, after: composite) {
    [$0.compositeName].compactMap(\.self) + $0.elements.map(\.name)
  },
  inAttribute("defaultValueString", "x", .string("x")) { $0.defaultValue },
  inAttribute("minValueString", "1", .integer(1)) { $0.minimumValue },
  inAttribute("maxValueString", "9", .integer(9)) { $0.maximumValue },
  inAttribute("defaultDateTimeInterval", "5.5", .date(5.5), tag: #"name="a" attributeType="Date""#) {
    $0.defaultValue
  },
  inAttribute("minDateTimeInterval", "-5", .date(-5), tag: #"name="a" attributeType="Date""#) { $0.minimumValue },
  inAttribute("maxDateTimeInterval", "5", .date(5), tag: #"name="a" attributeType="Date""#) { $0.maximumValue },

  inRelationship("name", "r", "r", tag: #"destinationEntity="E""#) { $0.name },
  inRelationship("destinationEntity", "E", "E", tag: #"name="r""#) { $0.destinationEntityName },
  inRelationship("inverseName", "r", "r") { $0.inverseName },
  inRelationship("inverseEntity", "E", "E") { $0.inverseEntityName },
  inRelationship("optional", "YES", true) { $0.isOptional },
  inRelationship("transient", "YES", true) { $0.isTransient },
  inRelationship("toMany", "YES", 0) { $0.maximumCount },
  inRelationship("ordered", "YES", true) { $0.isOrdered },
  inRelationship("minCount", "1", 1) { $0.minimumCount },
  inRelationship("maxCount", "7", 7) { $0.maximumCount },
  inRelationship("deletionRule", "Deny", .deny) { $0.deleteRule },
  inRelationship("elementID", "old", "old") { $0.renamingIdentifier },
  inRelationship("versionHashModifier", "2", "2") { $0.versionHashModifier },
  inRelationship("spotlightIndexingEnabled", "YES", true) { $0.isIndexedBySpotlight },
  inRelationship("storedInTruthFile", "YES", true) { $0.isStoredInExternalRecord },

  place(
    "fetchedProperty", "name", "p",
    #"<entity name="E"><fetchedProperty @><fetchRequest name="f" entity="E"/></fetchedProperty></entity>"#,
    "p"
  ) { $0.entities.first?.fetchedProperties.first?.name },
  place(
    "fetchedProperty", "optional", "YES",
    #"<entity name="E"><fetchedProperty name="p" @><fetchRequest name="f" entity="E"/></fetchedProperty></entity>"#,
    true
  ) { $0.entities.first?.fetchedProperties.first?.isOptional },

  inRequest("name", "f", "f", tag: #"entity="E""#) { $0.name },
  inRequest("entity", "E", "E", tag: #"name="f""#) { $0.entityName },
  inRequest("predicateString", "a == 1", "a == 1") { $0.predicateFormat },
  inRequest("fetchLimit", "3", 3) { $0.fetchLimit },
  inRequest("fetchBatchSize", "20", 20) { $0.fetchBatchSize },
  inRequest("includeSubentities", "NO", false) { $0.includesSubentities },
  inRequest("includePropertyValues", "NO", false) { $0.includesPropertyValues },
  inRequest("includesPendingChanges", "NO", false) { $0.includesPendingChanges },
  inRequest("returnObjectsAsFaults", "NO", false) { $0.returnsObjectsAsFaults },
  inRequest("returnDistinctResults", "YES", true) { $0.returnsDistinctResults },
  inRequest("resultType", "2", 2) { $0.resultType },

  place(
    "fetchIndex", "name", "i",
    #"<entity name="E"><fetchIndex @><fetchIndexElement expression="self"/></fetchIndex></entity>"#, "i"
  ) { $0.entities.first?.fetchIndexes.first?.name },
  place(
    "fetchIndex", "partialIndexPredicate", "a = 1",
    #"<entity name="E"><fetchIndex name="i" @><fetchIndexElement expression="self"/></fetchIndex></entity>"#, "a = 1"
  ) { $0.entities.first?.fetchIndexes.first?.partialIndexPredicate },
  inIndexElement("property", "a", .property("a"), tag: "") { $0.subject },
  inIndexElement("expression", "entity", .expression("entity"), tag: "") { $0.subject },
  inIndexElement("type", "RTree", .rTree) { $0.kind },
  inIndexElement("order", "descending", false) { $0.isAscending },

  place(
    "constraint", "value", "a",
    """
    <entity name="E"><attribute name="a" attributeType="String"/><uniquenessConstraints><uniquenessConstraint>
    <constraint @/></uniquenessConstraint></uniquenessConstraints></entity>
    """, [["a"]]
  ) { $0.entities.first?.uniquenessConstraints },
  place(
    "index", "value", "a",
    """
    <entity name="E"><attribute name="a" attributeType="String"/><compoundIndexes><compoundIndex>
    <index @/></compoundIndex></compoundIndexes></entity>
    """, [["a"]]
  ) { $0.entities.first?.compoundIndexes },
  place("composite", "name", "C", "<composite @><attribute name=\"x\" attributeType=\"String\"/></composite>", "C") {
    $0.composites.first?.name
  },
  place("configuration", "name", "Local", "<configuration @/>", "Local") { $0.configurations.first?.name },
  place("configuration", "usedWithCloudKit", "YES", "<configuration name=\"Local\" @/>", true) {
    $0.configurations.first?.usedWithCloudKit
  },
  place(
    "memberEntity", "name", "E", "<entity name=\"E\"/><configuration name=\"c\"><memberEntity @/></configuration>",
    ["E"]
  ) { $0.configurations.first?.entityNames },
  place("entry", "key", "k", "<entity name=\"E\"><userInfo><entry @ value=\"v\"/></userInfo></entity>", ["k"]) {
    $0.entities.first?.userInfo.keys.sorted()
  },
  place("entry", "value", "v", "<entity name=\"E\"><userInfo><entry key=\"k\" @/></userInfo></entity>", .string("v")) {
    (model: ModelDescription) -> UserInfoValue? in model.entities.first?.userInfo["k"]
  },
]
