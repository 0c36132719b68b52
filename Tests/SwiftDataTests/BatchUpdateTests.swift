import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("An update by a predicate leaves the rows and the history that changing each object leaves")
struct BatchUpdateTwinTests {
  typealias Node = BatchModels.Node

  /// Updates by a predicate in one world and each object in an equal world, and compares all tables.
  private func compare<Model: PersistentModel>(
    _ seed: UInt64, _ type: Model.Type, _ predicate: Predicate<Model>? = nil, includeSubclasses: Bool = true,
    _ update: (inout ModelUpdate<Model>) -> Void, byObjects change: (Model) -> Void
  ) throws {
    let (one, two) = (try BatchWorld(seed: seed), try BatchWorld(seed: seed))
    let before = try one.rows()
    let batches = ModelContext(one.container)
    try batches.update(model: type, where: predicate, includeSubclasses: includeSubclasses, set: update)
    #expect(batches.core.unit.batches.count == 1 && batches.hasChanges)
    try batches.save()
    #expect(!batches.hasChanges && batches.core.identityMap.count == 0)
    let context = ModelContext(two.container)
    for object in try context.fetch(FetchDescriptor<Model>(predicate: predicate))
    where includeSubclasses || Swift.type(of: object) == Model.self { change(object) }
    try context.save()
    expectEqualRows(try one.rows(), try two.rows())
    #expect(try one.rows() != before)
    if seed < 2 { try one.check() }
  }

  @Test("Constants and computed values of several attributes", arguments: 0..<4)
  func attributes(seed: UInt64) throws {
    let date = Date(timeIntervalSinceReferenceDate: 7e8)
    try compare(seed, Node.self, #Predicate { $0.size < 6 }) {
      $0.set(\.isOld, to: true)
      $0.set(\.changed, to: date)
      $0.set(\.size, to: #Expression { $0.size * 3 + 1 })
      $0.set(\.ratio, to: #Expression { $0.ratio / 4.0 })
    } byObjects: { node in
      node.isOld = true
      node.changed = date
      node.size = node.size * 3 + 1
      node.ratio /= 4
    }
    try compare(seed, Node.self, includeSubclasses: false) {
      $0.set(\.changed, to: nil)
      $0.set(\.name, to: "x")
    } byObjects: { node in
      node.changed = nil
      node.name = "x"
    }
    try compare(seed, BatchModels.Cover.self) {
      $0.set(\.colour, to: "blue")
    } byObjects: {
      $0.colour = "blue"
    }
  }

  @Test("Values of other properties and through relationships, all from before the update", arguments: 0..<4)
  func paths(seed: UInt64) throws {
    try compare(seed, Node.self, #Predicate { $0.notes.count > 0 }) {
      $0.set(\.size, to: #Expression { $0.notes.count })
      $0.set(\.name, to: #Expression { $0.size > 4 ? "large" : $0.name })
    } byObjects: { node in
      let size = node.size
      node.size = node.notes.count
      node.name = size > 4 ? "large" : node.name
    }
    try compare(seed, Node.self, #Predicate { $0.parent != nil }) {
      $0.set(\.isOld, to: #Expression { ($0.parent?.size ?? 0) > 3 })
    } byObjects: { node in
      node.isOld = (node.parent?.size ?? 0) > 3
    }
  }
}

@Suite("An update by a predicate", .everyEngine)
struct BatchUpdateTests {
  let world: World

  init() throws {
    world = try World()
    for number in 0..<20 { world.context.insert(Book("book \(number)", pages: number)) }
    for number in 0..<3 { world.context.insert(Author("author \(number)", born: number)) }
    try world.context.save()
  }

  private func pages() throws -> [Int] { try world.fresh.all(Book.self).map(\.pages).sorted() }

  @Test("It waits for the save, a fetch shows it before, and a rollback undoes it")
  func rollback() throws {
    let context = world.fresh
    try context.update(model: Book.self) { $0.set(\.pages, to: 7) }
    #expect(context.hasChanges)
    context.rollback()
    try context.save()
    #expect(try pages() == Array(0..<20))
    try context.update(model: Book.self, where: #Predicate { $0.pages >= 10 }) {
      $0.set(\.pages, to: #Expression { $0.pages * 2 })
    }
    #expect(try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.pages >= 20 })) == 10)
    context.rollback()
    try context.update(model: Book.self, where: #Predicate { $0.pages >= 18 }) {
      $0.set(\.pages, to: #Expression { $0.pages * 2 })
    }
    try context.update(model: Book.self, where: #Predicate { $0.pages >= 37 }) { $0.set(\.title, to: "long") }
    try context.delete(model: Book.self, where: #Predicate { $0.pages < 17 })
    try context.save()
    #expect(try pages() == [17, 36, 38])
    #expect(try world.fresh.all(Book.self).filter { $0.title == "long" }.count == 1)
    try world.check()
  }

  @Test("Objects that the program holds, and unsaved ones, follow at once")
  func held() throws {
    let context = world.fresh
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
    books[0].pages = 100
    let new = Book("new", pages: 50)
    context.insert(new)
    try context.update(model: Book.self, where: #Predicate { $0.pages >= 19 }) {
      $0.set(\.title, to: "t")
      $0.set(\.pages, to: #Expression { $0.pages + 1 })
    }
    #expect(books[0].pages == 101 && books[19].pages == 20 && new.pages == 51 && new.title == "t")
    try context.save()
    #expect(try pages() == Array(1..<19) + [20, 51, 101])
    try world.check()
  }

  @Test("Other contexts' objects follow")
  func others() throws {
    let other = world.fresh
    let book = try #require(try other.first(Book.self, where: #Predicate { $0.pages == 3 }))
    let context = world.fresh
    try context.update(model: Book.self) { $0.set(\.pages, to: #Expression { $0.pages + 100 }) }
    try context.save()
    _ = try other.fetchCount(FetchDescriptor<Author>())
    #expect(book.pages == 103)
    book.pages = 4
    try other.save()
    #expect(try pages().contains(4))
  }

  @Test("A clash of unique values is an error in the model's words")
  func unique() throws {
    // The engine over dictionaries has no uniqueness constraints.
    guard TestEngine.current == .file else { return }
    let context = world.fresh
    try context.update(model: Author.self) { $0.set(\.name, to: "one") }
    let clash = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(clash?.explanation?.contains("name") == true)
    context.rollback()
    #expect(try world.fresh.all(Author.self).map(\.name).sorted() == ["author 0", "author 1", "author 2"])
  }

  @Test("A value beyond the type is an error with the property, and changes nothing")
  func overflow() throws {
    let context = world.fresh
    // An engine without batches throws when it is asked to update, the other when it saves.
    let failure = #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.update(model: Book.self) {
        $0.set(\.pages, to: #Expression { $0.pages * 1_000_000_000_000_000_000 })
        $0.set(\.title, to: "x")
      }
      try context.save()
    }
    #expect(failure?.validationProblems.first?.propertyName == "pages")
    context.rollback()
    #expect(try pages() == Array(0..<20))
  }

  @Test("A relationship is set object by object")
  func relationship() throws {
    let context = world.fresh
    let author = try #require(try context.first(Author.self, where: #Predicate { $0.born == 1 }))
    try context.update(model: Book.self, where: #Predicate { $0.pages < 3 }) { $0.set(\.author, to: author) }
    try context.save()
    #expect(try world.fresh.first(Author.self, where: #Predicate { $0.born == 1 })?.books.count == 3)
    try world.check()
  }
}
