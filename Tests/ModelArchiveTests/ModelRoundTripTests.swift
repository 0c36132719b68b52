import ErrorReporting
import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelArchive
@testable import PropertyLists

@Suite("A model through its archive")
struct ModelRoundTripTests {
  @Test("VH-15: everything that an archive has a place for comes back")
  func everything() throws {
    #expect(library.validate() == [])
    let part = ModelArchive.archivablePart(of: library)
    for form in [ModelArchive.Form.compiledModel, .modelCache] {
      #expect(try ModelArchive.decode(ModelArchive.encode(library, as: form)) == part)
    }
    #expect(try ModelArchive.decodeModelCache(ModelArchive.encodeModelCache(library)) == part)
    #expect(try ModelArchive.omissions(from: library) == [])
  }

  @Test("What is no part of an archive is left out, and nothing else")
  func archivablePart() throws {
    let part = ModelArchive.archivablePart(of: library)
    for (before, after) in zip(library.entities, part.entities) {
      #expect(Set(before.properties) == Set(after.properties))
      var arranged = before
      arranged.properties = after.properties
      #expect(arranged == after)
    }
    var model = library
    model.usedWithCloudKit = true
    model.configurations[0].usedWithCloudKit = true
    model.composites = [CompositeDescription(name: "Place", elements: [])]
    model.entities.reverse()
    model.entities[1].codeGeneration = .category
    model.entities[1].properties = model.entities[1].properties.map { property in
      switch property {
      case .attribute(var attribute):
        attribute.usesScalarValueType = true
        if attribute.type == .composite { attribute.compositeName = "Place" }
        return .attribute(attribute)
      case .relationship, .fetchedProperty: return property
      }
    }
    #expect(model != library)
    #expect(ModelArchive.archivablePart(of: model) == part)
  }

  @Test("A compiled model's entities hold their own properties, a cache's inherited ones too")
  func forms() throws {
    for (form, count) in [(ModelArchive.Form.compiledModel, 1), (.modelCache, 21)] {
      let archive = try KeyedArchive(BinaryPropertyList(ModelArchive.encode(library, as: form)))
      let entities = try archive.rootObject().entries("NSEntities")
      let novel = try #require(entities.first { $0.key == "Novel" }).value
      #expect(try novel.entries("NSProperties").count == count)
    }
  }

  @Test("Equal models give equal bytes, and the order of entities does not matter")
  func determinism() throws {
    var turned = library
    turned.entities.reverse()
    #expect(try ModelArchive.encode(library) == ModelArchive.encode(turned))
    #expect(try ModelArchive.encodeModelCache(library) == ModelArchive.encodeModelCache(library))
  }

  @Test("An empty model has an archive too")
  func empty() throws {
    #expect(try ModelArchive.decode(ModelArchive.encode(ModelDescription())) == ModelDescription())
  }

