import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Conflicts that a policy settles", .everyEngine)
struct SaveConflictTests {
  let world: World
  let book: Book
  let other: ModelContext
  /// The object of the same row in the other context.
  let theirs: Book

  private static let settling = [SaveConflictPolicy.keepStored, .overwrite, .rollback]

  init() throws {
    world = try World()
    book = Book("A", pages: 1, author: Author("Karl May"))
    world.context.insert(book)
    world.context.insert(Book("B", pages: 2))
    world.context.insert(Author("Ivan Vazov"))
    world.context.insert(Author("Jules Verne"))
    try world.context.save()
    other = world.fresh
    theirs = try #require(try other.first(Book.self, where: #Predicate { $0.title == "A" }))
  }

  private func author(_ name: String, in context: ModelContext) throws -> Author {
    try #require(try context.first(Author.self, where: #Predicate { $0.name == name }))
  }

  private func books() throws -> [String] {
    try world.fresh.all(Book.self).map { "\($0.title) \($0.pages) \($0.author?.name ?? "-")" }.sorted()
  }

  @Test("keepStored: of a property that both have changed the stored value stays, other changes are merged")
  func keepStored() throws {
    other.conflictPolicy = .keepStored
    theirs.title = "other's"
    theirs.pages = 5
    book.title = "mine"
    try world.context.save()
    try other.save()
    #expect(try books() == ["B 2 -", "mine 5 Karl May"])
    #expect(theirs.title == "mine" && theirs.pages == 5 && !other.hasChanges)
    try world.check()
  }

  @Test("keepStored: without a common property both changes are saved, and the object shows both")
  func differentProperties() throws {
    other.conflictPolicy = .keepStored
    theirs.pages = 5
    book.title = "mine"
    try world.context.save()
    try other.save()
    #expect(try books() == ["B 2 -", "mine 5 Karl May"])
    #expect(theirs.title == "mine" && theirs.pages == 5)
    theirs.pages = 6
    try other.save()
    #expect(try books() == ["B 2 -", "mine 6 Karl May"])
  }

  @Test("keepStored: a stored destination stays, and inverses agree with it")
  func storedDestination() throws {
    other.conflictPolicy = .keepStored
    let (verne, vazov) = (try author("Jules Verne", in: other), try author("Ivan Vazov", in: other))
    theirs.author = verne
    #expect(verne.books == [theirs])
    book.author = try author("Ivan Vazov", in: world.context)
    try world.context.save()
    try other.save()
    #expect(try books() == ["A 1 Ivan Vazov", "B 2 -"])
    #expect(theirs.author === vazov && verne.books.isEmpty && vazov.books == [theirs] && !other.hasChanges)
    try world.check()
  }

