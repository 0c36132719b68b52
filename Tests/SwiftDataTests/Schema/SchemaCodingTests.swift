import Foundation
import SwiftData
import TestSupport
import Testing

enum CodedGenre: String, Codable { case novel, poem }

struct CodedSize: Codable {
  var width = 1
  var height: Double?
}

enum CodedShape: Codable { case round(Int), flat }

@Model final class CodedBook {
  #Unique<CodedBook>([\.title, \.year])
  #Index<CodedBook>([\.year], [\.title, \.year])
  var title: String = "untitled"
  @Attribute(.unique) var code: String
  @Relationship(inverse: \CodedAuthor.books) var author: CodedAuthor?
  var year: Int? = 1900
  var genre: CodedGenre = CodedGenre.novel
  var secondGenre: CodedGenre?
  var size: CodedSize = CodedSize()
  var otherSize: CodedSize?
  var shape: CodedShape = CodedShape.flat
  var tags: [String] = []
  var numbers: Set<Int>?
  var counts: [String: Int] = [:]
  var distance: Double = Double.infinity
  var price: Decimal = Decimal(string: "12.345678901234567890") ?? 0
  @Attribute(.ephemeral) var mark: Int16 = 7

  init(code: String) { self.code = code }
}

@Model final class CodedAuthor {
  var name = ""
  var books: [CodedBook] = []

  init() {}
}

private enum Hidden {
  enum Kind: String, Codable { case one }

  struct Pair: Codable {
    var first = 1
    var second: String?
  }

  /// A class that the Swift runtime does not find by its name.
  @Model final class Thing {
    var kind: Kind = Kind.one
    var secondKind: Kind?
    var pair: Pair = Pair()
    var kinds: [Kind] = []
    var count: Int? = 3

    init() {}
  }
}

@Suite("A schema of classes in a file")
struct SchemaCodingTests {
  private let folder: TemporaryStore

  init() throws { folder = try TemporaryStore(name: "schema.json") }

  private func reloaded(_ schema: Schema) throws -> Schema {
    try schema.save(to: folder.url)
    return try Schema.load(from: folder.url)
  }

