import CoreDataStore
import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import StoreTransfer
import SwiftData
import TestSupport
import Testing

/// Derived attributes over PostgreSQL have the values that they have over SQLite.
@Suite("Derived attributes of a PostgreSQL store", TestServer.condition)
struct DerivedTests {
  @Model class Room {
    var name: String
    var floor: Int = 0
    @Attribute(.derived("shelves.@count")) var shelfCount: Int = 0
    @Attribute(.derived("sum:(shelves.books.pages)")) var pageCount: Int = 0
    @Relationship(inverse: \Shelf.room) var shelves: [Shelf] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Hall: Room {
    var seats: Int = 0
    @Attribute(.derived("max:(shelves.weight)")) var heaviest: Double?
  }

  @Model final class Shelf {
    var name: String
    var weight: Double = 0
    var room: Room?
    @Attribute(.derived("books.@count")) var bookCount: Int = 0
    @Attribute(.derived("books.@count", where: "pages > 10 AND isLent == 1")) var lentCount: Int = 0
    @Attribute(.derived("max:(books.pages)")) var thickest: Int?
    @Attribute(.derived("average:(books.pages)")) var average: Double?
    @Attribute(.derived("min:(books.title)")) var first: String?
    @Attribute(.derived("lowercase:(room.name)")) var roomName: String?
    @Attribute(.derived("now()")) var saved: Date?
    @Relationship(deleteRule: .cascade, inverse: \Book.shelf) var books: [Book] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Book {
    var title: String
    var pages: Int
    var isLent: Bool = false
    var shelf: Shelf?
    @Attribute(.derived("canonical:(title)")) var plainTitle: String?
    @Attribute(.derived("pages")) var copiedPages: Int = 0
    @Attribute(.derived("uppercase:(shelf.name)")) var shelfName: String?
    @Attribute(.derived("shelf.room.floor")) var floor: Int?
    @Attribute(.derived("tags.@count")) var tagCount: Int = 0
    @Relationship(inverse: \Tag.books) var tags: [Tag] = []
    init(_ title: String, _ pages: Int) {
      self.title = title
      self.pages = pages
    }
  }

  @Model final class Tag {
    var word: String
    @Attribute(.derived("sum:(books.pages)")) var pages: Int = 0
    var books: [Book] = []
    init(_ word: String) { self.word = word }
  }

  static let schema = Schema([Room.self, Hall.self, Shelf.self, Book.self, Tag.self])

  /// All values of a store by names of objects, without times.
  static func dump(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    func text(_ values: Any?...) -> String { values.map { $0.map { "\($0)" } ?? "nil" }.joined(separator: " ") }
    var lines = try context.fetch(FetchDescriptor<Room>()).map {
      text("room", $0.name, $0.floor, $0.shelfCount, $0.pageCount, ($0 as? Hall)?.heaviest)
    }
    lines += try context.fetch(FetchDescriptor<Shelf>()).map {
      text(
        "shelf", $0.name, $0.weight, $0.bookCount, $0.lentCount, $0.thickest, $0.average, $0.first, $0.roomName,
        $0.saved != nil)
    }
    lines += try context.fetch(FetchDescriptor<Book>()).map {
      text("book", $0.title, $0.pages, $0.plainTitle, $0.copiedPages, $0.shelfName, $0.floor, $0.tagCount)
    }
    lines += try context.fetch(FetchDescriptor<Tag>()).map { text("tag", $0.word, $0.pages) }
    return lines.sorted()
  }

  private static let names = ["Élan", "straße", "ΣΊΣΥΦΟΣ", "plain", "İstanbul", "Z", "", "naïve e\u{301}"]

