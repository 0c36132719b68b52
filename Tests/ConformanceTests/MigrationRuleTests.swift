import Foundation
import SwiftData
import Testing

private enum ListsV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [List.self, Item.self, Note.self] }

  @Model final class List {
    var name: String
    @Relationship(inverse: \Item.list) var items: [Item] = []
    @Relationship(deleteRule: .cascade, inverse: \Note.list) var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Item {
    var number: Int
    var list: List?
    init(_ number: Int) { self.number = number }
  }

  @Model final class Note {
    var text: String
    var list: List?
    init(_ text: String) { self.text = text }
  }
}

/// Differs from the first version in delete rules only.
private enum ListsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [List.self, Item.self, Note.self] }

  @Model final class List {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Item.list) var items: [Item] = []
    @Relationship(deleteRule: .deny, inverse: \Note.list) var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Item {
    var number: Int
    var list: List?
    init(_ number: Int) { self.number = number }
  }

  @Model final class Note {
    var text: String
    var list: List?
    init(_ text: String) { self.text = text }
  }
}

/// Versions that differ in what no version hash contains.
@Suite("Migration, delete rules", ChapterPlace.condition, .temporaryFolder) struct MigrationRuleTests {
  private func open(_ version: any VersionedSchema.Type) throws -> ModelContainer {
    let url = TemporaryFolder.url.appendingPathComponent("Lists.store")
    return try ModelContainer(for: Schema(versionedSchema: version), configurations: [ModelConfiguration(url: url)])
  }

  /// A list with two items, and one with a note.
  private func fill() throws {
    let context = ModelContext(try open(ListsV1.self))
    let (long, short) = (ListsV1.List("long"), ListsV1.List("short"))
    context.insert(long)
    context.insert(short)
    long.items = [ListsV1.Item(1), ListsV1.Item(2)]
    short.notes = [ListsV1.Note("keep")]
    try context.save()
  }

  @Test("The delete rules of the classes apply to a store that another version has made", arguments: [false, true])
  func rulesOfClasses(inBatch: Bool) throws {
    try fill()
    let context = ModelContext(try open(ListsV2.self))
    func delete(_ name: String) throws {
      if inBatch {
        try context.delete(model: ListsV2.List.self, where: #Predicate { $0.name == name })
      } else {
        let lists = try context.fetch(FetchDescriptor<ListsV2.List>(predicate: #Predicate { $0.name == name }))
        lists.forEach(context.delete)
      }
      try context.save()
    }
    try delete("long")
    #expect(try context.fetchCount(FetchDescriptor<ListsV2.Item>()) == 0)
    #expect(throws: (any Error).self) { try delete("short") }
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<ListsV2.Note>()) == 1)
  }

  @Test("A program of the former version goes on with its own rules")
  func formerProgram() throws {
    try fill()
    _ = try open(ListsV2.self)
    let context = ModelContext(try open(ListsV1.self))
    try context.fetch(FetchDescriptor<ListsV1.List>()).forEach(context.delete)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<ListsV1.Item>()) == 2)
    #expect(try context.fetchCount(FetchDescriptor<ListsV1.Note>()) == 0)
  }
}
