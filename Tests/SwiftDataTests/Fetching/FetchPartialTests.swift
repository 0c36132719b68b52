import CoreDataStore
import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

/// `propertiesToFetch`: the loaded properties, the later loading of the others, and correct saves.
@Suite struct FetchPartialTests {
  enum Grade: String, Codable { case low, high }

  /// A value whose order only Swift knows.
  struct Shade: Codable, Comparable {
    var depth: Int

    static func < (left: Self, right: Self) -> Bool { left.depth > right.depth }
  }

  struct Place: Codable, Equatable {
    var city: String
    var floor: Int?
  }

  @Model class Article {
    var title: String
    var words: Int = 0
    var price: Decimal?
    var grade: Grade = Grade.low
    var former: Grade?
    var place: Place?
    var keywords: [String] = []
    var text: String = ""
    var note: String?
    var shade: Shade = Shade(depth: 0)
    @Attribute(.codable) var extra: [String: Int] = [:]
    @Attribute(.externalStorage) var image: Data?
    @Attribute(.derived("title")) var plainTitle: String = ""
    @Transient var scratch = 7
    var length: Int { text.count + title.count }
    var writer: Writer?
    @Relationship(inverse: \Topic.articles) var topics: [Topic] = []

    init(_ title: String) { self.title = title }
  }

  @Model final class Review: Article {
    var stars: Int = 3

    override init(_ title: String) { super.init(title) }
  }

  @Model final class Writer {
    var name: String
    @Relationship(inverse: \Article.writer) var articles: [Article] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Topic {
    var word: String
    var articles: [Article] = []

    init(_ word: String) { self.word = word }
  }

  private final class Log: Sendable {
    let statements = Mutex<[String]>([])
  }

  private let store: TemporaryStore
  private let container: ModelContainer
  private let log = Log()

  init() throws {
    store = try TemporaryStore()
    container = try ModelContainer(
      for: Article.self, Review.self, Writer.self, Topic.self, configurations: ModelConfiguration(url: store.url))
  }

  /// Articles, every third a review, by two writers, on one topic; then logs the statements that run.
  private func fill(_ count: Int = 9) throws {
    let context = ModelContext(container)
    let writers = [Writer("Ada"), Writer("Bo")]
    let topic = Topic("all")
    for number in 0..<count {
      let article = number % 3 == 2 ? Review("Title \(number)") : Article("Title \(number)")
      article.words = number
      article.price = Decimal(string: "\(number).25")
      article.grade = number % 2 == 0 ? .high : .low
      article.former = number % 2 == 0 ? nil : .high
      article.place = number % 2 == 0 ? Place(city: "City \(number)", floor: number) : nil
      article.keywords = ["k\(number)"]
      article.shade = Shade(depth: number * 5 % 9)
      article.text = String(repeating: "x", count: 100)
      article.note = number % 2 == 0 ? nil : "Note \(number)"
      article.extra = ["n": number]
      if number < 9 { article.image = Data(repeating: UInt8(number), count: 200_000) }
      article.writer = writers[number % 2]
      context.insert(article)
      article.topics = [topic]
    }
    try context.save()
    let log = log
    try #require(container.core.stores[0].engine as? PersistentStore).read { connection in
      try connection.onStatement { sql in log.statements.withLock { $0.append(sql) } }
    }
  }

  /// The queries that a closure runs.
  private func reading(_ body: () throws -> Void) rethrows -> [String] {
    log.statements.withLock { $0 = [] }
    try body()
    return log.statements.withLock { $0 }.filter { $0.hasPrefix("SELECT") }
  }

  private func descriptor(_ properties: [PartialKeyPath<Article>]) -> FetchDescriptor<Article> {
    var descriptor = FetchDescriptor<Article>(sortBy: [SortDescriptor(\.words)])
    descriptor.propertiesToFetch = properties
    return descriptor
  }

  private func changes(_ article: Article, in fresh: ModelContext) throws -> Article {
    try #require(fresh.model(for: article.persistentModelID) as? Article)
  }

