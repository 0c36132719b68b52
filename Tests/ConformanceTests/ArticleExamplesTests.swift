import Foundation
import SwiftData
import Synchronization
import Testing

/// The examples of articles, letter for letter, so that the articles stay correct.
@Suite("Examples of articles", .temporaryFolder) struct ArticleExamplesTests {
  @Model final class Book {
    @Attribute(.preserveValueOnDeletion) var title: String
    var year: Int
    var pages: Int
    var author: Author?
    init(title: String, year: Int, pages: Int) {
      (self.title, self.year, self.pages) = (title, year, pages)
    }
  }

  @Model final class Author {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
    init(name: String) { self.name = name }
  }

  private func library() throws -> ModelContext {
    let configuration = ModelConfiguration(url: TemporaryFolder.url.appendingPathComponent("Library.store"))
    return ModelContext(try ModelContainer(for: Book.self, configurations: configuration))
  }

  @Test(
    "Each line of an article's Swift is a line of the test that runs it",
    arguments: [
      ("SwiftData", "Articles/FirstPageTests.swift", 15),
      ("DeclaringModels", "Articles/DeclaringModelsTests.swift", 1),
      ("MigratingStores", "Articles/MigratingStoresTests.swift", 18),
      ("FetchingObjects", "ArticleExamplesTests.swift", 6),
      ("SavingChanges", "ArticleExamplesTests.swift", 6),
      ("FollowingChanges", "ArticleExamplesTests.swift", 6),
      ("RelatingObjects", "Articles/RelatingObjectsTests.swift", 40),
      ("WritingPredicates", "Articles/WritingPredicatesTests.swift", 12),
      ("UsingActors", "Articles/UsingActorsTests.swift", 20),
      ("WritingStores", "Articles/WritingStoresTests.swift CustomStores/JSONFileStore.swift", 30),
      ("StoringOnAServer", "../SwiftDataPostgreSQLTests/ServerArticleTests.swift", 5),
    ])
  func lines(_ article: String, _ files: String, _ fewest: Int) throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let root = tests.deletingLastPathComponent().deletingLastPathComponent()
    let page = root.appendingPathComponent("Sources/SwiftData/SwiftData.docc/\(article).md")
    func lines(_ url: URL) throws -> [String] {
      try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
    let known = Set(try files.split(separator: " ").flatMap { try lines(tests.appendingPathComponent(String($0))) })
    var isSwift = false
    var count = 0
    for line in try lines(page) {
      if line.hasPrefix("```") {
        isSwift = line == "```swift"
      } else if isSwift {
        count += 1
        let isKnown = known.contains(line)
        #expect(isKnown, "\(article): \(line)")
      }
    }
    #expect(count >= fewest)
  }

  @Test("Fetching objects and values")
  func fetching() throws {
    let context = try library()
    let vazov = Author(name: "Vazov")
    vazov.books = [Book(title: "Pod igoto", year: 1894, pages: 460), Book(title: "Nova zemya", year: 1896, pages: 610)]
    context.insert(vazov)
    context.insert(Book(title: "Bay Ganyo", year: 1895, pages: 170))
    try context.save()

    let old = FetchDescriptor<Book>(
      predicate: #Predicate { $0.year < 1900 && $0.author?.name == "Vazov" },
      sortBy: [SortDescriptor(\.year, order: .reverse), SortDescriptor(\.title)])
    let books = try context.fetch(old)
    #expect(books.map(\.title) == ["Nova zemya", "Pod igoto"])

    var printed: [String] = []
    func print(_ values: Any...) { printed.append(values.map { "\($0)" }.joined(separator: " ")) }
    for (title, author) in try context.fetchValues(old, \.title, \.author?.name) { print(title, author ?? "–") }
    #expect(printed == ["Nova zemya Vazov", "Pod igoto Vazov"])

    struct Line: Decodable {
      struct Writer: Decodable { let name: String }
      let title: String
      let author: Writer?
    }
    let lines = try context.fetchValues(old, as: Line.self)
    #expect(lines.map { "\($0.title) \($0.author?.name ?? "")" } == printed)

    let (count, pages) = try context.aggregate(Book.self, .count, .sum(\.pages))
    #expect(count == 3 && pages == 1240)
    printed = []
    for (author, (count, longest)) in try context.aggregate(Book.self, by: \.author?.name, .count, .maximum(\.pages)) {
      print(author ?? "–", count, longest ?? 0)
    }
    #expect(Set(printed) == ["Vazov 2 610", "– 1 170"])

    printed = []
    let query: SQLQuery<Book> = "SELECT \(\.title), \(\.pages) FROM \(Book.self) WHERE \(\.pages) > \(500) ORDER BY 2"
    for row in try context.sql(query) { print(row[0, as: String.self] ?? "", row[1, as: Int.self] ?? 0) }
    #expect(printed == ["Nova zemya 610"])
  }

