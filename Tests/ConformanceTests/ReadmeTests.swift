import Foundation
import SwiftData
import TestSupport
import Testing

// The README's first program, letter for letter, so that the README stays correct.

@Model final class Book {
  @Attribute(.unique) var isbn: String
  var title: String
  var author: Author?
  init(isbn: String, title: String) {
    self.isbn = isbn
    self.title = title
  }
}

@Model final class Author {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
  init(name: String) { self.name = name }
}

struct ReadmeTests {
  @Test func `The README's first program finds the book it saved`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Readme-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { LeftStores.remove(folder) }
    let url = folder.appendingPathComponent("library.store")

    let container = try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)

    let vazov = Author(name: "Vazov")
    vazov.books = [Book(isbn: "9789540900001", title: "Pod igoto")]
    context.insert(vazov)
    try context.save()

    let descriptor = FetchDescriptor<Book>(
      predicate: #Predicate { $0.title.localizedStandardContains("IGO") },
      sortBy: [SortDescriptor(\.title)])
    var lines: [String] = []
    for book in try context.fetch(descriptor) {
      lines.append("\(book.title) \(book.author?.name ?? "–")")
    }
    #expect(lines == ["Pod igoto Vazov"])
  }
}
