import Foundation
import Observation
import SwiftData
import TestSupport
import Testing

/// Types as apps write them, with queries.
private struct Shelf {
  @Query var books: [Book]
  let name: String

  var count: Int { books.count }
}

private struct Report {
  @Query(filter: #Predicate<Book> { $0.pages > 4 }, sort: \Book.pages, order: .reverse) var long: [Book]
  @Query(sort: [SortDescriptor(\Book.title), SortDescriptor(\Book.pages)]) var sorted: [Book]
  @Query(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "3" })) var three: Array<Book>
  @Query(sort: \Book.pages, sectionBy: \Book.author?.name) var byAuthor: SectionedResults<Book, String>
  @Query(sort: \Book.pages, sectionBy: \Book.pages) var byPages: SectionedResults<Book, Int>
  @Query(sort: \Author.born) var authors: [Author]

  var longError: (any Error)? { _long.fetchError }
  var context: ModelContext { _long.modelContext }
}

private final class Search {
  @Query var books: [Book]
  let title: String

  init(title: String, in context: ModelContext? = nil) {
    self.title = title
    _books = Query(filter: #Predicate { $0.title == title }, sort: \.title, modelContext: context)
  }

  func refresh() { _books.update() }
}

@MainActor private final class Screen {
  @Query(sort: \Book.title) var books: [Book]
}

/// A model with properties that no Foundation orders.
@Model private final class Parcel {
  enum Kind: String, Codable { case letter, crate, box }

  var number: Int
  var isSent: Bool
  var isPaid: Bool?
  var kind: Kind
  var otherKind: Kind?

  init(_ number: Int, isSent: Bool, isPaid: Bool?, kind: Kind, otherKind: Kind?) {
    self.number = number
    self.isSent = isSent
    self.isPaid = isPaid
    self.kind = kind
    self.otherKind = otherKind
  }
}

private struct ParcelLists {
  @Query(sort: \Parcel.isSent) var bySent: [Parcel]
  @Query(sort: \Parcel.isPaid, order: .reverse) var byPaid: [Parcel]
  @Query(sort: \Parcel.kind) var byKind: [Parcel]
  @Query(sort: \Parcel.otherKind) var byOtherKind: [Parcel]
  @Query(sort: \Parcel.isSent, sectionBy: \Parcel.number) var sections: SectionedResults<Parcel, Int>
}

/// A class that Observation follows, with a query.
@Observable private final class ObservableShelf {
  @ObservationIgnored private let query = Query(sort: \Book.title)
  var books: [Book] { query.wrappedValue }
  var name = "first"
}

@Suite("Queries as properties of any type", .everyEngine)
struct QueryTests {
  let world: World

  init() throws {
    world = try World()
    for number in 0..<10 {
      world.context.insert(Book("\(number)", pages: number, author: number < 3 ? Author("A\(number)") : nil))
    }
    try world.context.save()
  }

  @Test("A query reads the container of the scope in which it is made")
  func scope() throws {
    let (shelf, report) = withModelContainer(world.container) { (Shelf(name: "first"), Report()) }
    #expect(shelf.count == 10 && shelf.name == "first")
    #expect(report.long.map(\.pages) == [9, 8, 7, 6, 5] && report.longError == nil)
    #expect(report.sorted.count == 10 && report.three.map(\.title) == ["3"] && report.authors.count == 3)
    #expect(report.byAuthor.sectionTitles == ["", "A0", "A1", "A2"] && report.byAuthor.first?.count == 7)
    #expect(report.byPages[sectionTitle: 4]?.first?.title == "4")
  }

  @Test("A query made outside of a scope reads the container of the scope in which it is first read")
  func lateScope() throws {
    let report = Report()
    #expect(report.long.isEmpty && report.byAuthor.isEmpty)
    #expect((report.longError as? SwiftDataError) == .missingModelContext)
    #expect(withModelContainer(world.container) { report.long.count } == 5)
    #expect(report.longError == nil)
  }

  @Test("Without a container the context has no stores, and saving in it throws")
  func noContext() {
    let context = Report().context
    context.insert(Book("lost"))
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<Book>()) }
  }

  @Test("A query is live, and its context may be given explicitly")
  func live() throws {
    let search = Search(title: "3", in: world.context)
    #expect(search.books.map(\.pages) == [3])
    world.context.insert(Book("3", pages: 30))
    #expect(search.books.map(\.pages).sorted() == [3, 30])
    let other = world.fresh
    for book in try other.all(Book.self) where book.pages == 5 { book.title = "3" }
    try other.save()
    #expect(search.books.map(\.pages).sorted() == [3, 5, 30])
    search.refresh()
    #expect(search.books.count == 3)
  }

  @Test("Queries of one scope share a context; other tasks have contexts of their own")
  func sharing() async throws {
    let container = world.container
    try await withModelContainer(container) {
      let (first, second) = (Report(), Report())
      #expect(first.long[0] === second.long[0])
      first.context.insert(Book("new", pages: 99))
      #expect(second.long[0].title == "new")
      let count = await Task.detached { Report().long.count }.value
      #expect(count == 0, "a detached task is outside of the scope")
      async let others = { Report().long.count }()
      #expect(await others == 5, "a child task does not see unsaved changes of another context")
      try first.context.save()
    }
  }

  @Test("On the main actor a query has the main context, and Observation tracks it")
  @MainActor func mainActor() async throws {
    let screen = withModelContainer(world.container) { Screen() }
    #expect(screen.books.count == 10 && screen.books[0].modelContext == world.container.mainContext)
    let told = Told()
    withObservationTracking {
      _ = screen.books
    } onChange: {
      told.isTold = true
    }
    world.container.mainContext.delete(screen.books[0])
    for _ in 0..<1000 where !told.isTold { try await Task.sleep(for: .milliseconds(2)) }
    #expect(told.isTold && screen.books.count == 9)
  }

  @Test("Queries sort by Booleans and enumerations")
  func storedOrders() throws {
    let store = try TemporaryStore()
    let container = try TestEngine.current.container(Schema([Parcel.self]), store)
    let context = ModelContext(container)
    context.insert(Parcel(1, isSent: true, isPaid: nil, kind: .letter, otherKind: .crate))
    context.insert(Parcel(2, isSent: false, isPaid: true, kind: .crate, otherKind: nil))
    context.insert(Parcel(3, isSent: true, isPaid: false, kind: .box, otherKind: .box))
    try context.save()
    let lists = withModelContainer(container) { ParcelLists() }
    #expect(lists.bySent.first?.number == 2 && lists.bySent.count == 3)
    #expect(lists.byPaid.map(\.number) == [2, 3, 1])
    #expect(lists.byKind.map(\.number) == [3, 2, 1])
    #expect(lists.byOtherKind.map(\.number) == [2, 3, 1])
    #expect(lists.sections.sectionTitles == [1, 2, 3])
    #expect(Query<Parcel, [Parcel]>(sort: \.kind, order: .reverse, modelContext: context).wrappedValue[0].number == 1)
  }

  @Test("A class with @Observable may keep a query, where the two macros would both make getters")
  func observableClass() throws {
    let shelf = withModelContainer(world.container) { ObservableShelf() }
    #expect(shelf.books.count == 10 && shelf.books.first?.title == "0" && shelf.name == "first")
    let first = try #require(try world.context.all(Book.self).first { $0.title == "0" })
    first.title = "z"
    try world.context.save()
    #expect(shelf.books.last?.title == "z")
  }

  private final class Told: @unchecked Sendable {
    var isTold = false
  }
}
