import Foundation
import SwiftData
import Testing

/// The examples and statements of the article on predicates.
@Suite("Writing predicates", ChapterPlace.condition, .temporaryFolder) struct WritingPredicatesTests {
  enum Kind: String, Codable { case novel, poem, play }

  struct Place: Codable {
    var city: String
  }

  @Model final class Author {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
    init(name: String) { self.name = name }
  }

  @Model class Book {
    var title: String
    var year: Int
    var pages: Int
    var kind: Kind
    var author: Author?
    var place: Place
    var words: [String]
    init(title: String, year: Int, pages: Int, kind: Kind = .novel, city: String = "Sofia", words: [String] = []) {
      (self.title, self.year, self.pages, self.kind) = (title, year, pages, kind)
      place = Place(city: city)
      self.words = words
    }

    var shouted: String { title.uppercased() }
  }

  @Model final class AudioBook: Book {
    var minutes: Int = 90
  }

  private func library() throws -> (ModelContext, Author) {
    let configuration = ModelConfiguration(url: TemporaryFolder.url.appendingPathComponent("Library.store"))
    let context = ModelContext(try ModelContainer(for: Author.self, AudioBook.self, configurations: configuration))
    let author = Author(name: "Vazov")
    author.books = [
      Book(title: "Pod igoto", year: 1894, pages: 460, words: ["igo"]),
      AudioBook(title: "Nova zemya", year: 1896, pages: 610),
    ]
    context.insert(author)
    context.insert(Book(title: "Élégie", year: 1901, pages: 90, kind: .poem, city: "Plovdiv"))
    context.insert(Book(title: "Svatba", year: 1899, pages: 170, kind: .play))
    try context.save()
    return (context, author)
  }

  private func titles(_ context: ModelContext, _ predicate: Predicate<Book>) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate)).map(\.title).sorted()
  }

  @Test func `The article's examples`() throws {
    let (context, author) = try library()
    let name = "Vazov"
    let old = #Predicate<Book> { $0.year < 1900 && $0.author?.name == name }
    let books = try context.fetch(FetchDescriptor(predicate: old))
    #expect(books.count == 2)

    let wanted: [Kind] = [.novel, .poem]
    let kinds = #Predicate<Book> { wanted.contains($0.kind) }
    let long = #Predicate<Author> { author in author.books.contains { $0.pages > 500 } }
    let audio = #Predicate<Book> { ($0 as? AudioBook)?.minutes ?? 0 > 60 }
    #expect(try titles(context, kinds) == ["Nova zemya", "Pod igoto", "Élégie"])
    #expect(try context.fetch(FetchDescriptor(predicate: long)).map(\.name) == ["Vazov"])
    #expect(try titles(context, audio) == ["Nova zemya"])

    let identifier = author.persistentModelID
    let theirs = #Predicate<Book> { $0.author?.persistentModelID == identifier }
    #expect(try titles(context, theirs) == ["Nova zemya", "Pod igoto"])

    let short = #Predicate<Book> { $0.pages < 100 }
    let shortBooks = #Expression<[Book], Int> { books in books.filter { $0.pages < 100 }.count }
    let unsigned = #Predicate<Book> { short.evaluate($0) && $0.author == nil }
    let brief = #Predicate<Author> { shortBooks.evaluate($0.books) > 10 }
    #expect(try titles(context, unsigned) == ["Élégie"])
    #expect(try context.fetch(FetchDescriptor(predicate: brief)).isEmpty)
    let found = FetchDescriptor<Book>(predicate: Predicate(any: [short, unsigned]))
    #expect(try context.fetch(found).map(\.title) == ["Élégie"])

    var printed: [String] = []
    func print(_ value: Any) { printed.append("\(value)") }
    let recent = try FetchDescriptor<Book>(format: "year > $YEAR AND author.name BEGINSWITH[c] 'v'", ["YEAR": 1895])
    print(recent)
    #expect(try context.fetch(recent).map(\.title) == ["Nova zemya"])
    #expect(printed.count == 1 && printed[0].contains("year") && !printed[0].contains("1895"))
  }

  @Test func `What the table of SQL names selects the same objects as in memory`() throws {
    let (context, author) = try library()
    let (same, after) = (ComparisonResult.orderedSame, ComparisonResult.orderedDescending)
    let title = "nova zemya", city = "Plovdiv"
    let table: [(Predicate<Book>, [String])] = [
      (#Predicate { $0.title.localizedStandardContains("eleg") }, ["Élégie"]),
      (#Predicate { $0.title.caseInsensitiveCompare(title) == same }, ["Nova zemya"]),
      (#Predicate { $0.title.localizedCompare("S") == after }, ["Svatba"]),
      (#Predicate { $0.title.starts(with: "Po") || $0.title.count == 6 }, ["Pod igoto", "Svatba", "Élégie"]),
      (#Predicate { ($0.pages > 500 ? $0.year : 0) == 1896 }, ["Nova zemya"]),
      (#Predicate { $0.pages % 100 == 60 }, ["Pod igoto"]),
      (#Predicate { 1000 / ($0.pages - 460) > 5 }, ["Nova zemya"]),
      (#Predicate { $0 is AudioBook }, ["Nova zemya"]),
      (#Predicate { $0.place.city == city }, ["Élégie"]),
      (#Predicate { $0.author.flatMap { $0.name.isEmpty } ?? true }, ["Svatba", "Élégie"]),
      (
        #Predicate { book in
          if let author = book.author { return author.books.allSatisfy { $0.pages > 400 } } else { return false }
        }, ["Nova zemya", "Pod igoto"]
      ),
      (
        #Predicate { $0.author.flatMap { $0.books.filter { $0.pages > 500 }.count == 1 } ?? false },
        ["Nova zemya", "Pod igoto"]
      ),
      (#Predicate { $0.shouted == "SVATBA" }, ["Svatba"]), (#Predicate { $0.words.contains("igo") }, ["Pod igoto"]),
      (#Predicate { $0.title.contains(/ig.to/) }, ["Pod igoto"]),
    ]
    for (predicate, expected) in table {
      #expect(try titles(context, predicate) == expected, "\(FetchDescriptor(predicate: predicate))")
    }
    #expect(author.books.count == 2)
  }
}