  @Test("Only the requested columns are selected; reading them runs no query")
  func columns() throws {
    try fill()
    let context = ModelContext(container)
    var articles: [Article] = []
    let fetching = try reading { articles = try context.fetch(descriptor([\.title, \.grade, \.former, \.place])) }
    #expect(fetching.count == 1)
    #expect(fetching[0].contains("ZTITLE") && fetching[0].contains("ZCITY") && !fetching[0].contains("ZTEXT"))
    #expect(!fetching[0].contains("ZNOTE") && !fetching[0].contains("ZIMAGE") && !fetching[0].contains("ZWRITER"))
    let later = reading {
      for (number, article) in articles.enumerated() {
        #expect(article.title == "Title \(number)" && article.words == number && article.scratch == 7)
        #expect(article.grade == (number % 2 == 0 ? .high : .low) && article.former == (number % 2 == 0 ? nil : .high))
        #expect(article.place == (number % 2 == 0 ? Place(city: "City \(number)", floor: number) : nil))
        #expect(article is Review == (number % 3 == 2) && !article.hasChanges && article.modelContext === context)
      }
    }
    #expect(later == [])
  }

  @Test("Requested values of every kind equal those of a whole fetch")
  func kinds() throws {
    try fill()
    let whole = try ModelContext(container).fetch(FetchDescriptor<Article>(sortBy: [SortDescriptor(\.words)]))
    func compare<Value: Equatable>(_ keyPath: KeyPath<Article, Value>) throws {
      let context = ModelContext(container)
      let articles = try context.fetch(descriptor([keyPath]))
      let later = reading {
        #expect(articles.map { $0[keyPath: keyPath] } == whole.map { $0[keyPath: keyPath] }, "\(keyPath)")
      }
      #expect(later == [], "\(keyPath)")
    }
    try compare(\.title)
    try compare(\.words)
    try compare(\.price)
    try compare(\.grade)
    try compare(\.former)
    try compare(\.place)
    try compare(\.keywords)
    try compare(\.note)
    try compare(\.extra)
    try compare(\.image)
    try compare(\.plainTitle)
  }

  @Test("Any other property is loaded with the whole object, in one query for that object only")
  func others() throws {
    try fill()
    let context = ModelContext(container)
    let articles = try context.fetch(descriptor([\.title]))
    let later = reading {
      #expect(articles[5].text.count == 100)
      #expect(articles[5].note == "Note 5" && articles[5].image?.count == 200_000)
      #expect((articles[5] as? Review)?.stars == 3 && articles[5].keywords == ["k5"])
    }
    #expect(later.count == 1)
    #expect(articles[4].note == nil && articles[4].text.count == 100)
  }

  @Test("A loop that reads other properties takes few queries")
  func loop() throws {
    try fill(600)
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Article>(sortBy: [SortDescriptor(\.words)])
    descriptor.propertiesToFetch = [\.title]
    let articles = try context.fetch(descriptor)
    var total = 0
    let later = reading { for article in articles { total += article.text.count } }
    #expect(total == 60_000)
    // A fault may be loaded together with faults of its own entity only.
    #expect(later.count < 40)
  }