  @Test("A loaded schema of the program's own classes is equal to the saved one, and a container of it has objects")
  func ownClasses() throws {
    let schema = Schema([CodedBook.self], version: Schema.Version(3, 0, 0))
    let loaded = try reloaded(schema)
    #expect(loaded == schema && loaded.hashValue == schema.hashValue)
    let book = try #require(loaded.entitiesByName["CodedBook"])
    #expect(
      book.attributesByName["secondGenre"]?.isOptional == true && book.attributesByName["genre"]?.isOptional == false)
    #expect(book.attributesByName["tags"]?.valueType == [String].self)
    let size = try #require(book.attributesByName["size"] as? Schema.CompositeAttribute)
    #expect(size.properties.map(\.name) == ["width", "height"])
    let store = folder.folder.appending(path: "Coded.store")
    do {
      let context = ModelContext(
        try ModelContainer(for: loaded, configurations: ModelConfiguration(schema: loaded, url: store)))
      context.insert(CodedBook(code: "1"))
      try context.save()
      #expect(try context.fetch(FetchDescriptor<CodedBook>()).map(\.genre) == [.novel])
    }
    let again = try ModelContainer(
      for: CodedBook.self, CodedAuthor.self, configurations: ModelConfiguration(url: store))
    #expect(try ModelContext(again).fetchCount(FetchDescriptor<CodedBook>()) == 1)
  }

  @Test("A loaded schema of classes that are not found describes all their properties")
  func privateClasses() throws {
    let schema = Schema([Hidden.Thing.self])
    let loaded = try reloaded(schema)
    #expect(loaded == schema)
    let thing = try #require(loaded.entitiesByName["Thing"])
    #expect(thing.storedProperties.map(\.name) == ["kind", "secondKind", "pair", "kinds", "count"])
    let optional = thing.attributes.filter(\.isOptional).map(\.name).sorted()
    #expect(optional == ["count", "secondKind"])
    let pair = try #require(thing.attributesByName["pair"] as? Schema.CompositeAttribute)
    #expect(pair.properties.map(\.name) == ["first", "second"] && pair.properties.map(\.isOptional) == [false, true])
    #expect(thing.attributesByName["count"]?.defaultValue as? Int == 3)
    #expect(try reloaded(loaded) == schema)
  }

  @Test("Default values of columns, options and members of a description come back; a difference of members is seen")
  func descriptions() throws {
    let date = Date(timeIntervalSinceReferenceDate: 12.25)
    let defaults: [(String, any Any.Type, any Equatable & Sendable)] = [
      ("flag", Bool.self, true), ("small", Int8.self, Int8(-3)), ("large", UInt64.self, UInt64.max),
      ("ratio", Double.self, 0.1), ("endless", Double.self, -Double.infinity), ("half", Float.self, Float(0.5)),
      ("text", String.self, "é\n"), ("day", Date.self, date), ("bytes", Data.self, Data([0, 255])),
      ("price", Decimal.self, try #require(Decimal(string: "0.123456789012345678"))),
      ("place", URL.self, try #require(URL(string: "https://example.org/a%20b"))),
      ("mark", UUID.self, try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))),
    ]
    let entity = Schema.Entity("Things")
    entity.storedProperties = defaults.map { Schema.Attribute(name: $0.0, valueType: $0.1, defaultValue: $0.2) }
    let composite = Schema.CompositeAttribute(name: "pair", valueType: CodedSize?.self, hashModifier: "2")
    composite.properties = [Schema.Attribute(name: "width", options: [.minimum(1)], valueType: Int.self)]
    entity.storedProperties.append(composite)
    let required = Schema.Attribute(name: "stated", valueType: String?.self)
    required.isOptional = false
    entity.storedProperties.append(required)
    let schema = Schema(entity)
    let loaded = try reloaded(schema)
    #expect(loaded == schema)
    let things = try #require(loaded.entitiesByName["Things"])
    func isEqual<Value: Equatable>(_ value: Value, _ other: Any?) -> Bool { other as? Value == value }
    for (name, _, value) in defaults {
      let isKept = isEqual(value, things.attributesByName[name]?.defaultValue)
      #expect(isKept, "\(name)")
    }
    #expect(things.attributesByName["stated"]?.isOptional == false)
    let pair = try #require(things.attributesByName["pair"] as? Schema.CompositeAttribute)
    #expect(pair == composite && pair.isOptional)
    pair.properties[0].hashModifier = "1"
    #expect(pair != composite && loaded != schema)
  }

  @Test("A file of an earlier version is read: types by name alone, no default values")
  func earlierFile() throws {
    let text = """
      {"encodingVersion": {"major": 1, "minor": 0, "patch": 0}, "version": {"major": 2, "minor": 0, "patch": 0},
       "entities": [{"name": "Note", "relationships": [], "uniquenessConstraints": [], "indices": [], "isAbstract": false,
         "userInfo": {}, "fetchedProperties": [], "attributes": [
           {"name": "text", "originalName": "text", "options": [], "valueType": "Swift.Optional<Swift.String>"},
           {"name": "kind", "originalName": "kind", "options": [], "valueType": "Notes.Kind"}]}]}
      """
    try Data(text.utf8).write(to: folder.url)
    let note = try #require(Schema.load(from: folder.url).entitiesByName["Note"])
    #expect(note.attributesByName["text"]?.isOptional == true && note.attributesByName["kind"]?.isOptional == false)
    #expect(note.storedProperties.map(\.name) == ["text", "kind"])
  }

  @Test("A file without a coded schema is named")
  func otherFile() throws {
    for text in ["", "[1]", #"{"version": {"major": 1, "minor": 0, "patch": 0}}"#] {
      try Data(text.utf8).write(to: folder.url)
      let error = #expect(throws: SwiftDataError.unsupportedSchema) { try Schema.load(from: folder.url) }
      #expect(error?.explanation?.contains(folder.url.path) == true && error?.underlyingError is DecodingError)
    }
  }
}

