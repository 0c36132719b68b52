import Foundation
import ManagedModel
import PropertyLists
import Testing

@testable import ModelArchive

/// Compiled mapping models from archives made here: no `.cdm` of Apple's has been seen.
@Suite("Compiled mapping models")
struct CompiledMappingTests {
  private typealias Field = KeyedArchiveBuilder.Field
  private typealias Reference = KeyedArchiveBuilder.Reference

  private func expression(_ kind: String, _ fields: [(String, Field)], _ builder: inout KeyedArchiveBuilder)
    -> Reference
  {
    builder.add(fields, chain: [kind, "NSExpression", "NSObject"])
  }

  private func text(_ text: String, _ builder: inout KeyedArchiveBuilder) -> Field {
    .reference(builder.plain(.string(text)))
  }

  private func list(_ items: [Reference], _ builder: inout KeyedArchiveBuilder) -> Field {
    .reference(builder.add([("NS.objects", .references(items))], chain: ["NSArray", "NSObject"]))
  }

  /// `$source.key`
  private func source(_ key: String, _ builder: inout KeyedArchiveBuilder) -> Reference {
    let variable = expression("NSVariableExpression", [("NSVariable", text("source", &builder))], &builder)
    let path = expression("NSKeyPathSpecifierExpression", [("NSKeyPath", text(key, &builder))], &builder)
    let arguments = list([path], &builder)
    return builder.add(
      [
        ("NSOperand", .reference(variable)), ("NSSelectorName", text("valueForKeyPath:", &builder)),
        ("NSArguments", arguments),
      ], chain: ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject"])
  }

  private func archive(expressionClass: String? = nil) -> Data {
    var builder = KeyedArchiveBuilder()
    var title: [(String, Field)] = [("NSPropertyName", text("title", &builder))]
    let value =
      expressionClass.map { expression($0, [], &builder) } ?? source("name", &builder)
    title.append(("NSValueExpression", .reference(value)))
    let property = builder.add(title, chain: ["NSPropertyMapping", "NSObject"])
    let hash = builder.plain(.data(Data(repeating: 7, count: 32)))
    let attributes = list([property], &builder)
    let entity = builder.add(
      [
        ("NSMappingName", text("BookToWork", &builder)), ("NSSourceEntityName", text("Book", &builder)),
        ("NSDestinationEntityName", text("Work", &builder)), ("NSSourceEntityVersionHash", .reference(hash)),
        ("NSEntityMigrationPolicyClassName", text("BookPolicy", &builder)), ("NSAttributeMappings", attributes),
      ], chain: ["NSEntityMapping", "NSObject"])
    let entities = list([entity], &builder)
    let root = builder.add([("NSEntityMappings", entities)], chain: ["NSMappingModel", "NSObject"])
    return builder.finish(root: root).encoded()
  }

  @Test("Entity mappings, expressions, hashes and policy classes are read")
  func reading() throws {
    let mapping = try ModelArchive.decodeMapping(archive(), name: "Books")
    #expect(mapping.name == "Books")
    let entity = try #require(mapping.entityMappings.first)
    #expect(entity.name == "BookToWork")
    #expect(entity.sourceEntityName == "Book")
    #expect(entity.destinationEntityName == "Work")
    #expect(entity.policyClassName == "BookPolicy")
    #expect(
      entity.attributeMappings == [
        PropertyMapping(name: "title", value: .expression(.keyPath(of: .variable("source"), "name")))
      ])
    #expect(mapping.source.entityHashes == ["Book": Data(repeating: 7, count: 32)])
    #expect(mapping.destination.entityHashes.isEmpty)
  }

  @Test("An expression of an unknown class stays with its reason, and other archives are refused")
  func unknown() throws {
    let mapping = try ModelArchive.decodeMapping(archive(expressionClass: "NSBlockExpression"), name: "Books")
    guard case .unreadable(let reason)? = mapping.entityMappings.first?.attributeMappings.first?.value else {
      Issue.record("\(mapping)")
      return
    }
    #expect(reason.contains("unknown kind of expression"))
    #expect(throws: ModelArchiveError.self) { try ModelArchive.decodeMapping(Data("x".utf8), name: "Books") }
    let model = try ModelArchive.encode(ModelDescription(entities: [EntityDescription(name: "Book")]))
    #expect(throws: ModelArchiveError.self) { try ModelArchive.decodeMapping(model, name: "Books") }
    let bytes = [UInt8](archive())
    for length in stride(from: 0, to: bytes.count, by: 13) {
      #expect(throws: ModelArchiveError.self) { try ModelArchive.decodeMapping(Data(bytes[..<length]), name: "Books") }
    }
  }
}
