import CoreDataStore
import Foundation
import StoreInspection
import StoreRequests
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

/// Several processes have one store open and save at the same time.
@Suite(.startsProcesses) struct TwoProcessesTests {
  private static let rounds = 30

  private func check(_ store: TemporaryStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try StoreChecker.check(store.url) == [], sourceLocation: sourceLocation)
    try Oracle.expectSound(store.url, fresh: true, sourceLocation: sourceLocation)
  }

  /// The history: author and number of each transaction, in order.
  private func history(_ store: TemporaryStore) throws -> [(author: String?, number: Int64, changes: Int)] {
    let persistent = try PersistentStore.open(at: store.url)
    defer { persistent.close() }
    let cursor = try persistent.history()
    var transactions: [(author: String?, number: Int64, changes: Int)] = []
    while let transaction = try cursor.next() {
      var count = 0
      while try cursor.nextChange() != nil { count += 1 }
      transactions.append((transaction.author, transaction.number, count))
    }
    return transactions
  }

  @Test func `CD-6 CD-7 Processes that insert, change and link at the same time lose nothing of each other`()
    async throws
  {
    let store = try TemporaryStore()
    let context = ModelContext(try ContextLibrary.container(store))
    context.author = "parent"
    context.insert(Author("shared"))
    context.insert(Book("counter"))
    try context.save()
    let path = store.url.path
    await withTaskGroup { group in
      for number in 1...2 {
        group.addTask {
          _ = await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
            TestProcess.run { try Writer(path: path, name: "child \(number)").insert() }
          }
        }
      }
      group.addTask { _ = #expect(throws: Never.self) { try Writer(path: path, name: "parent").insert() } }
    }

    let rounds = Self.rounds
    let shared = try #require(try context.all(Author.self).first)
    let books = try context.all(Book.self)
    #expect(books.count == 3 * rounds + 1 && shared.books.count == 3 * rounds)
    #expect(books.allSatisfy { $0.title == "counter" || $0.chapters.count == 2 })
    #expect(try context.all(Tag.self).map(\.books.count) == [rounds, rounds, rounds])
    #expect(try context.first(Book.self, where: #Predicate { $0.title == "counter" })?.pages == 3 * rounds)
    let transactions = try history(store)
    #expect(transactions.map(\.number) == transactions.map(\.number).sorted())
    for name in ["child 1", "child 2", "parent"] {
      #expect(transactions.filter { $0.author == name && $0.changes > 0 }.count >= 2 * rounds, "\(name)")
    }
    try check(store)
  }

  @Test func `CD-6 Changes of different properties of one object by two processes are both kept`() async throws {
    let store = try TemporaryStore()
    let context = ModelContext(try ContextLibrary.container(store))
    for number in 0..<3 { context.insert(Book("\(number)", pages: 0)) }
    try context.save()
    let path = store.url.path
    async let child = #expect(processExitsWith: .success) { [path = path as String] in
      TestProcess.run {
        try Writer(path: path, name: "child").change { book, round in book.title = "title \(round)" }
      }
    }
    try Writer(path: path, name: "parent").change { book, round in book.pages = round }
    _ = await child
    let last = Self.rounds
    #expect(try context.all(Book.self).allSatisfy { $0.title == "title \(last)" && $0.pages == last })
    try check(store)
  }

  @Test func `A reading process sees complete saves of another process, in their order`() async throws {
    let store = try TemporaryStore()
    let context = ModelContext(try ContextLibrary.container(store))
    context.insert(Author("shared"))
    context.insert(Book("counter"))
    try context.save()
    let path = store.url.path
    let isOver = Mutex(false)
    async let child: Void = {
      _ = await #expect(processExitsWith: .success) { [path = path as String] in
        TestProcess.run { try Writer(path: path, name: "child").insert() }
      }
      isOver.withLock { $0 = true }
    }()
    var seen = 0
    let counter = try #require(try context.all(Book.self).first)
    while counter.pages < Self.rounds, !isOver.withLock({ $0 }) {
      let books = try context.all(Book.self)
      // Each save adds a book with its chapters, or increments a count.
      #expect(books.count >= seen && books.count - 1 >= counter.pages && books.count - 1 <= counter.pages + 1)
      #expect(books.allSatisfy { $0 === counter || $0.chapters.count == 2 })
      seen = books.count
      if try history(store).isEmpty { break }
      // The process may have no other thread on which to wait.
      await Task.yield()
    }
    await child
    #expect(try context.all(Book.self).count == Self.rounds + 1 && counter.pages == Self.rounds)
    #expect(!context.hasChanges)
    try check(store)
  }

  @Test func `CD-1.5 Processes that create the same store at the same time all open it`() async throws {
    for round in 0..<5 {
      let store = try TemporaryStore()
      let path = store.url.path
      await withTaskGroup { group in
        for number in 1...2 {
          group.addTask {
            _ = await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
              TestProcess.run { try Writer(path: path, name: "child \(number)").make() }
            }
          }
        }
        for number in 1...4 {
          group.addTask {
            _ = #expect(throws: Never.self) { try Writer(path: path, name: "task \(number)").make() }
          }
        }
      }
      let context = ModelContext(try ContextLibrary.container(store))
      #expect(try context.all(Tag.self).count == 6, "round \(round)")
      let files = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
      #expect(files.allSatisfy { $0.hasPrefix("default.store") })
      try check(store)
    }
  }

  @Test(.enabled(if: Fixtures.areAvailable, "needs python3 as the checkers do"))
  func `CD-6 A program that writes rows by the layout's rules and contexts share keys, versions and order`()
    async throws
  {
    let store = try TemporaryStore()
    let context = ModelContext(try ContextLibrary.container(store))
    context.insert(Author("shared"))
    context.insert(Book("counter"))
    try context.save()
    let url = store.url
    async let other = Task.detached { try Oracle.run(script: Self.rawWriter, [url.path, "\(Self.rounds)"]) }.value
    try Writer(path: url.path, name: "parent").insert()
    let report = try await other
    #expect(report.status == 0, "\(report.output)")
    let books = try context.all(Book.self)
    #expect(books.count == 2 * Self.rounds + 1)
    #expect(books.filter { $0.title.hasPrefix("raw") }.count == Self.rounds)
    #expect(try context.first(Book.self, where: #Predicate { $0.title == "counter" })?.pages == 2 * Self.rounds)
    #expect(try context.all(Author.self).first?.books.count == 2 * Self.rounds)
    try check(store)
  }

  /// Inserts a book and its author, and increments a count, as Core Data does: keys from `Z_PRIMARYKEY`, `Z_OPT` raised.
  private static let rawWriter = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
    db.execute('PRAGMA journal_mode = WAL')
    for number in range(int(sys.argv[2])):
        db.execute('BEGIN IMMEDIATE')
        entity, key = db.execute("SELECT Z_ENT, Z_MAX + 1 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'").fetchone()
        db.execute('UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?', (key, entity))
        author = db.execute("SELECT Z_PK FROM ZAUTHOR").fetchone()[0]
        db.execute('INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZPAGES, ZAUTHOR) VALUES (?, ?, 1, ?, 0, ?)',
                   (key, entity, f'raw {number}', author))
        db.execute("UPDATE ZBOOK SET ZPAGES = ZPAGES + 1, Z_OPT = Z_OPT + 1 WHERE ZTITLE = 'counter'")
        db.execute('UPDATE ZAUTHOR SET Z_OPT = Z_OPT + 1 WHERE Z_PK = ?', (author,))
        db.execute('COMMIT')
    """
}

/// The work of each process.
private struct Writer {
  private let context: ModelContext
  private let name: String
  private static let rounds = 30

  init(path: String, name: String) throws {
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
    context = ModelContext(try ModelContainer(for: Schema(ContextLibrary.types), configurations: configuration))
    context.author = name
    self.name = name
  }

  func make() throws {
    context.insert(Tag(name))
    try context.save()
  }

  /// Saves a book with chapters, linked to shared objects, then increments the count of a shared object.
  func insert() throws {
    let tag = Tag(name)
    context.insert(tag)
    for round in 1...Self.rounds {
      let book = Book("\(name) \(round)", author: try context.all(Author.self).first)
      book.chapters = [Chapter("1"), Chapter("2")]
      book.tags = [tag]
      context.insert(book)
      try context.save()
      try count()
    }
  }

  /// Increments a number that other processes increment, too; repeats after each conflict.
  private func count() throws {
    context.conflictPolicy = .fail
    defer { context.conflictPolicy = .mergeByProperty }
    while true {
      let counter = try context.first(Book.self, where: #Predicate { $0.title == "counter" })
      counter?.pages += 1
      do { return try context.save() } catch let error as SwiftDataError where error == .saveConflict {
        context.rollback()
      }
    }
  }

  func change(_ change: (Book, Int) -> Void) throws {
    for round in 1...Self.rounds {
      for book in try context.all(Book.self) { change(book, round) }
      try context.save()
    }
  }
}
