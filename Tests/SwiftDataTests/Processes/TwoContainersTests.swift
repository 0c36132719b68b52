import CoreDataStore
import Foundation
import StoreRequests
import TestSupport
import Testing

@testable import SwiftData

/// Two independent containers have one file open, as two programs do.
@Suite struct TwoContainersTests {
  private let store: TemporaryStore
  private let here: ModelContext
  private let there: ModelContext

  init() throws {
    store = try TemporaryStore()
    here = ModelContext(try ContextLibrary.container(store))
    there = ModelContext(try ContextLibrary.container(store))
  }

  private func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try Oracle.expectSound(store.url, fresh: true, sourceLocation: sourceLocation)
  }

  private func book(_ title: String, in context: ModelContext) throws -> Book {
    try #require(try context.first(Book.self, where: #Predicate { $0.title == title }))
  }

  private func fresh() throws -> ModelContext { ModelContext(try ContextLibrary.container(store)) }

  @Test func `The next fetch here sees a save there: new, changed, moved and deleted objects`() throws {
    let author = Author("A")
    here.insert(author)
    let books = (0..<3).map { Book("\($0)", author: author) }
    books[0].tags = [Tag("old")]
    books.forEach { here.insert($0) }
    try here.save()
    #expect(author.books.count == 3 && books[0].tags.count == 1)

    let theirs = try there.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    let other = Author("B")
    theirs[0].tags.append(Tag("new"))
    theirs[0].pages = 100
    theirs[1].author = other
    there.delete(theirs[2])
    there.insert(Book("3", author: theirs[0].author))
    try there.save()

    let now = try here.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(now.map(\.title) == ["0", "1", "3"] && now[0] === books[0] && now[0].pages == 100)
    #expect(books[0].tags.map(\.word).sorted() == ["new", "old"])
    #expect(books[1].author?.name == "B" && books[1].author?.books.map(\.title) == ["1"])
    _ = try here.all(Author.self)
    #expect(author.books.map(\.title).sorted() == ["0", "3"])
    #expect(!here.hasChanges)
    try check()
  }

  @Test func `CD-6 Both change one object: different properties merge, of one property the later save wins`()
    throws
  {
    here.insert(Book("old", pages: 1))
    try here.save()
    let (mine, theirs) = (try book("old", in: here), try book("old", in: there))
    mine.title = "new"
    theirs.pages = 2
    try there.save()
    try here.save()
    #expect(mine.pages == 2 && mine.title == "new", "what a row had become is read back")
    #expect(try book("new", in: there) === theirs && theirs.pages == 2)
    theirs.pages = 3
    mine.pages = 4
    try there.save()
    try here.save()
    #expect(try book("new", in: fresh()).pages == 4)
    try check()
  }

  @Test func `CD-6 Under the policy .fail a save never overwrites another container's save`() throws {
    here.insert(Book("old", pages: 1))
    try here.save()
    there.conflictPolicy = .fail
    let (mine, theirs) = (try book("old", in: here), try book("old", in: there))
    mine.title = "mine"
    try here.save()
    theirs.pages = 2
    there.insert(Book("another"))
    let error = #expect(throws: SwiftDataError.saveConflict) { try there.save() }
    #expect(error?.explanation?.contains("Book/p1") == true)
    #expect(there.hasChanges && theirs.pages == 2)
    #expect(try fresh().all(Book.self).map(\.title) == ["mine"])
    there.rollback()
    let again = try book("mine", in: there)
    #expect(again === theirs && again.pages == 1)
    again.pages = 2
    try there.save()
    #expect(try book("mine", in: fresh()).pages == 2)
    try check()
  }

  @Test func `CD-6 An object deleted there is dropped here; deleting it on both sides is one deletion`() throws {
    for title in ["a", "b"] { here.insert(Book(title)) }
    try here.save()
    let theirs = try there.all(Book.self).sorted { $0.title < $1.title }
    let mine = try here.all(Book.self).sorted { $0.title < $1.title }
    there.delete(theirs[0])
    there.delete(theirs[1])
    try there.save()
    mine[0].pages = 7
    here.delete(mine[1])
    try here.save()
    #expect(!here.hasChanges && mine.allSatisfy { $0.isDeleted && $0.modelContext == nil })
    #expect(try here.all(Book.self).isEmpty)
    try check()
  }

  @Test func `CD-3 Both add and remove members of one relationship: all changes are kept`() throws {
    let author = Author("A")
    let book = Book("b", author: author)
    book.tags = [Tag("1"), Tag("2")]
    here.insert(book)
    try here.save()
    let theirs = try self.book("b", in: there)
    #expect(theirs.tags.count == 2 && theirs.author?.books.count == 1)
    theirs.tags.removeAll { $0.word == "1" }
    theirs.tags.append(Tag("3"))
    theirs.chapters = [Chapter("there")]
    theirs.author?.books.append(Book("there"))
    book.tags.removeAll { $0.word == "2" }
    book.tags.append(Tag("4"))
    book.chapters = [Chapter("here")]
    author.books.append(Book("here"))
    try there.save()
    try here.save()
    for context in [try fresh(), here, there] {
      let read = try self.book("b", in: context)
      _ = try context.all(Author.self)
      #expect(read.tags.map(\.word).sorted() == ["3", "4"])
      #expect(read.chapters.map(\.heading).sorted() == ["here", "there"])
      #expect(read.author?.books.map(\.title).sorted() == ["b", "here", "there"])
    }
    try check()
  }

  /// As in Core Data, the book that lost its cover keeps a foreign key to it; the foreign key in the cover's row decides.
  @Test func `CD-3.1 Both assign one cover to different books: the later save wins, unless conflicts fail`() throws {
    let cover = Cover("red")
    for title in ["a", "b"] { here.insert(Book(title)) }
    here.insert(cover)
    try here.save()
    let theirs = try #require(try there.all(Cover.self).first)
    #expect(theirs.book == nil && cover.book == nil)
    try book("a", in: there).cover = theirs
    try book("b", in: here).cover = cover
    try there.save()
    try here.save()
    for context in [try fresh(), here, there] {
      _ = try (context.all(Book.self), context.all(Cover.self))
      let b = try book("b", in: context)
      #expect(b.cover?.book === b)
    }
    let late = try fresh()
    late.conflictPolicy = .fail
    let stale = try #require(try book("b", in: late).cover)
    try book("b", in: here).cover = nil
    try here.save()
    stale.book = nil
    #expect(throws: SwiftDataError.saveConflict) { try late.save() }
    try check()
  }

  @Test func `CD-6 Keys and unique values are assigned once across both containers`() throws {
    for round in 0..<10 {
      for context in [here, there] {
        context.insert(Book("\(round)"))
        context.insert(Author("one", born: round))
        try context.save()
      }
    }
    #expect(try here.all(Author.self).map(\.born) == [9])
    let identifiers = try here.all(Book.self).map(\.persistentModelID)
    let theirs = try there.all(Book.self).map(\.persistentModelID)
    #expect(Set(identifiers).count == 20 && Set(theirs) == Set(identifiers))
    try check()
  }

  @Test func `CD-7 The history has the saves of both containers in order, each with its author`() throws {
    (here.author, there.author) = ("here", "there")
    for number in 0..<6 {
      let context = number.isMultiple(of: 2) ? here : there
      context.insert(Book("\(number)"))
      try context.save()
    }
    let persistent = try PersistentStore.open(at: store.url)
    defer { persistent.close() }
    let cursor = try persistent.history()
    var authors: [String?] = []
    var tokens: [Int64] = []
    var times: [Date] = []
    while let transaction = try cursor.next() {
      authors.append(transaction.author)
      tokens.append(transaction.number)
      times.append(transaction.date)
    }
    #expect(authors == ["here", "there", "here", "there", "here", "there"])
    #expect(tokens == tokens.sorted() && Set(tokens).count == 6 && times == times.sorted())
    #expect(try persistent.lastTransaction() == tokens.last)
  }

  @Test(.skipsLockWaits)
  func `A save waits for another program's save; after too long a wait it throws, and can be tried again`() throws {
    here.insert(Book("1"))
    try here.save()
    let persistent = try PersistentStore.open(at: store.url)
    defer { persistent.close() }
    there.insert(Book("2"))
    try persistent.write { (_) throws in
      // Readers do not wait.
      #expect(try there.fetchCount(FetchDescriptor<Book>()) == 2)
      let error = #expect(throws: SwiftDataError.storeFailure) { try there.save() }
      #expect(error?.explanation?.contains("another") == true, "\(error?.explanation ?? "")")
      #expect(there.hasChanges)
    }
    try there.save()
    #expect(try fresh().all(Book.self).count == 2)
    try check()
  }
}
