import Foundation
import SwiftData
import Testing

/// The example of the documentation's first page.
@Suite("The documentation's first page", .temporaryFolder, ChapterPlace.condition) struct FirstPageTests {
  @Model final class Book {
    var title: String
    var author: Author?
    init(title: String) { self.title = title }
  }

  @Model final class Author {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
    init(name: String) { self.name = name }
  }

  @Test func `The first program finds the book that it saved`() throws {
    let url = TemporaryFolder.url.appendingPathComponent("Library.store")
    let container = try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)

    let author = Author(name: "Vazov")
    author.books = [Book(title: "Pod igoto")]
    context.insert(author)
    try context.save()

    let books = try context.fetch(
      FetchDescriptor<Book>(
        predicate: #Predicate { $0.author?.name == "Vazov" },
        sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.title) == ["Pod igoto"])
  }
}