  @Test("CD-1.4: the archive has a cache's classes, and inherited properties as copies")
  func shape() throws {
    let list = try BinaryPropertyList(ModelArchive.encode(library))
    let names = Set(list.objects.compactMap { if case .string(let text) = $0 { text } else { nil } })
    for name in ["NSKeyedArchiver", "NSManagedObjectModel", "NSKnownKeysDictionary1", "NSEntityDescription", "_P"] {
      #expect(names.contains(name))
    }
    let archive = try KeyedArchive(list)
    let entities = Dictionary(
      try archive.rootObject().entries("NSEntities").map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    let copied = try #require(entities["Novel"]).entries("NSProperties").first { $0.key == "title" }
    let copy = try #require(copied).value
    #expect(try copy.object("NSEntity")?.string("NSEntityName") == "Novel")
    #expect(try copy.integer("_P") == 961)
  }

  @Test(
    "VH-1…VH-9: the independent checker computes our hashes from what is written",
    .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
  func checker() throws {
    let folder = try TemporaryStore()
    let file = folder.folder.appendingPathComponent("library.mom")
    // The checker does not read filtering predicates from archives.
    var model = library
    for index in model.entities[1].properties.indices {
      guard case .attribute(var attribute) = model.entities[1].properties[index] else { continue }
      attribute.derivation?.filteringPredicate = nil
      model.entities[1].properties[index] = .attribute(attribute)
    }
    try ModelArchive.encode(model).write(to: file)
    #expect(try FixtureArchives.checkerHashes([file]) == [VersionHashes(model).hashes])
  }

  @Test("What is not hashed and has no known archived form is left out and said")
  func omissions() throws {
    var model = library
    let index = FetchIndexDescription(
      name: "partial", elements: [.init(subject: .property("name"))],
      partialIndexPredicate: "ANY name TOKENMATCHES \"a\"")
    let author = try #require(model.entities.firstIndex { $0.name == "Author" })
    model.entities[author].fetchIndexes = [index]
    model.fetchRequestTemplates.append(
      FetchRequestDescription(name: "odd", entityName: "Book", predicateFormat: "this is no predicate"))
    #expect(try ModelArchive.omissions(from: model).count == 2)
    let decoded = try ModelArchive.decode(ModelArchive.encode(model))
    #expect(decoded.entity(named: "Author")?.fetchIndexes == [])
    #expect(decoded.fetchRequestTemplates.map(\.name) == ["all"])
    #expect(try VersionHashes(decoded) == VersionHashes(model))
  }

  @Test("A derivation that cannot be archived is an error that names it")
  func unwritable() throws {
    let entity = EntityDescription(
      name: "Book",
      properties: [
        .attribute(
          AttributeDescription(name: "total", type: .integer64, derivation: .init(expression: "pages.@sum.length")))
      ])
    #expect {
      try ModelArchive.encode(ModelDescription(entities: [entity]))
    } throws: { error in
      "\(error)".contains("“Book”") && "\(error)".contains("“total”") && "\(error)".contains("pages.@sum.length")
    }
  }

  @Test("A SUBQUERY, whose archived form nobody has seen, is written nowhere and reported everywhere")
  func subquery() throws {
    let format = "SUBQUERY(pages, $page, $page.number > 3).@count > 0"
    func model(_ derivation: AttributeDescription.Derivation?) -> ModelDescription {
      var count = AttributeDescription(name: "count", type: .integer64, derivation: derivation)
      count.validationRules = [.init(predicate: format, message: nil)]
      let index = FetchIndexDescription(
        name: "partial", elements: [.init(subject: .property("count"))], partialIndexPredicate: format)
      return ModelDescription(
        entities: [EntityDescription(name: "Book", properties: [.attribute(count)], fetchIndexes: [index])],
        fetchRequestTemplates: [FetchRequestDescription(name: "thick", entityName: "Book", predicateFormat: format)])
    }
    let omissions = try ModelArchive.omissions(from: model(nil))
    #expect(
      omissions.count == 3 && omissions.allSatisfy { $0.contains("Book") || $0.contains("thick") }, "\(omissions)")
    let read = try ModelArchive.decode(ModelArchive.encode(model(nil)))
    #expect(read.fetchRequestTemplates.isEmpty && read.entities[0].fetchIndexes.isEmpty)
    for derivation in [
      AttributeDescription.Derivation(expression: "SUBQUERY(pages, $page, $page.number > 3).@count"),
      AttributeDescription.Derivation(expression: "pages.@count", filteringPredicate: format),
    ] {
      let error = #expect(throws: ModelArchiveError.self) { try ModelArchive.encode(model(derivation)) }
      #expect(error?.description.contains("SUBQUERY(pages") == true, "\(String(describing: error))")
      #expect(error?.description.contains("the archived form of") == true)
    }
  }

