import Foundation
import ManagedModel
import Testing

@testable import ModelGenerator

@Suite("Translation")
struct TranslationTests {
  struct Line: CustomTestStringConvertible, Sendable {
    let attribute: AttributeDescription
    let text: String
    var testDescription: String { text }

    init(_ text: String, _ attribute: AttributeDescription) {
      self.text = text
      self.attribute = attribute
    }
  }

  static let attributes: [Line] = [
    Line("var x: Int16\n", .init(name: "x", type: .integer16)),
    Line("var x: Int32?\n", .init(name: "x", type: .integer32, isOptional: true)),
    Line("var x: Int64 = -1_234_567\n", .init(name: "x", type: .integer64, defaultValue: .integer(-1_234_567))),
    Line("var x: Double? = 0.5\n", .init(name: "x", type: .double, isOptional: true, defaultValue: .double(0.5))),
    Line("var x: Float = 1.0\n", .init(name: "x", type: .float, defaultValue: .integer(1))),
    Line("var x: Bool = true\n", .init(name: "x", type: .boolean, defaultValue: .boolean(true))),
    Line(#"var x: String = "a\"\\b""#, .init(name: "x", type: .string, defaultValue: .string("a\"\\b"))),
    Line(
      "var x: Decimal = Decimal(sign: .minus, exponent: -2, significand: 995)\n",
      .init(
        name: "x", type: .decimal, defaultValue: .decimal(Decimal(sign: .minus, exponent: -2, significand: 995)))),
    Line("var x: Decimal = 12\n", .init(name: "x", type: .decimal, defaultValue: .decimal(Decimal(12)))),
    Line(
      "var x: Date = Date(timeIntervalSinceReferenceDate: 1.5)\n",
      .init(name: "x", type: .date, defaultValue: .date(1.5))),
    Line("var x: UUID\n", .init(name: "x", type: .uuid)),
    Line("var x: URL?\n", .init(name: "x", type: .uri, isOptional: true)),
    Line(
      "var x: Data = Data([0x01, 0xFF])\n",
      .init(name: "x", type: .binary, defaultValue: .binary(Data([1, 255])))),
    Line(
      "@Attribute(.externalStorage, .preserveValueOnDeletion, .allowsCloudEncryption) var x: Data\n",
      .init(
        name: "x", type: .binary, allowsExternalBinaryDataStorage: true, preservesValueInHistoryOnDeletion: true,
        allowsCloudEncryption: true)),
    Line(
      "@Attribute(.spotlight, originalName: \"y\", hashModifier: \"2\") var x: String\n",
      .init(
        name: "x", type: .string, isIndexedBySpotlight: true, renamingIdentifier: "y", versionHashModifier: "2")),
    Line(
      "@Attribute(.ephemeral) var x: Bool?\n",
      .init(name: "x", type: .boolean, isOptional: true, isTransient: true)),
    Line("@Attribute(.ephemeral, .untyped) var x: Any?\n", .init(name: "x", type: .undefined, isTransient: true)),
    Line("@Attribute(.untyped) var x: Data\n", .init(name: "x", type: .undefined)),
    Line("@Attribute(.objectIdentifier) var x: Data?\n", .init(name: "x", type: .objectID, isOptional: true)),
    Line("@Attribute(.transformable) var x: Data\n", .init(name: "x", type: .transformable)),
    Line(
      "@Attribute(.transformable(by: \"ColorTransformer\"), .valueClass(\"UIColor\")) var x: Data\n",
      .init(
        name: "x", type: .transformable, valueClassName: "UIColor", valueTransformerName: "ColorTransformer")),
    Line(
      "@Attribute(.transformable(by: \"NSSecureUnarchiveFromData\"), .valueClass(\"[Int64]\")) var x: [Int64]?\n",
      .init(
        name: "x", type: .transformable, isOptional: true, valueClassName: "[Int64]",
        valueTransformerName: "NSSecureUnarchiveFromData")),
    Line(
      "@Attribute(.derived(\"title.length\")) var x: Int64 = 0\n",
      .init(name: "x", type: .integer64, isReadOnly: true, derivation: .init(expression: "title.length"))),
    Line(
      "var x: [String]\n",
      .init(
        name: "x", type: .transformable, valueClassName: "Array<String>",
        valueTransformerName: "NSSecureUnarchiveFromData")),
    Line(
      "@Attribute(.transformable, .valueClass(\"Set<UUID>\")) var x: Set<UUID>\n",
      .init(name: "x", type: .transformable, valueClassName: "Set<UUID>")),
    Line(
      "@Attribute(.derived(\"books.@count\", where: \"pages > 3\")) var x: Int64 = 0\n",
      .init(
        name: "x", type: .integer64, isReadOnly: true,
        derivation: .init(expression: "books.@count", filteringPredicate: "pages > 3"))),
    Line(
      "@Attribute(.minimum(-1), .maximum(2)) var x: Int16\n",
      .init(name: "x", type: .integer16, minimumValue: .integer(-1), maximumValue: .integer(2))),
    Line(
      "@Attribute(.minimum(0.5)) var x: Double\n", .init(name: "x", type: .double, minimumValue: .double(0.5))),
    Line(
      "@Attribute(.length(5...), .length(...2)) var x: String\n",
      .init(name: "x", type: .string, minimumValue: .integer(5), maximumValue: .integer(2))),
    Line(
      "@Attribute(.length(-3...(-1))) var x: String\n",
      .init(name: "x", type: .string, minimumValue: .integer(-3), maximumValue: .integer(-1))),
    Line(
      "@Attribute(.rule(\"SELF > 3\", message: \"too small\"), .externalRecord) var x: Int32\n",
      .init(
        name: "x", type: .integer32, isStoredInExternalRecord: true,
        validationRules: [.init(predicate: "SELF > 3", message: "too small")])),
    Line(
      "@Attribute(.userInfo([\"a\": 1, \"b\": [true, 2.5, \"c\"]])) var x: Bool\n",
      .init(
        name: "x", type: .boolean,
        userInfo: ["b": .array([.boolean(true), .real(2.5), .string("c")]), "a": .integer(1)])),
    Line(
      "@Attribute(.length(1...80), .matches(\"a+\")) var x: String\n",
      .init(
        name: "x", type: .string, minimumValue: .integer(1), maximumValue: .integer(80), regularExpression: "a+")),
    Line(
      "// Not expressed: the pattern “[a-z”, which is no regular expression.\n    @Attribute(.length(2...)) var x: String\n",
      .init(name: "x", type: .string, minimumValue: .integer(2), regularExpression: "[a-z")),
    Line(
      "// Not expressed: the validation rule “SELF >”, which is no predicate.\n    "
        + "@Attribute(.rule(\"SELF > 3\")) var x: Int32\n",
      .init(
        name: "x", type: .integer32, validationRules: [.init(predicate: "SELF >"), .init(predicate: "SELF > 3")])),
    Line(
      "// Not expressed: the default value, which does not fit its type.\n    var x: Int16\n",
      .init(name: "x", type: .integer16, defaultValue: .integer(40_000))),
  ]

  @Test("An attribute keeps its type, optionality, default and options", arguments: attributes)
  func attribute(line: Line) throws {
    let text = try ModelGenerator().schema(EntityDescription(name: "Book", properties: [.attribute(line.attribute)]))
    #expect(text.contains("    \(line.text)"), "\(text)")
  }

  @Test("An inverse stands on one side: the to-many one, or else the one that cascades") func inverses() throws {
    let text = try ModelGenerator().schema(
      EntityDescription(
        name: "Book",
        properties: [
          .relationship(toMany("chapters", "Chapter", inverse: "book")),
          .relationship(toOne("cover", "Cover", inverse: "book")),
          .relationship(toMany("tags", "Tag", inverse: "books")),
        ]),
      EntityDescription(name: "Chapter", properties: [.relationship(toOne("book", "Book", inverse: "chapters"))]),
      EntityDescription(
        name: "Cover", properties: [.relationship(toOne("book", "Book", inverse: "cover", .cascade))]),
      EntityDescription(name: "Tag", properties: [.relationship(toMany("books", "Book", inverse: "tags"))]))
    #expect(text.contains("@Relationship(inverse: \\Chapter.book) var chapters: [Chapter]? = []"))
    #expect(text.contains("@Relationship(deleteRule: .cascade, inverse: \\Book.cover) var book: Book?"))
    #expect(text.contains("@Relationship(inverse: \\Tag.books) var tags: [Tag]? = []"))
    #expect(text.components(separatedBy: "inverse:").count == 4)
  }

  @Test("Own inverses and missing ones that would be inferred are said; others go without saying")
  func lonelyRelationships() throws {
    let text = try ModelGenerator().schema(
      EntityDescription(
        name: "Person",
        properties: [
          .relationship(toMany("friends", "Person", inverse: "friends")), .relationship(toOne("boss", "Person")),
          .relationship(toMany("staff", "Person")), .relationship(toOne("desk", "Desk")),
        ]),
      EntityDescription(name: "Desk"))
    #expect(text.contains("@Relationship(.selfInverse) var friends: [Person]? = []"))
    #expect(text.contains("@Relationship(.noInverse) var boss: Person?"))
    #expect(text.contains("@Relationship(.noInverse) var staff: [Person]? = []"))
    #expect(text.contains("    var desk: Desk?"))
  }

  @Test("VH-6 The optional flag, order and counts of a relationship are in its declaration") func counts() throws {
    var required = toMany("required", "Book")
    required.isOptional = false
    required.isOrdered = true
    required.minimumCount = 2
    required.maximumCount = 9
    var one = toOne("one", "Book")
    one.isOptional = false
    one.minimumCount = 1
    let text = try ModelGenerator().schema(
      EntityDescription(name: "Book"),
      EntityDescription(name: "Shelf", properties: [.relationship(required), .relationship(one)]))
    #expect(
      text.contains(
        "@Relationship(.ordered, minimumModelCount: 2, maximumModelCount: 9) var required: [Book] = []"))
    #expect(text.contains("@Relationship(minimumModelCount: 1) var one: Book\n"))
    #expect(text.contains("init(one: Book) {"))
  }

