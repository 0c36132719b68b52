import Foundation
import Testing

@testable import SwiftData

@Suite("Rolling back", .everyEngine)
struct RollbackTests {
  @Test("A rollback removes new objects, restores deleted objects and changed values")
  func everything() throws {
    let world = try World()
    let author = Author("A")
    let book = Book("B", pages: 3, author: author)
    book.chapters = [Chapter("c")]
    book.tags = [Tag("t")]
    world.context.insert(book)
    try world.context.save()

    let new = Book("new", author: author)
    world.context.insert(new)
    book.title = "changed"
    book.author = nil
    book.tags = []
    world.context.delete(book)
    world.context.processPendingChanges()
    #expect(book.chapters.filter(\.isDeleted).count == 1)
    world.context.rollback()

    #expect(!world.context.hasChanges)
    #expect(new.modelContext == nil && new.title == "new")
    #expect(book.title == "B" && book.author === author && !book.isDeleted && !book.hasChanges)
    #expect(book.tags.map(\.word) == ["t"] && book.chapters.map(\.heading) == ["c"])
    #expect(author.books == [book])
    try world.context.save()
    #expect(try world.fresh.fetchCount(FetchDescriptor<Book>()) == 1)
    try world.check()
  }

  @Test("A failed save leaves everything pending, and a second try succeeds")
  func failedSave() throws {
    let world = try World()
    let room = Room(1)
    let box = Box("b", in: room)
    world.context.insert(box)
    try world.context.save()
    let other = Room(2)
    world.context.insert(other)
    world.context.delete(room)
    #expect(throws: SwiftDataError.modelValidationFailure) { try world.context.save() }
    #expect(room.isDeleted && other._$state.status == .inserted)
    box.room = other
    try world.context.save()
    #expect(try world.fresh.all(Room.self).map(\.number) == [2])
    try world.check()
  }
}
