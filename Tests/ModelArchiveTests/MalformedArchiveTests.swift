import Foundation
import ManagedModel
import PropertyLists
import TestSupport
import Testing

@testable import ModelArchive

@Suite("Archives that are damaged or hostile")
struct MalformedArchiveTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What the message has to say.
    let saying: String
    let bytes: @Sendable () throws -> Data
  }

  @Test("Each damage is an error that says what is wrong", arguments: damages)
  func damage(_ example: Case) throws {
    let data = try example.bytes()
    #expect {
      try ModelArchive.decode(data)
    } throws: { error in
      error is ModelArchiveError && "\(error)".contains(example.saying)
    }
  }

  @Test("An archive cut off anywhere is an error")
  func truncated() throws {
    let data = try ModelArchive.encode(small)
    for count in 0..<data.count {
      #expect(throws: ModelArchiveError.self, "\(count) bytes") { try ModelArchive.decode(data.prefix(count)) }
    }
    let cache = try ModelArchive.encodeModelCache(small)
    for count in 0..<cache.count {
      #expect(throws: ModelArchiveError.compression(.truncated)) {
        try ModelArchive.decodeModelCache(cache.prefix(count))
      }
    }
  }

  @Test("Changing any byte of an archive gives a model or an error of ours, and never a trap")
  func mutated() throws {
    let data = try ModelArchive.encode(small)
    for index in data.indices {
      for byte in [0xFF, data[index] ^ 0x01] as [UInt8] {
        var changed = data
        changed[index] = byte
        do {
          _ = try ModelArchive.decode(changed)
        } catch {
          #expect(error is ModelArchiveError, "\(error)")
        }
      }
    }
  }

  @Test("References to any other object give a model or an error of ours, and never a trap or an endless walk")
  func redirected() throws {
    let list = try BinaryPropertyList(ModelArchive.encode(small))
    let references = list.objects.indices.filter { if case .uid = list.objects[$0] { true } else { false } }
    for reference in references {
      for target in stride(from: 0, to: references.count + 2, by: FullTests.areWanted ? 3 : 7) {
        var changed = list
        changed.objects[reference] = .uid(target)
        do {
          _ = try ModelArchive.decode(changed.encoded())
        } catch {
          #expect(error is ModelArchiveError, "\(error)")
        }
      }
    }
  }

  @Test("A small archive that unfolds without end is stopped")
  func unfolding() throws {
    var builder = KeyedArchiveBuilder()
    var predicate = builder.add(.truePredicate, [])
    // 2^60 leaves in 60 objects.
    for _ in 0..<60 {
      let list = builder.list(.array, [predicate, predicate])
      predicate = builder.add(
        .compoundPredicate, [("NSCompoundPredicateType", .integer(1)), ("NSSubpredicates", .reference(list))])
    }
    let data = archive(&builder, fetching: predicate)
    #expect {
      try ModelArchive.decode(data)
    } throws: { error in
      "\(error)".contains("too many objects")
    }
  }

  @Test("A predicate that contains itself is stopped")
  func cycle() throws {
    var builder = KeyedArchiveBuilder()
    let predicate = builder.reserve()
    let list = builder.list(.array, [predicate, predicate])
    builder.fill(
      predicate, .compoundPredicate, [("NSCompoundPredicateType", .integer(2)), ("NSSubpredicates", .reference(list))])
    let data = archive(&builder, fetching: predicate)
    #expect {
      try ModelArchive.decode(data)
    } throws: { error in
      "\(error)".contains("nested too deeply")
    }
  }

  @Test("User info that contains itself is stopped")
  func cyclicUserInfo() throws {
    var builder = KeyedArchiveBuilder()
    let info = builder.reserve()
    builder.fill(
      info, .dictionary,
      [("NS.keys", .references([builder.string("a")])), ("NS.objects", .references([info]))])
    let entity = builder.add(
      .entity, [("NSEntityName", .reference(builder.string("E"))), ("NSUserInfo", .reference(info))])
    let entities = builder.dictionary(.mutableDictionary, [("E", entity)])
    let root = builder.add(.model, [("NSEntities", .reference(entities))])
    let data = builder.finish(root: root).encoded()
    #expect(
      throws: ModelArchiveError.malformed(
        entity: "E", property: nil, key: "NSUserInfo", problem: "is nested too deeply")
    ) {
      try ModelArchive.decode(data)
    }
  }

  @Test("A model cache that is a bomb is stopped")
  func bomb() throws {
    let cache = try RawDeflate.deflate(Data(count: 70 << 20))
    #expect(throws: ModelArchiveError.compression(.tooLarge)) { try ModelArchive.decodeModelCache(cache) }
  }

  /// A model of no entities with one fetch request template.
  private func archive(_ builder: inout KeyedArchiveBuilder, fetching predicate: KeyedArchiveBuilder.Reference) -> Data
  {
    let entity = builder.add(.entity, [("NSEntityName", .reference(builder.string("E")))])
    let request = builder.add(
      .fetchRequest, [("NSEntity", .reference(entity)), ("NSPredicate", .reference(predicate))])
    let root = builder.add(
      .model,
      [
        ("NSEntities", .reference(builder.dictionary(.mutableDictionary, [("E", entity)]))),
        ("NSFetchRequestTemplates", .reference(builder.dictionary(.mutableDictionary, [("r", request)]))),
      ])
    return builder.finish(root: root).encoded()
  }
}

