import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Saves that fail after their conflicts were settled", .everyEngine)
struct FailedSaveTests {
  private static let policies = [
    SaveConflictPolicy.mergeByProperty, .keepStored, .overwrite, .rollback, .fail,
  ]

  let world: World
  let book: Book
  let other: ModelContext
  /// The object of the same row in the other context.
  let theirs: Book

  init() throws {
    world = try World()
    book = Book("A", pages: 1, author: Author("Karl May"))
    book.tags = [Tag("old")]
    book.cover = Cover("red")
    let second = Book("B", pages: 2)
    second.cover = Cover("blue")
    let objects: [any PersistentModel] = [
      book, second, Author("Ivan Vazov"), Author("Jules Verne"), Cover("green"), Box("b", in: Room(1)),
    ]
    for object in objects { world.context.insert(object) }
    try world.context.save()
    other = world.fresh
    theirs = try #require(try other.first(Book.self, where: #Predicate { $0.title == "A" }))
  }

  private func author(_ name: String, in context: ModelContext) throws -> Author {
    try #require(try context.first(Author.self, where: #Predicate { $0.name == name }))
  }

  private func cover(_ colour: String, in context: ModelContext) throws -> Cover {
    try #require(try context.first(Cover.self, where: #Predicate { $0.colour == colour }))
  }

  /// What a program sees of the other context's objects.
  private func state(_ objects: [any PersistentModel]) -> [String] {
    let values = objects.map { object in
      let values =
        switch object {
        case let book as Book:
          [
            "\(book.title) \(book.pages) by \(book.author?.name ?? "-") in \(book.cover?.colour ?? "-")",
            "tagged \(book.tags.map(\.word).sorted())",
          ]
        case let author as Author: ["\(author.name) wrote \(author.books.map(\.title).sorted())"]
        case let cover as Cover: ["\(cover.colour) of \(cover.book?.title ?? "-")"]
        case let tag as Tag: ["\(tag.word) of \(tag.books.map(\.title).sorted())"]
        default: [""]
        }
      return (values + [object.hasChanges ? "changed" : "unchanged"]).joined(separator: ", ")
    }
    let pending = [other.insertedModelsArray, other.changedModelsArray, other.deletedModelsArray].map { models in
      models.map { "\($0.persistentModelID.entityName) \($0.persistentModelID)" }.sorted().joined(separator: ", ")
    }
    return values + pending + [other.hasChanges ? "has changes" : "has no changes"]
  }

