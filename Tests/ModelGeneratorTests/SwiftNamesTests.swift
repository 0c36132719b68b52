import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelGenerator

@Suite("Names")
struct SwiftNamesTests {
  static let entities: KeyValuePairs<String, String> = [
    "Book": "Book", "book": "Book", "line item": "LineItem", "2fa": "Entity2fa", "Data": "DataEntity",
    "date": "DateEntity", "Task": "TaskEntity", "Model": "ModelEntity", "Optional": "OptionalEntity",
    "String": "StringEntity", "Schema": "SchemaEntity", "Set": "SetEntity", "Type": "TypeEntity",
    "Größe": "Größe", "名前": "名前", "🍰": "Entity", "a/../b": "AB", "Café-Crème": "CaféCrème",
    "TestSchemaV1": "TestSchemaV1Entity", "SwiftData": "SwiftDataEntity", "___": "Entity",
    "ID": "IDEntity", "Never": "NeverEntity", "Error": "ErrorEntity", "Int16": "Int16Entity", "Any": "AnyEntity",
    "Self": "SelfEntity", "_M": "_MEntity", "TestMigrationPlan": "TestMigrationPlanEntity", "models": "Models",
    "❤️": "Entity", "\u{301}": "Entity", "zero\u{200B}width": "ZeroWidth", "soft\u{AD}hyphen": "SoftHyphen",
    "a\u{202E}b": "AB", "ספר": "ספר", "..": "Entity", "*/": "Entity", "\\(1)": "Entity1", "ß": "SS",
  ]

  @Test("Entities are spelled as classes", arguments: entities.map { ($0.key, $0.value) })
  func entity(name: String, spelling: String) throws {
    let text = try ModelGenerator().schema(EntityDescription(name: name))
    #expect(text.contains("final class \(spelling) {"))
    #expect(text.contains("[\(spelling).self]"))
    #expect(text.contains("@Model(entityName: \(ExpressionRenderer.string(name)))") == (name != spelling))
  }

  static let properties: KeyValuePairs<String, String> = [
    "title": "title", "Title": "Title", "first name": "firstName", "first-name": "firstName", "class": "`class`",
    "default": "`default`", "in": "`in`", "self": "bookSelf", "init": "bookInit", "Type": "bookType",
    "description": "bookDescription", "hash": "bookHash", "modelContext": "bookModelContext", "id": "id",
    "isDeleted": "bookIsDeleted", "hasChanges": "bookHasChanges", "2nd": "property2nd", "snake_case": "snake_case",
    "_hidden": "_hidden",
    "🍰": "property", "größe": "größe", "a.b": "aB", "each": "`each`", "line\nbreak": "lineBreak",
    "Date": "bookDate", "String": "bookString", "Book": "bookBook", "SwiftData": "bookSwiftData", "ID": "bookID",
    "hashValue": "bookHashValue", "access": "bookAccess", "Self": "bookSelf", "Any": "bookAny", "_": "property",
    "_$state": "_State", "subscript": "`subscript`", "borrowing": "bookBorrowing", "❤️": "property",
    "⭐️": "property", "$0": "property0", "x'; DROP TABLE ZBOOK;--": "xDROPTABLEZBOOK", "TITLE": "TITLE",
  ]

  @Test("Attributes are spelled as properties", arguments: properties.map { ($0.key, $0.value) })
  func property(name: String, spelling: String) throws {
    let attribute = AttributeDescription(name: name, type: .string)
    let text = try ModelGenerator().schema(EntityDescription(name: "Book", properties: [.attribute(attribute)]))
    #expect(text.contains("var \(spelling): String\n"))
    #expect(text.contains("self.\(spelling) = \(spelling)\n"))
    let isChanged = spelling.filter { $0 != "`" } != name
    #expect(text.contains("@Attribute(name: \(ExpressionRenderer.string(name)))") == isChanged)
  }

  @Test("A truth value keeps the name of a truth value of every model, and an optional one does not")
  func truthValues() throws {
    func property(isOptional: Bool) throws -> String {
      try ModelGenerator().schema(
        EntityDescription(
          name: "Book",
          properties: [.attribute(AttributeDescription(name: "isDeleted", type: .boolean, isOptional: isOptional))]))
    }
    #expect(try property(isOptional: false).contains("    var isDeleted: Bool\n"))
    #expect(try property(isOptional: true).contains("@Attribute(name: \"isDeleted\") var bookIsDeleted: Bool?\n"))
  }

  @Test("Names that would be spelled alike are told apart, those that can stay first") func collisions() throws {
    let text = try ModelGenerator().schema(
      EntityDescription(name: "book"), EntityDescription(name: "Book", properties: attributes("a b", "aB", "a-b")))
    #expect(text.contains("@Model(entityName: \"book\")\n  final class Book2 {"))
    #expect(text.contains("  @Model\n  final class Book {"))
    #expect(text.contains("@Attribute(name: \"a b\") var aB2: String"))
    #expect(text.contains("    var aB: String"))
    #expect(text.contains("@Attribute(name: \"a-b\") var aB3: String"))
  }