  @Test(
    "Destinations of a requested to-one relationship load in one query; a to-many loads when read")
  func relationships() throws {
    try fill()
    let context = ModelContext(container)
    let articles = try context.fetch(descriptor([\.writer, \.topics]))
    let names = reading { #expect(articles.map { $0.writer?.name } == (0..<9).map { $0 % 2 == 0 ? "Ada" : "Bo" }) }
    #expect(names.count == 1)
    #expect(articles[0].topics.map(\.word) == ["all"])

    var prefetching = descriptor([\.title])
    prefetching.relationshipKeyPathsForPrefetching = [\.writer, \.topics]
    let second = ModelContext(container)
    let prefetched = try second.fetch(prefetching)
    let later = reading { #expect(prefetched.allSatisfy { $0.writer != nil && $0.topics.count == 1 }) }
    #expect(later == [])
  }

  @Test("A partial fetch keeps the changes of its objects, and finds pending objects")
  func pending() throws {
    try fill()
    let context = ModelContext(container)
    let article = try #require(try context.fetch(descriptor([\.title])).first)
    article.note = "new"
    article.words = 100
    context.insert(Article("Title 50"))
    let other = ModelContext(container)
    let same = try changes(article, in: other)
    same.title = "of another context"
    try other.save()

    let again = try context.fetch(descriptor([\.note, \.title]))
    #expect(again.count == 10 && again.last === article && again[0].title == "Title 50")
    #expect(article.note == "new" && article.words == 100 && article.title == "of another context")
    context.rollback()
    #expect(article.note == nil && article.words == 0)
  }

  @Test("To-many relationships alone load no values; the inverses stay consistent")
  func otherSide() throws {
    try fill()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Article>()
    descriptor.propertiesToFetch = [\.topics]
    let articles = try context.fetch(descriptor)
    let writers = try context.fetch(FetchDescriptor<Writer>(sortBy: [SortDescriptor(\.name)]))
    #expect(articles.count == 9)
    let topic = Topic("new")
    context.insert(topic)
    topic.articles = articles
    writers[0].articles = articles
    try context.save()
    #expect(articles.allSatisfy { $0.writer === writers[0] && $0.topics.count == 2 && $0.text.count == 100 })
    let stored = try ModelContext(container).fetch(FetchDescriptor<Article>())
    #expect(stored.allSatisfy { $0.writer?.name == "Ada" && $0.topics.count == 2 && $0.image?.count == 200_000 })
  }

  @Test("Saving a partly loaded object writes its changes, raises the version, and keeps other values")
  func saving() throws {
    try fill()
    let context = ModelContext(container)
    let articles = try context.fetch(descriptor([\.title]))
    articles[0].title = "Changed"
    articles[1].words = 77
    articles[2].topics = []
    articles[3].image = nil
    articles[4].writer = articles[5].writer
    context.delete(articles[6])
    articles[7].grade = .high
    articles[7].place = Place(city: "New", floor: nil)
    try context.save()
    #expect(articles[0].plainTitle == "Changed" && articles[1].plainTitle == "Title 1")

    let fresh = ModelContext(container)
    let stored = try articles.enumerated().filter { $0.offset != 6 }.map { try changes($0.element, in: fresh) }
    #expect(
      stored.map(\.title) == ["Changed", "Title 1", "Title 2", "Title 3", "Title 4", "Title 5", "Title 7", "Title 8"])
    #expect(stored.map(\.words) == [0, 77, 2, 3, 4, 5, 7, 8])
    #expect(stored.map { $0.text.count } == [Int](repeating: 100, count: 8))
    #expect(stored.map { $0.extra["n"] } == [0, 1, 2, 3, 4, 5, 7, 8])
    #expect(stored.map { $0.topics.count } == [1, 1, 0, 1, 1, 1, 1, 1])
    #expect(stored.map { $0.image?.count } == [200_000, 200_000, 200_000, nil] + [Int?](repeating: 200_000, count: 4))
    #expect(stored[4].writer?.name == "Bo" && stored[6].place == Place(city: "New", floor: nil))
    #expect(stored[0].plainTitle == "Changed")
    #expect(stored.map { $0._$state.version } == [2, 2, 2, 2, 2, 1, 2, 1])
    try Oracle.expectSound(store.url, fresh: true)
  }

  @Test("A partly loaded object shows another context's save, in loaded values and values loaded later")
  func newer() throws {
    try fill()
    let context = ModelContext(container)
    let articles = try context.fetch(descriptor([\.title]))
    let other = ModelContext(container)
    for article in try other.fetch(FetchDescriptor<Article>()) { article.title += "!" }
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Article>())
    #expect(articles[0].title == "Title 0!" && articles[1].text.count == 100 && articles[1].title == "Title 1!")

    // This change is not announced; the next fetch finds it.
    let second = try ModelContainer(
      for: Article.self, Review.self, Writer.self, Topic.self, configurations: ModelConfiguration(url: store.url))
    let elsewhere = ModelContext(second)
    for article in try elsewhere.fetch(FetchDescriptor<Article>()) { article.title += "?" }
    try elsewhere.save()
    #expect(try context.fetch(descriptor([\.note])).map(\.note)[1] == "Note 1")
    #expect(articles.map(\.title) == (0..<9).map { "Title \($0)!?" })
    for article in try elsewhere.fetch(FetchDescriptor<Article>()) where article.words == 8 {
      elsewhere.delete(article)
    }
    try elsewhere.save()
    #expect(try context.fetch(descriptor([\.title])).count == 8)
    #expect(articles[8].title == "Title 8!?")
  }