  /// Saves, and expects that the save fails: at once, or after the policy has settled conflicts.
  private func expectFailure(_ policy: SaveConflictPolicy) throws {
    guard policy != .fail else {
      #expect(throws: SwiftDataError.saveConflict) { try other.save() }
      return
    }
    // A deletion that a delete rule denies. Validation precedes the first attempt to write, and each further one.
    let room = try #require(try other.all(Room.self).first)
    var isDue = true
    func deny() {
      if isDue { other.delete(room) }
      isDue = false
    }
    let stream = other.core.changeStream
    let listener = stream.addListener { if case .willSave = $0 { deny() } }
    defer { stream.removeListener(listener) }
    // This policy has no conflicts in stores that merge by themselves.
    if policy == .mergeByProperty { deny() }
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.save() }
    #expect(room.isDeleted)
    other.insert(room)
    #expect(!room.isDeleted)
  }

  @Test("Every change is pending as before, and a later save settles the same conflict", arguments: policies)
  func values(policy: SaveConflictPolicy) throws {
    other.conflictPolicy = policy
    let (verne, vazov) = (try author("Jules Verne", in: other), try author("Ivan Vazov", in: other))
    let (may, new) = (try author("Karl May", in: other), Tag("new"))
    theirs.title = "theirs"
    theirs.pages = 5
    theirs.author = verne
    theirs.tags.append(new)
    book.title = "mine"
    book.author = try author("Ivan Vazov", in: world.context)
    try world.context.save()

    // A fetch takes in the values that the other context has not changed.
    let second = try #require(try other.first(Book.self, where: #Predicate { $0.title == "B" }))
    let objects: [any PersistentModel] = [theirs, second, verne, vazov, may, new] + theirs.tags
    let before = state(objects)
    for _ in 0..<2 {
      try expectFailure(policy)
      #expect(state(objects) == before)
    }
    #expect(try world.fresh.all(Book.self).map(\.title).sorted() == ["B", "mine"])

    guard policy != .fail else { return }
    try other.save()
    let takesTitle = [.keepStored, .rollback].contains(policy)
    let saved = try #require(try world.fresh.all(Book.self).first { $0.title != "B" })
    #expect(saved.title == (takesTitle ? "mine" : "theirs") && saved.pages == (policy == .rollback ? 1 : 5))
    #expect(saved.author?.name == (takesTitle ? "Ivan Vazov" : "Jules Verne"))
    #expect(saved.tags.map(\.word).sorted() == ["new", "old"])
    #expect(theirs.title == saved.title && theirs.author?.name == saved.author?.name && !other.hasChanges)
    try world.check()
  }

  @Test("Both sides of relationships between two objects are pending as before", arguments: policies)
  func partners(policy: SaveConflictPolicy) throws {
    other.conflictPolicy = policy
    let (red, blue) = (try cover("red", in: other), try cover("blue", in: other))
    let green = try cover("green", in: other)
    let second = try #require(try other.first(Book.self, where: #Predicate { $0.title == "B" }))
    // The book takes the cover of the second one, which takes its former cover.
    theirs.cover = blue
    second.cover = red
    book.cover = try cover("green", in: world.context)
    try world.context.save()

    _ = try other.all(Book.self)
    let objects: [any PersistentModel] = [theirs, second, red, blue, green]
    let before = state(objects)
    for _ in 0..<2 {
      try expectFailure(policy)
      #expect(state(objects) == before)
    }
    other.rollback()
    #expect(theirs.cover === green && second.cover === blue && red.book == nil && !other.hasChanges)
  }

  @Test("A rollback after the failed save shows the stored values", arguments: policies)
  func rollback(policy: SaveConflictPolicy) throws {
    other.conflictPolicy = policy
    theirs.title = "theirs"
    book.title = "mine"
    book.pages = 9
    try world.context.save()
    try expectFailure(policy)
    #expect(theirs.title == "theirs")
    other.rollback()
    #expect(theirs.title == "mine" && theirs.pages == 9 && !other.hasChanges)
    theirs.pages = 10
    try other.save()
    #expect(try world.fresh.all(Book.self).map(\.pages).sorted() == [2, 10])
  }

  @Test("The failed save registers no undo action, and the actions before it can be undone")
  func undo() throws {
    let manager = UndoManager()
    other.undoManager = manager
    other.conflictPolicy = .rollback
    theirs.title = "theirs"
    other.processPendingChanges()
    book.title = "mine"
    try world.context.save()
    let stream = other.core.changeStream
    let box = try #require(try other.all(Box.self).first)
    nonisolated(unsafe) var isDue = true
    let listener = stream.addListener { [other] change in
      guard case .willSave = change, isDue else { return }
      isDue = false
      other.undoManager?.disableUndoRegistration()
      other.delete(box.room)
      other.undoManager?.enableUndoRegistration()
    }
    defer { stream.removeListener(listener) }
    #expect(manager.undoCount == 1)
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.save() }
    #expect(manager.undoCount == 1 && theirs.title == "theirs")
    manager.undo()
    #expect(theirs.title == "mine" && !theirs.hasChanges)
  }

  @Test("A change that a unique value refuses leaves the changes that the policy has dropped", arguments: policies)
  func uniqueValue(policy: SaveConflictPolicy) throws {
    guard policy != .fail, TestEngine.current != .dictionaries else { return }
    other.conflictPolicy = policy
    let vazov = try author("Ivan Vazov", in: other)
    theirs.title = "theirs"
    vazov.name = "Jules Verne"
    book.title = "mine"
    try world.context.save()
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.save() }
    #expect(theirs.title == "theirs" && vazov.name == "Jules Verne" && other.changedModelsArray.count == 2)
    vazov.name = "Vazov"
    try other.save()
    let title = [.keepStored, .rollback].contains(policy) ? "mine" : "theirs"
    #expect(theirs.title == title && !other.hasChanges)
    #expect(try world.fresh.all(Book.self).map(\.title).sorted() == ["B", title])
  }

  @Test("fail: a save that throws keeps links to an object that another context has deleted")
  func deletedMember() throws {
    other.conflictPolicy = .fail
    let tag = Tag("gone")
    world.context.insert(tag)
    try world.context.save()
    let gone = try #require(try other.first(Tag.self, where: #Predicate { $0.word == "gone" }))
    theirs.title = "theirs"
    theirs.tags.append(gone)
    let before = state([theirs, gone] + theirs.tags)
    book.title = "mine"
    world.context.delete(tag)
    try world.context.save()
    for _ in 0..<2 {
      try expectFailure(.fail)
      #expect(state([theirs, gone] + theirs.tags) == before)
    }
  }

  @Test("fail: a save that throws keeps the links of an object that another context has deleted")
  func deletedOwner() throws {
    other.conflictPolicy = .fail
    let (old, new) = (try #require(try other.all(Tag.self).first), Tag("new"))
    theirs.tags.append(new)
    theirs.title = "theirs"
    let before = state([theirs, old, new])
    world.context.delete(book)
    try world.context.save()
    for _ in 0..<2 {
      try expectFailure(.fail)
      #expect(state([theirs, old, new]) == before)
    }
    other.rollback()
    #expect(theirs.isDeleted && old.books.isEmpty && !other.hasChanges)
  }
}
