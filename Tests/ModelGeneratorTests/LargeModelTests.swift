import ManagedModel
import Testing

@testable import ModelGenerator

/// Models of a size at which a step that takes time in the square of it would not come to an end.
@Suite("Source for large models")
struct LargeModelTests {
  private static let count = 8_000

  private func attributes(_ range: Range<Int>) -> [PropertyDescription] {
    range.map { .attribute(AttributeDescription(name: "a\($0)", type: .string, isOptional: true)) }
  }

  @Test("An entity of very many attributes, each with an index", arguments: ModelGenerator.Dialect.allCases)
  func attributes(_ dialect: ModelGenerator.Dialect) throws {
    let entity = EntityDescription(
      name: "Book", properties: attributes(0..<Self.count),
      fetchIndexes: (0..<Self.count).map { number in
        FetchIndexDescription(name: "i\(number)", elements: [.init(subject: .property("a\(number)"))])
      })
    let source = try ModelGenerator(options: .init(dialect: dialect)).schema(entity)
    #expect(source.contains("var a0: String?\n"))
    #expect(source.contains("var a\(Self.count - 1): String?\n"))
  }

  @Test("Two entities with very many relationships between them, with and without inverse")
  func relationships() throws {
    func side(_ name: String, to destination: String, isToMany: Bool) -> EntityDescription {
      EntityDescription(
        name: name,
        properties: (0..<Self.count).map { number in
          .relationship(
            RelationshipDescription(
              name: "r\(number)", destinationEntityName: destination,
              inverseName: number.isMultiple(of: 2) ? "r\(number)" : nil, isOptional: true,
              maximumCount: isToMany ? 0 : 1))
        })
    }
    let source = try ModelGenerator()
      .schema(side("Author", to: "Book", isToMany: true), side("Book", to: "Author", isToMany: false))
    #expect(source.contains("@Relationship(inverse: \\Book.r2) var r2: [Book]? = []\n"))
    #expect(source.contains("@Relationship(.noInverse) var r3: [Book]? = []\n"))
    #expect(source.contains("@Relationship(.noInverse) var r1: Author?\n"))
  }

  @Test("The fetch requests of an entity of many attributes")
  func fetchRequests() throws {
    let model = ModelDescription(
      entities: [EntityDescription(name: "Book", properties: attributes(0..<Self.count / 4))],
      fetchRequestTemplates: (0..<Self.count / 4).map { number in
        FetchRequestDescription(name: "f\(number)", entityName: "Book", predicateFormat: "a\(number) == $TEXT")
      })
    let versions = ModelVersions(name: "Test", source: "Test", versions: [.init(name: "Test", model: model)])
    let source = try ModelGenerator().generate(versions).files[0].contents
    #expect(source.contains("static func f\(Self.count / 4 - 1)(text: String"))
  }

  @Test("Very many attributes with a composite of many elements")
  func composites() throws {
    let elements = (0..<500).map { AttributeDescription(name: "e\($0)", type: .string, isOptional: true) }
    let entity = EntityDescription(
      name: "Book",
      properties: (0..<300).map { number in
        .attribute(
          AttributeDescription(name: "c\(number)", type: .composite, compositeName: "Place", elements: elements))
      })
    #expect(try ModelGenerator().schema(entity).contains("var c299: Place\n"))
  }

  @Test("A model that inherits more than source can list is refused with the reason")
  func inherited() {
    let entities =
      [EntityDescription(name: "Root", properties: attributes(0..<Self.count))]
      + (0..<Self.count).map { EntityDescription(name: "E\($0)", superentityName: "Root") }
    let error = #expect(throws: GeneratorError.self) {
      try ModelGenerator().generate(ModelVersions(entities: entities))
    }
    #expect(error?.issues.map(\.kind) == [.tooManyProperties])
    #expect("\(error as Any)".contains("inherit fewer properties"))
  }
}