  @Test("Full-text search")
  func searching() throws {
    let context = try library()
    for title in ["Nova zemya", "Pod igoto"] { context.insert(Book(title: title, year: 1896, pages: 1)) }
    try context.save()
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }

    try context.container.makeSearchIndex(for: Book.self, on: [\.title])
    var found = FetchDescriptor<Book>()
    found.search = TextSearch("nova zem", matching: .beginnings)
    for book in try context.fetch(found) { print(book.title) }
    #expect(printed == ["Nova zemya"])
  }

  @Test("Saving changes")
  func saving() throws {
    let context = try library()
    let author = Author(name: "Vazov")
    author.books = [Book(title: "Pod igoto", year: 1894, pages: 460)]
    context.insert(author)  // the book comes with its author
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 1)

    try context.update(model: Book.self, where: #Predicate { $0.year < 1900 }) { books in
      books.set(\.pages, to: #Expression { $0.pages + 1 })
    }
    try context.delete(model: Book.self, where: #Predicate { $0.pages > 5_000 })
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Book>()).map(\.pages) == [461])

    context.undoManager = UndoManager()
    author.name = "Ivan Vazov"
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(author.name == "Vazov")

    let container = context.container
    for save in container.unfinishedSaves {
      print(save)  // names both stores, the transaction and the reason
      try container.discard(save)  // once the objects are as they should be
    }
  }

  @Test("An object of a class that several stores keep goes into the named one")
  func severalStores() throws {
    let schema = Schema([Book.self, Author.self])
    func configuration(_ name: String) -> ModelConfiguration {
      ModelConfiguration(name, schema: schema, url: TemporaryFolder.url.appendingPathComponent("\(name).store"))
    }
    let (recent, archive) = (configuration("recent"), configuration("archive"))
    let container = try ModelContainer(for: schema, configurations: recent, archive)
    let context = ModelContext(container)
    let author = Author(name: "Vazov")
    try context.insert(author, into: archive)
    try context.save()
    #expect(author.persistentModelID.storeIdentifier == container.storeIdentifier(forConfigurationNamed: "archive"))
  }

  @Test("Following changes")
  func following() throws {
    let context = try library()
    let observer = try ResultsObserver(
      filterBy: #Predicate<Book> { $0.pages > 500 }, sortBy: [SortDescriptor(\.title)], modelContext: context)
    var printed: [String] = []
    func print(_ values: Any...) { printed.append(values.map { "\($0)" }.joined(separator: " ")) }
    context.insert(Book(title: "Nova zemya", year: 1896, pages: 610))
    print(observer.results.map(\.title))
    #expect(printed == [#"["Nova zemya"]"#])

    context.author = "import"
    try context.save()
    let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
    book.pages = 600
    try context.save()
    context.delete(book)
    try context.save()

    printed = []
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.predicate = #Predicate { $0.author == "import" }
    for transaction in try context.fetchHistory(descriptor) {
      for change in transaction.changes {
        switch change {
        case .insert(let insert): print("inserted", insert.changedPersistentIdentifier)
        case .update(let update as DefaultHistoryUpdate<Book>): print("updated", update.updatedAttributes)
        case .delete(let deletion as DefaultHistoryDelete<Book>): print("deleted", deletion.tombstone[\.title] ?? "")
        default: break
        }
      }
    }
    #expect(printed.count == 3 && printed.last == "deleted Nova zemya")
    #expect(printed.first?.hasPrefix("inserted") == true && printed[1].hasPrefix("updated"))
  }

  @Test(.timeLimit(.minutes(5))) func `A loop over notifications prints the identifiers of new objects`() async throws {
    let context = try library()
    let printed = Mutex<Set<PersistentIdentifier>>([])
    let loop = Task {
      func print(_ identifiers: [PersistentIdentifier]) { printed.withLock { $0.formUnion(identifiers) } }
      for await notice in NotificationCenter.default.notifications(named: ModelContext.didSave) {
        let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
        print(notice.userInfo?[key] as? [PersistentIdentifier] ?? [])
      }
    }
    // The task observes from its start, so the first saves may come too early.
    var saved: Set<PersistentIdentifier> = []
    while !Task.isCancelled, printed.withLock({ $0.isDisjoint(with: saved) }) {
      let book = Book(title: "Pod igoto", year: 1894, pages: 460)
      context.insert(book)
      try context.save()
      saved.insert(book.persistentModelID)
      await Task.yield()
    }
    #expect(printed.withLock { !$0.isDisjoint(with: saved) })
    loop.cancel()
    await loop.value
  }
}