  @Test("Batches and enumerations load the requested properties")
  func batches() throws {
    try fill()
    let context = ModelContext(container)
    var descriptor = descriptor([\.title])
    var titles: [String] = []
    let enumerating = try reading { try context.enumerate(descriptor, batchSize: 4) { titles.append($0.title) } }
    #expect(titles.count == 9 && !enumerating.contains { $0.contains("ZTEXT") })
    descriptor.includePendingChanges = false
    let second = ModelContext(container)
    let batches = try second.fetch(descriptor, batchSize: 4)
    let reading = reading { #expect(batches.map(\.title) == titles) }
    #expect(!reading.isEmpty && !reading.contains { $0.contains("ZTEXT") })
    #expect(batches.map { $0.text.count } == [Int](repeating: 100, count: 9))
  }

  @Test("Objects filtered in memory are loaded whole, in one query")
  func inMemory() throws {
    try fill()
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Article>(predicate: #Predicate { $0.keywords.contains("k3") })
    descriptor.propertiesToFetch = [\.title]
    var articles: [Article] = []
    let queries = try reading { articles = try context.fetch(descriptor) }
    #expect(queries.count == 1 && articles.map(\.title) == ["Title 3"] && articles[0].text.count == 100)
  }

  @Test("A sort in memory reads its own property beside the requested ones, and all if it computes")
  func sortedInMemory() throws {
    try fill()
    var articles: [Article] = []
    func columns(_ sort: SortDescriptor<Article>) throws -> String {
      var descriptor = FetchDescriptor<Article>(sortBy: [sort])
      descriptor.propertiesToFetch = [\.title]
      articles = []
      let context = ModelContext(container)
      let queries = try reading { articles = try context.fetch(descriptor) }
      #expect(queries.count == 1)
      return queries.first ?? ""
    }
    let shaded = try columns(SortDescriptor(\.shade))
    #expect(shaded.contains("ZTITLE") && shaded.contains("ZDEPTH") && !shaded.contains("ZTEXT"))
    #expect(articles.map(\.shade.depth) == [8, 7, 6, 5, 4, 3, 2, 1, 0])
    let later = reading { #expect(articles[0].text.count == 100) }
    #expect(later.count == 1)
    #expect(try columns(SortDescriptor(\.length)).contains("ZTEXT"))
  }

  @Test("The object of an identifier has its row's values, whatever the initial values")
  func initialValues() throws {
    try fill()
    let context = ModelContext(container)
    for identifier in try context.fetchIdentifiers(FetchDescriptor<Article>()) {
      #expect((context.model(for: identifier) as? Article)?.text.count == 100)
    }
    let other = ModelContext(container)
    for identifier in try other.fetchIdentifiers(FetchDescriptor<Article>()) {
      #expect((other.model(for: identifier) as? Article)?.writer != nil)
    }
  }

  @Test("A key path that is not a persisted property is refused")
  func refused() throws {
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try ModelContext(container).fetch(descriptor([\.title.count]))
    }
  }
}