  @Test("Of two classes that require each other, one is made without the other")
  func circle() throws {
    func required(_ name: String, _ destination: String, inverse: String) -> PropertyDescription {
      var relationship = toOne(name, destination, inverse: inverse)
      relationship.isOptional = false
      return .relationship(relationship)
    }
    let text = try ModelGenerator().schema(
      EntityDescription(name: "Subscription", properties: [required("alert", "Alert", inverse: "subscription")]),
      EntityDescription(name: "Alert", properties: [required("subscription", "Subscription", inverse: "alert")]),
      EntityDescription(
        name: "Node",
        properties: [required("next", "Node", inverse: "last"), required("last", "Node", inverse: "next")]
      ))
    #expect(text.contains("init(alert: Alert) {"))
    #expect(text.components(separatedBy: "init() {\n").count == 3, "\(text)")
    #expect(text.contains("var subscription: Subscription\n") && text.contains("var next: Node\n"))
  }

  @Test("The path to an element of an optional composite unwraps it")
  func optionalComposite() throws {
    let place = AttributeDescription(
      name: "place", type: .composite, isOptional: true, compositeName: "Place",
      elements: [AttributeDescription(name: "latitude", type: .double)])
    let text = try ModelGenerator().schema(
      EntityDescription(
        name: "Stop", properties: [.attribute(place)], uniquenessConstraints: [["place.latitude"]],
        fetchIndexes: [.init(name: "here", elements: [.init(subject: .property("place.latitude"))])]))
    #expect(text.contains("#Unique<Stop>([\\.place?.latitude])"), "\(text)")
    #expect(text.contains(".ascending(\\.place?.latitude)"), "\(text)")
  }