  @Test("An archive with a SUBQUERY is not called damaged, and what to do is said")
  func subqueryInArchive() throws {
    let model = ModelDescription(
      entities: [EntityDescription(name: "Book")],
      fetchRequestTemplates: [
        FetchRequestDescription(name: "thick", entityName: "Book", predicateFormat: "count:(pages) > 3")
      ])
    let data = try ModelArchive.encode(model)
    let name = try #require(data.range(of: Data("NSFunctionExpression".utf8)))
    // The two class names have the same length.
    var changed = data
    changed.replaceSubrange(name, with: Data("NSSubqueryExpression".utf8))
    let error = #expect(throws: ModelArchiveError.self) { try ModelArchive.decode(changed) }
    #expect(error?.problem.contains("is a SUBQUERY") == true && error?.problem.contains("damaged") == false)
    #expect(error?.remedy?.contains(".xcdatamodeld") == true)
  }
}

@Suite("Predicates between format and tree")
struct PredicateFormatTests {
  @Test(
    "A format that is read is written again as it was",
    arguments: [
      "name == \"a \\\"quoted\\\" \\\\ name\"", "oneToOne.name == $NAME OR string == $NEEDLE",
      "authorAlias == $FETCH_SOURCE.alias AND comment CONTAINS[cd] $FETCHED_PROPERTY.userInfo.search",
      "(NOT (a == 1 OR b != -2)) AND c <= 1.5", "ANY tags.name LIKE[c] \"x*\"", "ALL scores >= 0", "a IN $LIST",
      "date < CAST(12.5, \"NSDate\")", "a == nil", "true == true", "TRUEPREDICATE", "SELF MATCHES \"[a-z]+\"",
      "count:(pages) > 3", "(a + b) * 2 == c", "a BETWEEN {1, 2}", "FALSEPREDICATE",
    ])
  func roundTrip(_ format: String) {
    #expect(PredicateParser.predicate(format)?.format == format)
  }

  @Test(
    "A text constant keeps its characters, marks beside combining characters among them",
    arguments: ["\u{301}a", "a\"\u{301}b", "\u{600}\"", "\\\u{301}", "\r\n", "e\u{301}\u{200D}", "'\u{301}"])
  func constants(_ text: String) throws {
    let tree = PredicateTree.comparison(.keyPath(of: .evaluatedObject, "é"), .equal, .string(text), .direct, [])
    let read = try #require(PredicateParser.predicate(tree.format))
    #expect(read == tree && read.format.utf8.elementsEqual(tree.format.utf8))
  }

  @Test(
    "Other spellings mean the same",
    arguments: [
      ("a = 1 && (b <> 2)", "a == 1 AND b != 2"), ("!(a => 'x' || b =< 2)", "NOT (a >= \"x\" OR b <= 2)"),
      ("a contains[C] NULL", "a CONTAINS[c] nil"), ("SOME a.b beginswith YES", "ANY a.b BEGINSWITH true"),
    ])
  func spellings(_ text: String, _ format: String) {
    #expect(PredicateParser.predicate(text)?.format == format)
  }

  @Test(
    "What is no predicate is not taken for one",
    arguments: [
      "", "a", "a ==", "== a", "a == 1 b", "(a == 1", "a == 'x", "a ==[q] b", "%K == 1", "$ == 1", "a == 1 AND",
    ]
  )
  func foreignText(_ text: String) {
    #expect(PredicateParser.predicate(text) == nil)
  }

  @Test("Deep and long text ends in time", arguments: ["(", "NOT ", "{", "f(", "a == 1 AND (", "-", "((a) == "])
  func hostileText(_ piece: String) {
    #expect(PredicateParser.predicate(String(repeating: piece, count: 10_000)) == nil)
    #expect(PredicateParser.predicate(String(repeating: piece, count: 60)) == nil)
  }

  @Test("A long chain of operations is refused before it exhausts the stack", arguments: ["+", "-", "*", "/"])
  func longChain(_ operation: String) {
    func chain(_ first: String, _ count: Int) -> String { first + String(repeating: operation + "1", count: count) }
    func isParsed(_ text: String) -> Bool { PredicateParser.expression(text) != nil }
    #expect(isParsed(chain("a", 256)) && !isParsed(chain("a", 257)) && !isParsed(chain("a", 200_000)))
    // Operations within parentheses, arguments and subqueries count as well.
    #expect(isParsed(chain("(\(chain("a", 128)))", 128)) && !isParsed(chain("(\(chain("a", 128)))", 129)))
    #expect(!isParsed(chain("abs:(\(chain("a", 128)))", 128)) && isParsed(chain("abs:(\(chain("a", 128)))", 127)))
    let subquery = "SUBQUERY(b, $x, \(chain("a", 128)) == 1 OR c == 2).@count"
    #expect(!isParsed(chain(subquery, 128)) && isParsed(chain(subquery, 127)))
    // Many short chains do not.
    let conditions = Array(repeating: chain("a", 20) + " == 1", count: 200).joined(separator: " OR ")
    #expect(PredicateParser.predicate(conditions) != nil)
  }

