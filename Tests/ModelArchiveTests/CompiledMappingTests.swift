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

  /// The request of the source rows, with `NSPredicate`'s format as its last argument.
  private func request(_ selector: String, _ predicate: String, _ builder: inout KeyedArchiveBuilder) -> Reference {
    func constant(_ value: String) -> Reference {
      expression("NSConstantValueExpression", [("NSConstantValue", text(value, &builder))], &builder)
    }
    let manager = expression("NSVariableExpression", [("NSVariable", text("manager", &builder))], &builder)
    let arguments = [constant("Book"), constant(predicate)]
    let call = builder.add(
      [
        ("NSOperand", .reference(manager)), ("NSSelectorName", text(selector, &builder)),
        ("NSArguments", list(arguments, &builder)),
      ], chain: ["NSFunctionExpression", "NSExpression", "NSObject"])
    return expression("NSFetchRequestExpression", [("NSFetchRequestExpression", .reference(call))], &builder)
  }

  private func archive(expressionClass: String? = nil, filter: (selector: String, predicate: String)? = nil) -> Data {
    var builder = KeyedArchiveBuilder()
    let source = filter.map { [("NSSourceExpression", Field.reference(request($0.selector, $0.predicate, &builder)))] }
    var title: [(String, Field)] = [("NSPropertyName", text("title", &builder))]
    let value =
      expressionClass.map { expression($0, [], &builder) } ?? self.source("name", &builder)
    title.append(("NSValueExpression", .reference(value)))
    let property = builder.add(title, chain: ["NSPropertyMapping", "NSObject"])
    let hash = builder.plain(.data(Data(repeating: 7, count: 32)))
    let attributes = list([property], &builder)
    let entity = builder.add(
      [
        ("NSMappingName", text("BookToWork", &builder)), ("NSSourceEntityName", text("Book", &builder)),
        ("NSDestinationEntityName", text("Work", &builder)), ("NSSourceEntityVersionHash", .reference(hash)),
        ("NSEntityMigrationPolicyClassName", text("BookPolicy", &builder)), ("NSAttributeMappings", attributes),
      ] + (source ?? []), chain: ["NSEntityMapping", "NSObject"])
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

  @Test("A filter is read, and one of another form is an error that names its entity mapping")
  func filters() throws {
    let selector = "fetchRequestForSourceEntityNamed:predicateString:"
    func filter(_ selector: String, _ predicate: String) throws -> String? {
      try ModelArchive.decodeMapping(archive(filter: (selector, predicate)), name: "Books").entityMappings[0]
        .sourceFilter
    }
    #expect(try filter(selector, "TRUEPREDICATE") == nil)
    #expect(try filter(selector, "pages > 3") == "pages > 3")
    let error = #expect(throws: ModelArchiveError.self) { try filter("requestOf:without:", "pages > 3") }
    #expect(error?.problem.contains("“BookToWork”") == true && error?.problem.contains("requestOf:without:") == true)
    #expect(error?.remedy?.contains(".xcmappingmodel") == true)
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