@Suite("Settable parts of a schema, and their texts")
struct SchemaPartsTests {
  @Test("Constraints and indexes have key paths, also after coding")
  func constraints() throws {
    let unique = Schema.Unique<CodedBook>([\.title, \.year], [\.code])
    #expect(unique.constraints == [[\CodedBook.title, \CodedBook.year], [\CodedBook.code]])
    let decoded = try JSONDecoder().decode(Schema.Unique<CodedBook>.self, from: JSONEncoder().encode(unique))
    #expect(decoded == unique && decoded.hashValue == unique.hashValue && decoded.constraints == unique.constraints)
    #expect(
      decoded != Schema.Unique<CodedBook>([\.title]) && "\(unique.debugDescription)" == "Unique(title, year; code)")
    let index = Schema.Index<CodedBook>(
      .binary([\.year]), .rtree([\.distance]), .named("byTitle", [.descending(\.title)], where: "year > 1"))
    let same = try JSONDecoder().decode(Schema.Index<CodedBook>.self, from: JSONEncoder().encode(index))
    #expect(same == index && same.hashValue == index.hashValue && same.indices == index.indices)
    #expect(index.debugDescription == "Index(year; rtree distance; byTitle: title)")
    #expect(Schema.Index<CodedBook>([\.year]).indices == [.binary([\CodedBook.year])])
    let element = Schema.Unique<CodedBook>([\.size.width])
    let members = try JSONDecoder().decode(Schema.Unique<CodedBook>.self, from: JSONEncoder().encode(element))
    #expect(members == element && members.constraints.isEmpty)
  }

  @Test("An entity's attributes and relationships are replaced, inherited ones stay")
  func entity() throws {
    func attribute(_ name: String) -> Schema.Attribute { Schema.Attribute(name: name, valueType: Int.self) }
    let link = Schema.Relationship()
    link.name = "link"
    let base = Schema.Entity("Base", properties: attribute("inherited"))
    let entity = Schema.Entity("Entity", properties: attribute("b"), link, attribute("c"))
    base.subentities = [entity]
    let (c, d, a) = (attribute("c"), attribute("d"), attribute("a"))
    entity.attributes = [attribute("inherited"), d, c, a]
    #expect(entity.storedProperties.map(\.name) == ["link", "c", "a", "d"])
    #expect(entity.attributesByName["c"] === c && entity.attributes.count == 4)
    entity.attributesByName = ["c": c]
    entity.relationships = []
    #expect(entity.properties.map(\.name) == ["inherited", "c"])
    entity.relationshipsByName = ["link": link]
    entity.storedPropertiesByName["z"] = attribute("z")
    #expect(entity.storedProperties.map(\.name) == ["c", "link", "z"])
    entity.inheritedProperties = []
    #expect(entity.inheritedProperties.map(\.name) == ["inherited"])
    base.subentities = []
    entity.inheritedPropertiesByName = ["y": attribute("y"), "x": attribute("x")]
    #expect(entity.inheritedProperties.map(\.name) == ["x", "y"] && entity.properties.count == 5)
  }

  @Test("An assigned optionality is part of an attribute")
  func optionality() {
    let attribute = Schema.Attribute(name: "a", valueType: Int.self)
    let other = Schema.Attribute(name: "a", valueType: Int.self)
    #expect(!attribute.isOptional && attribute == other)
    attribute.isOptional = true
    #expect(attribute.isOptional && attribute != other)
    #expect(attribute.debugDescription == "a: Swift.Int optional")
  }

  @Test("Attributes, relationships and options have texts for debugging")
  func texts() throws {
    let book = try #require(Schema([CodedBook.self]).entitiesByName["CodedBook"])
    #expect(book.attributesByName["code"]?.debugDescription == "code: Swift.String .unique")
    #expect(
      book.relationshipsByName["author"]?.debugDescription
        == "author: CodedAuthor? inverse books delete rule nullify")
    #expect(book.attributesByName["size"]?.debugDescription.hasSuffix("height: Swift.Optional<Swift.Double> }") == true)
    #expect(Schema.Attribute.Option.externalStorage.debugDescription == ".externalStorage")
    #expect(Schema.Relationship.Option.unique.debugDescription == ".unique")
  }

  @Test("Stores are found by the names of configurations, and the other way around")
  func identifiers() throws {
    let store = try TemporaryStore()
    let configuration = ModelConfiguration("Library", url: store.url)
    let container = try ModelContainer(for: CodedBook.self, configurations: configuration)
    let context = ModelContext(container)
    let book = CodedBook(code: "1")
    context.insert(book)
    try context.save()
    let identifier = try #require(container.storeIdentifier(forConfigurationNamed: "Library"))
    #expect(book.persistentModelID.storeIdentifier == identifier)
    #expect(container.configurationName(forStoreIdentifier: identifier) == "Library")
    #expect(container.storeIdentifier(forConfigurationNamed: "Other") == nil)
    #expect(container.configurationName(forStoreIdentifier: "Other") == nil)
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(transactions.map(\.token.storeIdentifier) == [identifier])
    let token: any HistoryToken = try #require(transactions.first).token
    #expect(token.storeIdentifier == identifier)
    let result = DataStoreSaveChangesResult<DefaultSnapshot>(for: identifier, historyToken: token)
    #expect(result.historyToken?.storeIdentifier == identifier && result.remappedIdentifiers.isEmpty)
    #expect(DataStoreSaveChangesResult<DefaultSnapshot>(for: identifier).historyToken == nil)
    #expect(container.configurations == [configuration])
    container.configurations = []
    #expect(container.configurations.isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<CodedBook>()) == 1)
  }

  @Test("A section is found by its title")
  func sections() throws {
    let container = try ModelContainer(
      for: CodedAuthor.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for name in ["b", "a", "b", "c"] {
      let author = CodedAuthor()
      author.name = name
      context.insert(author)
    }
    try context.save()
    let observer = try ResultsObserver<CodedAuthor, String>(sectionBy: \.name, modelContext: context)
    let sections = try #require(observer.sections)
    #expect(sections.sectionTitles == ["a", "b", "c"] && sections.index(ofSectionTitled: "b") == 1)
    #expect(sections.index(ofSectionTitled: "x") == nil)
    #expect(sections.contains(sectionTitle: "c") && !sections.contains(sectionTitle: "x"))
  }
}