  @Test("VH-3 Every uniqueness constraint is kept: on the property, or in #Unique") func uniqueness() throws {
    let text = try ModelGenerator().schema(
      EntityDescription(
        name: "Item", properties: [.attribute(AttributeDescription(name: "code", type: .string))],
        uniquenessConstraints: [["code"]]),
      EntityDescription(
        name: "Book", superentityName: "Item",
        properties: [
          .attribute(AttributeDescription(name: "isbn", type: .string)), .relationship(toOne("shelf", "Item")),
        ],
        uniquenessConstraints: [["isbn"], ["isbn", "shelf"], ["code"], ["shelf"]]))
    #expect(text.contains("    @Attribute(.unique) var code: String"))
    #expect(text.contains("    @Attribute(.unique) var isbn: String"))
    #expect(text.contains("    @Relationship(.unique) var shelf: Item?"))
    #expect(text.contains("    #Unique<Book>([\\.isbn, \\.shelf], [\\.code])\n"))
  }

  @Test("Indexes of all three ages become #Index, those of before 2017 under the names that Core Data gives them")
  func indexes() throws {
    let place = EntityDescription(
      name: "Place",
      properties: ["a", "b"].map { .attribute(AttributeDescription(name: $0, type: .double, isIndexed: $0 == "a")) },
      fetchIndexes: [
        .init(name: "byA", elements: [.init(subject: .property("a"))]),
        .init(name: "area", elements: ["a", "b"].map { .init(subject: .property($0), kind: .rTree) }),
        .init(
          name: "odd",
          elements: [
            .init(subject: .expression("self")), .init(subject: .property("b"), isAscending: false),
          ], partialIndexPredicate: "a > 0"),
      ],
      compoundIndexes: [["b", "a"]])
    let text = try ModelGenerator().schema(place)
    #expect(
      text.contains(
        """
            #Index<Place>(
              .named("byA", [.ascending(\\.a)]),
              .named("area", [.region(\\.a), .region(\\.b)]),
              .named("odd", [.expression("self"), .descending(\\.b)], where: "a > 0"),
              .named("b_a", [.ascending(\\.b), .ascending(\\.a)])
            )
        """), "\(text)")
    let apple = try ModelGenerator(options: .init(dialect: .apple)).schema(place)
    #expect(apple.contains("#Index<Place>(.binary([\\.a]), .rtree([\\.a, \\.b]), .binary([\\.b, \\.a]))"))
    #expect(apple.contains("// Not expressed: the index “odd”, which indexes an expression."))
    #expect(apple.contains("// Not expressed: the names of its indexes: “byA”, “area”, “odd” (descending)."))
  }

  @Test("An index that no store can have is left out, and noted") func impossibleIndexes() throws {
    let text = try ModelGenerator().schema(
      EntityDescription(
        name: "Place", properties: [.attribute(AttributeDescription(name: "a", type: .string))],
        fetchIndexes: [
          .init(name: "upper", elements: [.init(subject: .expression("uppercase:(a)"))]),
          .init(name: "part", elements: [.init(subject: .property("a"))], partialIndexPredicate: "a = = 3"),
          .init(name: "byA", elements: [.init(subject: .expression("a"))]),
        ]))
    #expect(
      text.contains("// Not expressed: the index “upper”, whose expression “uppercase:(a)” has no column in a store."))
    #expect(text.contains("// Not expressed: the index “part”, whose predicate “a = = 3” is no predicate."))
    #expect(text.contains("#Index<Place>(.named(\"byA\", [.expression(\"a\")]))"), "\(text)")
  }

  static let requests: [(format: String, text: String)] = [
    (
      "title == $TITLE",
      "by(title: String) -> FetchDescriptor<Book> {\n  FetchDescriptor(predicate: #Predicate { $0.title == title })"
    ),
    ("author.name == $who", "#Predicate { $0.author?.name == who }"),
    (
      "pages > 20 AND (title == 'a' OR pages < $max)",
      "#Predicate { $0.pages > 20 && ($0.title == \"a\" || $0.pages < max) }"
    ),
    ("rating >= 2", "#Predicate { ($0.rating.flatMap { $0 >= 2 } ?? false) }"),
    (
      "author == $a",
      "let aIdentifier = a.persistentModelID\n  return FetchDescriptor(predicate: #Predicate { $0.author?.persistentModelID == aIdentifier })"
    ),
    ("author.age > 3", "#Predicate { (($0.author?.age).flatMap { $0 > 3 } ?? false) }"),
    ("NOT author = nil", "#Predicate { !($0.author == nil) }"),
    ("author.name CONTAINS[cd] 'x'", "#Predicate { ($0.author?.name.localizedStandardContains(\"x\") ?? false) }"),
    (
      "title IN $titles",
      "by(titles: [String]) -> FetchDescriptor<Book> {\n  FetchDescriptor(predicate: #Predicate { titles.contains($0.title) })"
    ),
    ("ANY tags.name BEGINSWITH 'x'", "#Predicate { ($0.tags?.contains { $0.name.starts(with: \"x\") } ?? false) }"),
    (
      "title LIKE $pattern",
      "by(pattern: Any?) throws -> FetchDescriptor<Book> {\n  try FetchDescriptor(format: \"title LIKE $pattern\", [\"pattern\": pattern])"
    ),
  ]

  @Test(
    "A fetch request template is a function: with #Predicate, or with its format where that cannot say it",
    arguments: requests)
  func fetchRequests(format: String, text expected: String) throws {
    func attribute(_ name: String, _ type: AttributeType, isOptional: Bool = false) -> PropertyDescription {
      .attribute(AttributeDescription(name: name, type: type, isOptional: isOptional))
    }
    var model = ModelDescription(entities: [
      EntityDescription(
        name: "Book",
        properties: [
          attribute("title", .string), attribute("pages", .integer32),
          attribute("rating", .integer16, isOptional: true),
          .relationship(toOne("author", "Author")), .relationship(toMany("tags", "Author")),
        ]), EntityDescription(name: "Author", properties: [attribute("name", .string), attribute("age", .integer16)]),
    ])
    model.fetchRequestTemplates = [FetchRequestDescription(name: "By", entityName: "Book", predicateFormat: format)]
    let versions = ModelVersions(name: "Test", source: "Test", versions: [.init(name: "Test", model: model)])
    let schema = try ModelGenerator().generate(versions).files[0].contents
    let body = schema.components(separatedBy: "\n").map { $0.hasPrefix("  ") ? String($0.dropFirst(2)) : $0 }
    #expect(body.joined(separator: "\n").contains(expected), "\(schema)")
  }

  @Test("Subclasses initialize themselves first, and override where they add nothing") func initializers() throws {
    let text = try ModelGenerator().schema(
      EntityDescription(name: "Item", properties: [.attribute(AttributeDescription(name: "code", type: .string))]),
      EntityDescription(name: "Book", superentityName: "Item"),
      EntityDescription(
        name: "Map", superentityName: "Item",
        properties: [.attribute(AttributeDescription(name: "area", type: .double))]
      ))
    #expect(text.contains("  class Item {"))
    #expect(
      text.contains("  final class Book: Item {\n    override init(code: String) {\n      super.init(code: code)"))
    #expect(
      text.contains(
        "    init(code: String, area: Double) {\n      self.area = area\n      super.init(code: code)\n    }"))
  }

  @Test("VH-8 A composite is a structure with coding keys where it is spelled in another way") func composites() throws
  {
    let inner = AttributeDescription(
      name: "place", type: .composite, isOptional: true, compositeName: "Place",
      elements: [.init(name: "class", type: .string, isOptional: true), .init(name: "a b", type: .integer16)])
    let text = try ModelGenerator(options: .init(access: .public)).schema(
      EntityDescription(name: "Book", properties: [.attribute(inner)]))
    #expect(text.contains("public var place: Place?\n"))
    #expect(text.contains("public struct Place: Codable, Hashable, Sendable {\n    public var `class`: String?\n"))
    #expect(text.contains("case `class`\n      case aB = \"a b\"\n"))
    #expect(text.contains("public init(`class`: String? = nil, aB: Int16) {"))
  }

  @Test("A model that cannot be classes is refused with the reason") func refusal() {
    let versions = ModelVersions(entities: [
      EntityDescription(name: "A", superentityName: "B"), EntityDescription(name: "B", superentityName: "A"),
      EntityDescription(name: "C", superentityName: "Nobody"),
      EntityDescription(name: "D", properties: [.relationship(toOne("x", "Nowhere"))]),
    ])
    #expect {
      try ModelGenerator().generate(versions)
    } throws: { error in
      let text = String(describing: error)
      return text.contains("circle") && text.contains("“Nobody”")
    }
  }

  private func toOne(
    _ name: String, _ destination: String, inverse: String? = nil,
    _ rule: RelationshipDescription.DeleteRule = .nullify
  ) -> RelationshipDescription {
    RelationshipDescription(
      name: name, destinationEntityName: destination, inverseName: inverse, maximumCount: 1, deleteRule: rule)
  }

  private func toMany(_ name: String, _ destination: String, inverse: String? = nil) -> RelationshipDescription {
    RelationshipDescription(name: name, destinationEntityName: destination, inverseName: inverse, maximumCount: 0)
  }
}
