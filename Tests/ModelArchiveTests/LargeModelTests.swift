import Foundation
import ManagedModel
import Testing

@testable import ModelArchive

/// What is written can be read, and what could not be read is not written.
@Suite("Archives of large models")
struct LargeModelTests {
  private func model(subentities: Int, inheriting properties: [PropertyDescription]) -> ModelDescription {
    ModelDescription(
      entities: [EntityDescription(name: "Root", properties: properties)]
        + (0..<subentities).map { EntityDescription(name: "E\($0)", superentityName: "Root") })
  }

  @Test("User info, predicates and derivations that copies share are read once", arguments: [20, 400])
  func shared(subentities: Int) throws {
    let entries = (0..<3_000).map { ("key \($0)", UserInfoValue.array([.string("a"), .integer(Int64($0))])) }
    let clause = (0..<500).map { "SELF != \"\($0)\"" }.joined(separator: " OR ")
    let large = model(
      subentities: subentities,
      inheriting: [
        .attribute(
          AttributeDescription(
            name: "title", type: .string, validationRules: [.init(predicate: clause)],
            userInfo: Dictionary(uniqueKeysWithValues: entries)))
      ])
    for form in [ModelArchive.Form.compiledModel, .modelCache] {
      let read = try ModelArchive.decode(ModelArchive.encode(large, as: form))
      #expect(read == ModelArchive.archivablePart(of: large))
    }
  }

  @Test("An index of many properties, many times over, comes back")
  func nameLists() throws {
    let names = (0..<200).map { "a\($0)" }
    let entity = EntityDescription(
      name: "Book", properties: names.map { .attribute(AttributeDescription(name: $0, type: .string)) },
      compoundIndexes: (0..<1_000).map { _ in names })
    let large = ModelDescription(entities: [entity])
    #expect(try ModelArchive.decode(ModelArchive.encode(large)) == ModelArchive.archivablePart(of: large))
  }

  @Test("A cache larger than is read is refused at once, and the compiled model is written")
  func refused() throws {
    let large = model(
      subentities: 3_500,
      inheriting: (0..<200).map { .attribute(AttributeDescription(name: "a\($0)", type: .string)) })
    let error = #expect(throws: ModelArchiveError.tooLarge(entityCount: 3_501)) { try ModelArchive.encode(large) }
    #expect("\(error as Any)".contains("3501 entities"))
    let compiled = try ModelArchive.encode(large, as: .compiledModel)
    #expect(try ModelArchive.decode(compiled) == ModelArchive.archivablePart(of: large))
  }

  @Test("A compiled model whose attributes have more elements than are read is refused at once")
  func composites() {
    let elements = (0..<1_000).map { AttributeDescription(name: "e\($0)", type: .string) }
    let properties = (0..<1_000).map { number in
      PropertyDescription.attribute(AttributeDescription(name: "c\(number)", type: .composite, elements: elements))
    }
    let large = ModelDescription(entities: [EntityDescription(name: "Book", properties: properties)])
    #expect(throws: ModelArchiveError.tooLarge(entityCount: 1)) {
      try ModelArchive.encode(large, as: .compiledModel)
    }
  }
}