  @Test("overwrite: no row leads to a row that somebody else has deleted", arguments: [false, true])
  func deletedDestination(isKnown: Bool) throws {
    other.conflictPolicy = .overwrite
    if isKnown { #expect(theirs.author?.name == "Karl May") }
    theirs.pages = 7
    world.context.delete(try author("Karl May", in: world.context))
    try world.context.save()
    try other.save()
    #expect(try books() == ["A 7 -", "B 2 -"])
    #expect(theirs.author == nil && !other.hasChanges)
    try world.check()
  }

  @Test(
    "A stored destination that the save itself deletes does not come back",
    arguments: [SaveConflictPolicy.keepStored, .rollback])
  func destinationDeletedHere(policy: SaveConflictPolicy) throws {
    other.conflictPolicy = policy
    #expect(theirs.author?.name == "Karl May")
    for author in try other.all(Author.self) { other.delete(author) }
    other.processPendingChanges()
    #expect(theirs.author == nil)
    book.pages = 7
    if policy == .keepStored { book.author = try author("Ivan Vazov", in: world.context) }
    try world.context.save()
    try other.save()
    #expect(try books() == ["A 7 -", "B 2 -"])
    let fresh = world.fresh
    #expect(try fresh.all(Book.self).allSatisfy { !fresh.hasKeyWithoutRow($0, "author") })
    #expect(theirs.author == nil && theirs.pages == 7 && !other.hasChanges)
    try world.check()
  }

  @Test("rollback: an object whose required stored destination the save deletes keeps the one that it was given")
  func requiredDestinationDeletedHere() throws {
    let box = Box("box", in: Room(1))
    world.context.insert(box)
    world.context.insert(Room(2))
    try world.context.save()
    other.conflictPolicy = .rollback
    let same = try #require(try other.all(Box.self).first)
    let left = same.room
    same.label = "other's"
    same.room = try #require(try other.first(Room.self, where: #Predicate { $0.number == 2 }))
    other.delete(left)
    box.label = "mine"
    try world.context.save()
    try other.save()
    #expect(try world.fresh.all(Box.self).map { "\($0.label) \($0.room.number)" } == ["mine 2"])
    #expect(try world.fresh.all(Room.self).map(\.number) == [2])
    #expect(same.label == "mine" && same.room.number == 2 && !other.hasChanges)
    try world.check()
  }

  @Test("overwrite: the object is written with all its values")
  func overwrite() throws {
    other.conflictPolicy = .overwrite
    theirs.title = "other's"
    book.title = "mine"
    book.pages = 9
    book.author = try author("Ivan Vazov", in: world.context)
    try world.context.save()
    try other.save()
    #expect(try books() == ["B 2 -", "other's 1 Karl May"])
    #expect(theirs.title == "other's" && theirs.pages == 1 && theirs.author?.name == "Karl May")
    try world.check()
  }

  @Test("overwrite: the owner that the row named loses the object in the context that saves, too")
  func replacedOwner() throws {
    other.conflictPolicy = .overwrite
    let vazov = try author("Ivan Vazov", in: other)
    #expect(theirs.author?.name == "Karl May")
    theirs.pages = 7
    book.author = try author("Ivan Vazov", in: world.context)
    try world.context.save()
    _ = try other.all(Author.self)
    _ = vazov.books.count
    try other.save()
    #expect(try books() == ["A 7 Karl May", "B 2 -"])
    #expect(vazov.books.isEmpty && theirs.author?.books == [theirs] && !other.hasChanges)
    try world.check()
  }

  @Test("rollback: an object in conflict takes the stored values, and other objects are saved")
  func rollback() throws {
    other.conflictPolicy = .rollback
    theirs.title = "other's"
    theirs.pages = 5
    theirs.author = try author("Jules Verne", in: other)
    try #require(try other.first(Book.self, where: #Predicate { $0.title == "B" })).pages = 7
    book.title = "mine"
    try world.context.save()
    try other.save()
    #expect(try books() == ["B 7 -", "mine 1 Karl May"])
    #expect(theirs.title == "mine" && theirs.pages == 1 && theirs.author?.name == "Karl May" && !other.hasChanges)
    #expect(try author("Jules Verne", in: other).books.isEmpty)
    theirs.pages = 6
    try other.save()
    #expect(try books() == ["B 7 -", "mine 6 Karl May"])
    try world.check()
  }

  @Test("A row that nobody else has changed is written under every policy")
  func noConflict() throws {
    for (pages, policy) in Self.settling.enumerated() {
      other.conflictPolicy = policy
      theirs.pages = pages + 10
      try other.save()
      #expect(try books() == ["A \(pages + 10) Karl May", "B 2 -"])
    }
  }

  @Test("A deletion wins over a change under every policy, on either side")
  func deletions() throws {
    for policy in Self.settling {
      let world = try World()
      for title in ["A", "B"] { world.context.insert(Book(title)) }
      try world.context.save()
      let other = world.fresh
      other.conflictPolicy = policy
      func book(_ title: String, in context: ModelContext) throws -> Book {
        try #require(try context.first(Book.self, where: #Predicate { $0.title == title }))
      }
      let gone = try book("A", in: other)
      gone.pages = 5
      other.delete(try book("B", in: other))
      world.context.delete(try book("A", in: world.context))
      try book("B", in: world.context).pages = 6
      try world.context.save()
      try other.save()
      #expect(gone.isDeleted && !other.hasChanges, "\(policy)")
      #expect(try world.fresh.all(Book.self).isEmpty, "\(policy)")
    }
  }

  @Test("Members of relationships to many are added and removed one by one under every policy")
  func members() throws {
    for policy in Self.settling {
      let world = try World()
      let book = Book("A")
      world.context.insert(book)
      try world.context.save()
      let other = world.fresh
      other.conflictPolicy = policy
      let theirs = try #require(try other.all(Book.self).first)
      theirs.tags.append(Tag("other's"))
      theirs.title = "other's"
      book.tags.append(Tag("mine"))
      book.pages = 3
      try world.context.save()
      try other.save()
      let saved = try #require(try world.fresh.all(Book.self).first)
      #expect(saved.tags.map(\.word).sorted() == ["mine", "other's"], "\(policy)")
      #expect(saved.title == (policy == .rollback ? "A" : "other's"), "\(policy)")
      #expect(saved.pages == (policy == .overwrite ? 0 : 3), "\(policy)")
      #expect(Set(theirs.tags.map(\.word)) == ["mine", "other's"] && theirs.pages == saved.pages, "\(policy)")
      try world.check()
    }
  }

  @Test("Settling a conflict registers no undo action")
  func undo() throws {
    let manager = UndoManager()
    other.undoManager = manager
    other.conflictPolicy = .rollback
    theirs.title = "other's"
    other.processPendingChanges()
    book.title = "mine"
    try world.context.save()
    #expect(manager.undoCount == 1)
    try other.save()
    #expect(manager.undoCount == 1 && theirs.title == "mine")
  }

  @Test("fail: a deletion whose rules were applied before somebody changed the row is a conflict")
  func deletion() throws {
    other.conflictPolicy = .fail
    other.delete(theirs)
    other.processPendingChanges()
    book.title = "mine"
    try world.context.save()
    #expect(throws: SwiftDataError.saveConflict) { try other.save() }
    #expect(try books() == ["B 2 -", "mine 1 Karl May"])
  }

  @Test(
    "After a refused save, another policy settles the same conflict",
    arguments: [SaveConflictPolicy.keepStored, .rollback])
  func laterPolicy(policy: SaveConflictPolicy) throws {
    other.conflictPolicy = .fail
    theirs.title = "other's"
    book.title = "mine"
    try world.context.save()
    #expect(throws: SwiftDataError.saveConflict) { try other.save() }
    other.conflictPolicy = policy
    try other.save()
    #expect(try books() == ["B 2 -", "mine 1 Karl May"])
    #expect(theirs.title == "mine" && !other.hasChanges)
  }
}
