import Foundation
import SwiftData
import Testing

/// The examples and statements of the article on relationships.
@Suite("Relating objects", ChapterPlace.condition, .temporaryFolder) struct RelatingObjectsTests {
  @Model final class Author {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
    init(name: String) { self.name = name }
  }

  @Model final class Book {
    var title: String
    var author: Author?
    @Relationship(.ordered, inverse: \Tag.books) var tags: [Tag] = []
    @Relationship(deleteRule: .deny, inverse: \Loan.book) var loans: [Loan] = []
    init(title: String) { self.title = title }
  }

  @Model final class Tag {
    var name: String
    var books: [Book] = []
    init(name: String) { self.name = name }
  }

  @Model final class Loan {
    var reader: String
    var book: Book
    init(reader: String, book: Book) {
      self.reader = reader
      self.book = book
    }
  }

  /// Both sides fit twice.
  @Model final class Flight {
    var origin: Airport?
    var destination: Airport?
    init() {}
  }

  @Model final class Airport {
    var departures: [Flight] = []
    var arrivals: [Flight] = []
    init() {}
  }

  private func library() throws -> ModelContext {
    let configuration = ModelConfiguration(url: TemporaryFolder.url.appendingPathComponent("Library.store"))
    return ModelContext(try ModelContainer(for: Loan.self, configurations: configuration))
  }

  @Test func `The article's examples`() throws {
    let context = try library()
    var printed: [String] = []
    func print(_ values: Any...) { printed.append(values.map { "\($0)" }.joined(separator: " ")) }

    let author = Author(name: "Vazov")
    context.insert(author)
    let book = Book(title: "Pod igoto")
    book.author = author  // the book enters the context
    print(author.books.count)  // 1
    try context.save()
    #expect(printed == ["1"])
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 1)

    book.tags = [Tag(name: "novel"), Tag(name: "classic")]
    book.tags.swapAt(0, 1)
    try context.save()
    let fresh = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Book>()).first)
    #expect(fresh.tags.map(\.name) == ["classic", "novel"])

    let loan = Loan(reader: "Mira", book: book)
    context.insert(loan)
    context.delete(book)
    do {
      try context.save()
    } catch SwiftDataError.modelValidationFailure {
      context.rollback()
    }
    #expect(!book.isDeleted && book.author === author)
    #expect(try context.fetchCount(FetchDescriptor<Loan>()) == 0)

    printed = []
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
    descriptor.relationshipKeyPathsForPrefetching = [\.author]
    for book in try context.fetch(descriptor) { print(book.title, book.author?.name ?? "–") }
    #expect(printed == ["Pod igoto Vazov"])
  }

  @Test func `Without an order of their own, members of a fetched object have the order of their first saves`() throws {
    let context = try library()
    let books = ["a", "b", "c"].map { Book(title: $0) }
    for book in books {
      context.insert(book)
      try context.save()
    }
    let author = Author(name: "Vazov")
    author.books = [books[2], books[0], books[1]]
    context.insert(author)
    try context.save()
    let fresh = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Author>()).first)
    #expect(fresh.books.map(\.title) == ["a", "b", "c"])
  }

  @Test func `Of objects in no context only the side that was set has a value, until an insertion`() throws {
    let context = try library()
    let (author, book) = (Author(name: "Vazov"), Book(title: "Pod igoto"))
    book.author = author
    #expect(author.books.isEmpty)
    context.insert(book)
    #expect(author.modelContext === context && author.books.map(\.title) == ["Pod igoto"])
  }

  @Test func `A required relationship without its object, and an object of another context, make the save throw`()
    throws
  {
    let context = try library()
    let book = Book(title: "Pod igoto")
    let loan = Loan(reader: "Mira", book: book)
    context.insert(loan)
    try context.save()
    context.delete(loan)
    try context.save()

    let other = ModelContext(context.container)
    let stranger = Author(name: "Other")
    other.insert(stranger)
    try other.save()
    book.author = stranger
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.explanation?.contains("another context") == true)
  }

  @Test func `An ambiguous inverse is refused with the candidates`() throws {
    let error = #expect(throws: SwiftDataError.unsupportedSchema) {
      try ModelContainer(for: Flight.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(error?.explanation?.contains("Flight.origin") == true)
  }
}
