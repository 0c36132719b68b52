import Foundation
import TestSupport
import Testing

@testable import SwiftData

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