  @Test(
    "Predicates go through the archive",
    arguments: [
      "a == 1 AND NOT (b != \"x\" OR c < 2.5)", "ANY a.b CONTAINS[cd] $X", "SELF MATCHES \"[0-9]+\"", "a LIKE \"b*\"",
      "a IN $LIST.values", "d >= CAST(5.0, \"NSDate\")", "a == nil", "TRUEPREDICATE", "uppercase:(a) == \"A\"",
      "a + 1 > b", "a BEGINSWITH \"b\"", "a ENDSWITH[cd] \"b\"", "a BETWEEN {1, 2}", "ANY a.b IN {\"x\", $Y}",
    ])
  func archive(_ format: String) throws {
    let tree = try #require(PredicateParser.predicate(format))
    var builder = KeyedArchiveBuilder()
    let added = builder.predicate(tree)
    let reference = try #require(added)
    let archive = try KeyedArchive(BinaryPropertyList(builder.finish(root: reference).encoded()))
    #expect(try PredicateReader().predicate(archive.rootObject()) == tree)
  }
}

private func attribute(
  _ name: String, _ type: AttributeType, _ change: (inout AttributeDescription) -> Void = { _ in }
) -> PropertyDescription {
  var attribute = AttributeDescription(name: name, type: type, isOptional: true)
  change(&attribute)
  return .attribute(attribute)
}