  @Test("A property leaves room for the storage of another", arguments: [["title", "_title"], ["_title", "title"]])
  func storage(names: [String]) throws {
    let own = names.map { PropertyDescription.attribute(AttributeDescription(name: $0, type: .string)) }
    let text = try ModelGenerator().schema(EntityDescription(name: "Book", properties: own))
    #expect(text.contains("    var title: String\n"))
    #expect(text.contains("@Attribute(name: \"_title\") var _title2: String"))
  }

  @Test("A property is not spelled like a class of the model, which it would hide") func classes() throws {
    let text = try ModelGenerator().schema(
      EntityDescription(name: "Book", properties: attributes("Author", "author")), EntityDescription(name: "Author"))
    #expect(text.contains("@Attribute(name: \"Author\") var bookAuthor: String"))
    #expect(text.contains("    var author: String\n"))
  }

  @Test("A composite's elements are no types and no members of every structure") func elements() throws {
    let elements = ["Date", "self", "hashValue", "CodingKeys", "first name", "class", "Place"].map {
      AttributeDescription(name: $0, type: .string, isOptional: true)
    }
    let place = AttributeDescription(name: "place", type: .composite, compositeName: "Place", elements: elements)
    let text = try ModelGenerator().schema(EntityDescription(name: "Book", properties: [.attribute(place)]))
    for line in [
      "var placeDate: String?", "case placeDate = \"Date\"", "case placeSelf = \"self\"", "case placeCodingKeys",
      "case placeHashValue = \"hashValue\"", "case firstName = \"first name\"", "case `class`", "case placePlace",
    ] { #expect(text.contains("    \(line)")) }
  }

  @Test("No class hides a type or a macro of the framework") func framework() throws {
    let folder = Fixtures.packageRoot.appendingPathComponent("Sources/SwiftData")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var names: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where line.hasPrefix("public ") {
        let declaration = /public (?:final )?(?:class|struct|enum|protocol|macro|typealias) ([A-Z]\w*)/
        if let match = line.prefixMatch(of: declaration) { names.insert(String(match.1)) }
      }
    }
    #expect(names.count > 20)
    #expect(names.subtracting(ReservedNames.types) == [])
  }

  @Test("A thousand names of one spelling are told apart") func manyAlike() throws {
    let entities = (1...1_000).map { EntityDescription(name: String(repeating: "🍰", count: $0)) }
    let names = SwiftNames(EntityGraph(ModelDescription(entities: entities)), reserved: [])
    #expect(names.type(of: "🍰") == "Entity")
    #expect(Set(entities.map { names.type(of: $0.name) }).count == 1_000)
    #expect(names.type(of: entities[999].name) == "Entity1000")
  }

  @Test("Names that only look different to a machine are an error that says so") func canonicalTwins() throws {
    let error = #expect(throws: GeneratorError.self) {
      try ModelGenerator().schema(EntityDescription(name: "Book", properties: attributes("\u{E9}", "e\u{301}")))
    }
    #expect(error?.description.contains("more than one property named") == true, "\(error?.description ?? "")")
  }

  @Test("A subclass does not use an inherited spelling again") func inheritance() throws {
    let text = try ModelGenerator().schema(
      EntityDescription(name: "Book", superentityName: "Item", properties: attributes("page count")),
      EntityDescription(name: "Item", properties: attributes("pageCount")))
    #expect(text.contains("@Attribute(name: \"page count\") var pageCount2: String"))
    #expect(text.contains("init(pageCount: String, pageCount2: String) {"))
  }

  @Test("Long names are cut, and stay unique") func length() throws {
    let long = String(repeating: "n", count: 300)
    let text = try ModelGenerator().schema(EntityDescription(name: "Book", properties: attributes(long + "1", long)))
    #expect(text.contains("var \(String(repeating: "n", count: 100)): String"))
    #expect(text.contains("var \(String(repeating: "n", count: 100))2: String"))
  }

  @Test("A bundle's name is never a path") func fileNames() throws {
    for name in ["../../etc/passwd", "/", "..", "a/b", "", "💥", String(repeating: "é", count: 300)] {
      let versions = ModelVersions(name: name, source: name, versions: [.test([EntityDescription(name: "Book")])])
      for file in try ModelGenerator().generate(versions).files {
        #expect(!file.name.contains("/") && !file.name.hasPrefix("."))
        #expect(file.name.utf8.count < 200)
      }
    }
  }

  @Test("A name in a comment or a literal cannot end it") func injection() throws {
    let hostile = "x\n}\nlet owned = 1 // \" \\(1)\u{202E}"
    let attribute = AttributeDescription(
      name: "x", type: .string, defaultValue: .string(hostile), regularExpression: hostile,
      versionHashModifier: hostile)
    let versions = ModelVersions(
      name: "Test", source: hostile,
      versions: [.test([EntityDescription(name: hostile, properties: [.attribute(attribute)])], name: hostile)])
    for file in try ModelGenerator().generate(versions).files {
      for line in file.contents.split(separator: "\n") {
        #expect(!line.trimmingPrefix { $0 == " " }.hasPrefix("let owned"))
      }
      #expect(!file.contents.unicodeScalars.contains("\u{202E}"))
    }
  }

  private func attributes(_ names: String...) -> [PropertyDescription] {
    names.map { .attribute(AttributeDescription(name: $0, type: .string)) }
  }
}