private let small = ModelDescription(entities: [
  EntityDescription(
    name: "Book",
    properties: [
      .attribute(AttributeDescription(name: "title", type: .string, defaultValue: .string("?"))),
      .relationship(
        RelationshipDescription(
          name: "next", destinationEntityName: "Book", inverseName: "next", inverseEntityName: "Book")),
    ], uniquenessConstraints: [["title"]]),
  EntityDescription(name: "Novel", superentityName: "Book"),
])

/// The archive of `small` in which every occurrence of one value is replaced by another.
private func replacing(
  _ old: BinaryPropertyList.Object, with new: BinaryPropertyList.Object
) -> @Sendable () throws -> Data {
  {
    var list = try BinaryPropertyList(ModelArchive.encode(small))
    for index in list.objects.indices where list.objects[index] == old { list.objects[index] = new }
    return list.encoded()
  }
}

private func plain(_ value: BinaryPropertyList.Object) -> @Sendable () throws -> Data {
  { BinaryPropertyList(objects: [value], top: 0).encoded() }
}

private let damages: [MalformedArchiveTests.Case] = [
  .init(testDescription: "no bytes", saying: "bplist00") { Data() },
  .init(testDescription: "another file", saying: "bplist00") { Data("SQLite format 3\0".utf8) },
  .init(testDescription: "optimised model", saying: ".mom") { Data("momv2$".utf8) },
  .init(testDescription: "no archive", saying: "no dictionary", bytes: plain(.string("model"))),
  .init(
    testDescription: "empty dictionary", saying: "NSKeyedArchiver", bytes: plain(.dictionary(keys: [], values: []))),
  .init(
    testDescription: "another archiver", saying: "NSKeyedArchiver",
    bytes: replacing(.string("NSKeyedArchiver"), with: .string("NSArchiver"))),
  .init(
    testDescription: "another version", saying: "NSKeyedArchiver",
    bytes: replacing(.integer(100_000), with: .integer(1))),
  .init(testDescription: "no objects", saying: "$objects", bytes: replacing(.string("$objects"), with: .string("x"))),
  .init(testDescription: "no top", saying: "$top", bytes: replacing(.string("$top"), with: .string("x"))),
  .init(
    testDescription: "another root", saying: "NSManagedObjectModel",
    bytes: replacing(.string("NSManagedObjectModel"), with: .string("NSObject2"))),
  .init(
    testDescription: "no entities", saying: "“NSEntities” is missing",
    bytes: replacing(.string("NSEntities"), with: .string("x"))),
  .init(
    testDescription: "entity without name", saying: "“NSEntityName” is missing",
    bytes: replacing(.string("NSEntityName"), with: .string("x"))),
  .init(
    testDescription: "two entities of a name", saying: "two entities",
    bytes: replacing(.string("Novel"), with: .string("Book"))),
  .init(
    testDescription: "name that is a number", saying: "is not a string",
    bytes: replacing(.string("title"), with: .integer(7))),
  .init(
    testDescription: "property of an unknown kind", saying: "no kind of property",
    bytes: replacing(.string("NSAttributeDescription"), with: .string("NSObject2"))),
  .init(
    testDescription: "unknown attribute type", saying: "unknown type, 701",
    bytes: replacing(.integer(700), with: .integer(701))),
  .init(
    testDescription: "attribute type that is text", saying: "“NSAttributeType” is not a number",
    bytes: replacing(.integer(700), with: .string("text"))),
  .init(
    testDescription: "attribute type beyond all bounds", saying: "too large a number",
    bytes: replacing(.integer(700), with: .integer(.max))),
  .init(
    testDescription: "lists without elements", saying: "is not a list",
    bytes: replacing(.string("NS.objects"), with: .string("x"))),
  .init(testDescription: "circle of superentities", saying: "circle") {
    var circle = small
    circle.entities[0].superentityName = "Novel"
    return try ModelArchive.encode(circle)
  },
]