/// A model with everything that an archive can state; entities stand in order of their names.
private let library = ModelDescription(
  entities: [
    EntityDescription(
      name: "Author", className: "WriterObject", isAbstract: true,
      properties: [
        attribute("name", .string) {
          $0.isOptional = false
          $0.minimumValue = .integer(1)
          $0.maximumValue = .integer(80)
          $0.regularExpression = "[A-Z].*"
          $0.validationRules = [
            .init(predicate: "SELF CONTAINS \"a\"", message: "It must have an a."), .init(predicate: "length != 7"),
          ]
        },
        .relationship(
          RelationshipDescription(
            name: "books", destinationEntityName: "Book", inverseName: "author", inverseEntityName: "Book",
            isOptional: false, isOrdered: true, minimumCount: 1, maximumCount: 20, deleteRule: .cascade,
            renamingIdentifier: "works", versionHashModifier: "2", userInfo: ["key": .string("value")])),
        .relationship(
          RelationshipDescription(
            name: "friends", destinationEntityName: "Author", inverseName: "friends", inverseEntityName: "Author",
            maximumCount: 0, deleteRule: .deny, isIndexedBySpotlight: true, isStoredInExternalRecord: true)),
      ],
      uniquenessConstraints: [["name"]], renamingIdentifier: "Writer", versionHashModifier: "x",
      userInfo: [
        "array": .array([.integer(1), .boolean(true), .string("Ж")]), "date": .date(12.5), "data": .data(Data([1])),
        "real": .real(0.5), "dictionary": .dictionary(["a": .array([])]),
      ], coreSpotlightDisplayName: "name"),
    EntityDescription(
      name: "Book",
      properties: [
        attribute("title", .string) {
          $0.defaultValue = .string("$null")
          $0.regularExpression = "\\w+"
          $0.isOptional = false
          $0.isIndexed = true
          $0.isIndexedBySpotlight = true
          $0.isStoredInExternalRecord = true
        },
        attribute("pages", .integer16) {
          $0.defaultValue = .integer(-3)
          $0.minimumValue = .integer(0)
        },
        attribute("copies", .integer32) { $0.defaultValue = .integer(70_000) },
        attribute("serial", .integer64) { $0.defaultValue = .integer(.max) },
        attribute("price", .decimal) {
          $0.defaultValue = .decimal(Decimal(string: "-1234567890.0123") ?? 0)
          $0.maximumValue = .decimal(100)
        },
        attribute("weight", .double) { $0.defaultValue = .double(-0.25) },
        attribute("height", .float) {
          $0.maximumValue = .double(2.5)
          $0.defaultValue = .double(0.1)
        },
        attribute("lent", .boolean) { $0.defaultValue = .boolean(true) },
        attribute("due", .date) {
          $0.defaultValue = .date(-1.5)
          $0.minimumValue = .date(0)
        },
        attribute("cover", .binary) {
          $0.defaultValue = .binary(Data([1, 2, 3]))
          $0.allowsExternalBinaryDataStorage = true
          $0.preservesValueInHistoryOnDeletion = true
        },
        attribute("identifier", .uuid) {
          $0.defaultValue = .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
        },
        attribute("page", .uri) { $0.defaultValue = .uri("https://example.org/a?b") },
        attribute("tags", .transformable) {
          $0.valueClassName = "NSArray"
          $0.valueTransformerName = "NSSecureUnarchiveFromData"
          $0.allowsCloudEncryption = true
        },
        attribute("scratch", .undefined) { $0.isTransient = true },
        attribute("changed", .date) {
          $0.isReadOnly = true
          $0.derivation = .init(expression: "now()")
        },
        attribute("authorName", .string) {
          $0.isReadOnly = true
          $0.derivation = .init(expression: "author.name")
        },
        attribute("loanCount", .integer64) {
          $0.isReadOnly = true
          $0.derivation = .init(expression: "loans.@count", filteringPredicate: "lent == 1")
        },
        attribute("place", .composite) {
          $0.elements = [
            AttributeDescription(name: "shelf", type: .string, isOptional: true),
            AttributeDescription(name: "row", type: .integer16, defaultValue: .integer(1)),
            AttributeDescription(
              name: "room", type: .composite, elements: [AttributeDescription(name: "floor", type: .integer16)]),
          ]
        },
        .relationship(
          RelationshipDescription(
            name: "author", destinationEntityName: "Author", inverseName: "books", inverseEntityName: "Author")),
        .fetchedProperty(
          FetchedPropertyDescription(
            name: "similar",
            fetchRequest: FetchRequestDescription(
              name: "fetchedPropertyFetchRequest", entityName: "Book", predicateFormat: "title == $FETCH_SOURCE.title",
              sortDescriptors: [.init(keyPath: "title"), .init(keyPath: "pages", isAscending: false)]),
            userInfo: ["a": .string("b")])),
      ],
      uniquenessConstraints: [["serial"], ["title", "author"]],
      fetchIndexes: [
        FetchIndexDescription(
          name: "byTitle",
          elements: [
            .init(subject: .property("title"), isAscending: false), .init(subject: .expression("SELF")),
            .init(subject: .expression("entity")),
          ], partialIndexPredicate: "pages > 3"),
        FetchIndexDescription(name: "byPlace", elements: [.init(subject: .property("pages"), kind: .rTree)]),
      ], compoundIndexes: [["title", "pages"]]),
    EntityDescription(
      name: "Novel", superentityName: "Book",
      properties: [attribute("genre", .string) { $0.renamingIdentifier = "kind" }]),
  ],
  configurations: [ConfigurationDescription(name: "Cloud", entityNames: ["Author", "Book"])],
  fetchRequestTemplates: [
    FetchRequestDescription(
      name: "all", entityName: "Book", predicateFormat: "pages >= $MINIMUM", fetchLimit: 5, fetchBatchSize: 20,
      includesSubentities: false, includesPropertyValues: false, returnsObjectsAsFaults: false,
      returnsDistinctResults: true, resultType: 2)
  ],
  versionIdentifiers: ["1.0", "2.0"])