  /// Changes objects at random, the same for the same seed.
  private static func change(_ context: ModelContext, _ random: inout SplitMix) throws {
    let rooms = try context.fetch(FetchDescriptor<Room>(sortBy: [SortDescriptor(\.name), SortDescriptor(\.floor)]))
    let shelves = try context.fetch(FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.weight)]))
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
    let tags = try context.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.word)]))
    func name() -> String { names.randomElement(using: &random) ?? "" }
    for _ in 0..<6 {
      switch Int.random(in: 0..<14, using: &random) {
      case 0:
        let room = Bool.random(using: &random) ? Room(name()) : Hall(name())
        room.floor = Int.random(in: 0..<1_000_000, using: &random)
        context.insert(room)
      case 1, 2:
        let shelf = Shelf(name())
        shelf.weight = Double.random(in: 0..<1_000_000, using: &random)
        context.insert(shelf)
        shelf.room = rooms.randomElement(using: &random)
      case 3, 4, 5:
        let book = Book(name(), Int.random(in: 0..<1_000_000, using: &random))
        book.isLent = Bool.random(using: &random)
        context.insert(book)
        book.shelf = shelves.randomElement(using: &random)
        if let tag = tags.randomElement(using: &random) { book.tags = [tag] }
      case 6: context.insert(Tag("\(random.next())"))
      case 7: shelves.randomElement(using: &random)?.name = name()
      case 8: rooms.randomElement(using: &random)?.name = name()
      case 9:
        if let book = books.randomElement(using: &random) {
          book.title = name()
          book.isLent.toggle()
        }
      case 10: books.randomElement(using: &random)?.shelf = shelves.randomElement(using: &random)
      case 11: shelves.randomElement(using: &random)?.room = rooms.randomElement(using: &random)
      case 12: books.randomElement(using: &random)?.tags = tags.filter { _ in Bool.random(using: &random) }
      default:
        switch Int.random(in: 0..<6, using: &random) {
        case 0: if let shelf = shelves.randomElement(using: &random) { context.delete(shelf) }
        case 1: if let room = rooms.randomElement(using: &random) { context.delete(room) }
        case 2: if let tag = tags.randomElement(using: &random) { context.delete(tag) }
        default: if let book = books.randomElement(using: &random) { context.delete(book) }
        }
      }
    }
    try context.save()
  }

  @Test(
    "Values are those of SQLite after random changes, also in the objects that were saved",
    arguments: 0..<4 as Range<UInt64>)
  func twins(_ seed: UInt64) throws {
    let folders = try [TemporaryStore(), TemporaryStore()]
    defer { withExtendedLifetime(folders) {} }
    let containers = try zip([TestEngine.file, .postgreSQL], folders).map { try $0.container(Self.schema, $1) }
    let contexts = containers.map { ModelContext($0) }
    for step in 0..<12 {
      for context in contexts {
        var random = SplitMix(seed: seed * 100 + UInt64(step))
        try Self.change(context, &random)
      }
      let dumps = try containers.map(Self.dump)
      #expect(dumps[0] == dumps[1], "seed \(seed), step \(step)")
      // Objects that a save has changed show the values of the store.
      for context in contexts {
        let live = try context.fetch(FetchDescriptor<Shelf>()).map { "\($0.name) \($0.bookCount) \($0.roomName ?? "")" }
        let fresh = try ModelContext(context.container).fetch(FetchDescriptor<Shelf>()).map {
          "\($0.name) \($0.bookCount) \($0.roomName ?? "")"
        }
        #expect(live.sorted() == fresh.sorted())
      }
      if dumps[0] != dumps[1] { return }
    }
  }

  @Test("Batch updates and deletions keep derived values, as over SQLite")
  func batches() throws {
    let folders = try [TemporaryStore(), TemporaryStore()]
    defer { withExtendedLifetime(folders) {} }
    let containers = try zip([TestEngine.file, .postgreSQL], folders).map { try $0.container(Self.schema, $1) }
    for container in containers {
      let context = ModelContext(container)
      var random = SplitMix(seed: 7)
      for _ in 0..<8 { try Self.change(context, &random) }
      try context.update(model: Book.self) { $0.set(\.pages, to: 20) }
      try context.save()
      try context.update(model: Book.self) { $0.set(\.title, to: "ÀB") }
      try context.delete(model: Book.self, where: #Predicate { $0.isLent })
      try context.save()
    }
    let dumps = try containers.map(Self.dump)
    #expect(dumps[0] == dumps[1] && dumps[0].contains { $0.hasPrefix("book ÀB 20 ab 20") })
  }

  @Test("Other programs' changes of the tables are followed, and a predicate finds the values")
  func otherPrograms() throws {
    let temporary = try TemporaryStore()
    let container = try TestEngine.postgreSQL.container(Self.schema, temporary)
    let context = ModelContext(container)
    let shelf = Shelf("one")
    context.insert(shelf)
    for number in 1...5 { shelf.books.append(Book("b\(number)", number)) }
    try context.save()
    #expect(shelf.bookCount == 5 && shelf.thickest == 5 && shelf.books.allSatisfy { $0.shelfName == "ONE" })
    let connection = try #require(TestServer.shared).connect()
    let schema = Identifier(temporary.databaseSchema)
    try connection.execute(
      "UPDATE \(schema).book SET pages = 100 WHERE title = 'b2'; DELETE FROM \(schema).book WHERE title = 'b1'")
    try connection.execute("UPDATE \(schema).shelf SET name = 'two'")
    let reading = ModelContext(container)
    let found = try reading.fetch(
      FetchDescriptor<Shelf>(predicate: #Predicate { $0.bookCount == 4 && $0.thickest == 100 }))
    #expect(found.map(\.name) == ["two"])
    #expect(try reading.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.shelfName == "TWO" })) == 4)
  }

  @Test("Programs that add members of one owner at the same time count all of them")
  func concurrent() async throws {
    let container = try TestEngine.postgreSQL.container(Self.schema, try TemporaryStore())
    let context = ModelContext(container)
    let shelf = Shelf("one")
    context.insert(shelf)
    try context.save()
    let identifier = shelf.persistentModelID
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<3 {
        group.addTask {
          let context = ModelContext(container)
          let shelf = try #require(context.model(for: identifier) as? Shelf)
          for number in 0..<15 {
            let book = Book("\(task) \(number)", number)
            context.insert(book)
            book.shelf = shelf
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Shelf>()).first)
    #expect(read.bookCount == 45 && read.books.count == 45 && read.average == 7)
  }

  @Test("A copy to a server and back keeps derived values, times included, and goes on deriving")
  func copies() throws {
    let folder = try TemporaryStore()
    func fill() throws -> ([String], [Double?]) {
      let container = try TestEngine.file.container(Self.schema, folder)
      let context = ModelContext(container)
      var random = SplitMix(seed: 11)
      for _ in 0..<8 { try Self.change(context, &random) }
      return (try Self.dump(container), try Self.times(container))
    }
    let (original, times) = try fill()
    let world = try TransferWorld()
    let store = try PersistentStore.open(at: folder.url, options: StoreOptions(isReadOnly: true))
    defer { store.close() }
    let report = try world.send(store)
    #expect(report.differences.allSatisfy { !$0.contains("derived") }, "\(report.differences)")
    let container = try TestEngine.postgreSQL.container(Self.schema, world.folder)
    #expect(try Self.dump(container) == original)
    #expect(Self.areEqual(try Self.times(container), times))

    let back = try world.fetch()
    let url = try #require(back.store.url)
    back.store.close()
    let file = try ModelContainer(for: Self.schema, configurations: ModelConfiguration(url: url))
    #expect(try Self.dump(file) == original)
    #expect(Self.areEqual(try Self.times(file), times))
    for container in [container, file] {
      var random = SplitMix(seed: 12)
      try Self.change(ModelContext(container), &random)
    }
    #expect(try Self.dump(file) == Self.dump(container))
    // The copy has no other findings than the original.
    func findings(_ url: URL) throws -> [Substring] {
      try Oracle.checkStore(url).output.split(separator: "\n").filter { $0.hasPrefix("FAIL") || $0.hasPrefix("    ") }
    }
    #expect(try findings(url) == findings(folder.url))
  }

  /// The times of the shelves' last saves.
  private static func times(_ container: ModelContainer) throws -> [Double?] {
    try ModelContext(container).fetch(FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.weight)])).map {
      $0.saved?.timeIntervalSinceReferenceDate
    }
  }

  /// Whether times are equal but for the server's rounding to microseconds.
  private static func areEqual(_ left: [Double?], _ right: [Double?]) -> Bool {
    left.count == right.count
      && zip(left, right).allSatisfy { $0 == $1 || abs(($0 ?? .infinity) - ($1 ?? .infinity)) < 1e-5 }
  }
}
