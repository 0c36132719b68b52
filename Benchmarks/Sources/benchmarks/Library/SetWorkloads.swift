import Foundation
import GRDB
import SwiftData

/// Work on many rows at once: without objects, with live results, and with full-text search.
extension Workload {
  static var sets: [Workload] { statements + texts + searches + live }

  private static var statements: [Workload] {
    [
      Workload(
        "update-where", "update(model:where:) of ~50,000",
        swiftData: inLibrary(copied: true, updateBooks),
        grdb: inTables(copied: true) { queue in
          try queue.write { database in
            _ = try BookRecord.filter(Column("pages") < 500).updateAll(database, Column("pages") += 1)
          }
          return 0
        }, bareSQLite: replayed(updateBooks)),
      Workload(
        "sum", "sum and average of 100,000", parts: 20,
        swiftData: inLibrary(sumBooks),
        grdb: inTables { queue in
          try (0..<20).reduce(0) { sum, _ in
            try queue.read { database in
              let row = try Row.fetchOne(
                database, BookRecord.select(GRDB.sum(Column("pages")), average(Column("rating")), as: Row.self))
              return sum &+ (row?[0] ?? 0) &+ Int(((row?[1] as Double?) ?? 0) * 1000)
            }
          }
        }, bareSQLite: replayed(sumBooks)),
      Workload(
        "group", "count 100,000 in 1,000 groups", parts: 5,
        swiftData: inLibrary { context in
          try (0..<5).reduce(0) { sum, _ in
            try context.aggregate(Book.self, by: \.pages, .count).reduce(sum) { $0 &+ $1.key &* $1.value }
          }
        },
        grdb: inTables { queue in
          try (0..<5).reduce(0) { sum, _ in
            try queue.read { database in
              let rows = try Row.fetchAll(
                database,
                BookRecord.select(Column("pages"), GRDB.count(Column("id")), as: Row.self).group(Column("pages")))
              return rows.reduce(sum) { $0 &+ ($1[0] as Int) &* ($1[1] as Int) }
            }
          }
        }),
      Workload(
        "enumerate", "enumerate 100,000",
        swiftData: inLibrary { context in
          var sum = 0
          try context.enumerate(FetchDescriptor<Book>()) { sum &+= $0.pages }
          return sum
        },
        grdb: inTables { queue in
          try queue.read { database in
            var sum = 0
            let cursor = try BookRecord.fetchCursor(database)
            while let book = try cursor.next() { sum &+= book.pages }
            return sum
          }
        }),
    ]
  }

  private static func sumBooks(_ context: ModelContext) throws -> Int {
    try (0..<20).reduce(0) { sum, _ in
      let (pages, rating) = try context.aggregate(Book.self, .sum(\.pages), .average(\.rating))
      return sum &+ pages &+ Int((rating ?? 0) * 1000)
    }
  }

  private static func updateBooks(_ context: ModelContext) throws -> Int {
    try context.update(model: Book.self, where: #Predicate { $0.pages < 500 }) {
      $0.set(\.pages, to: #Expression { $0.pages + 1 })
    }
    try context.save()
    return 0
  }

  private static var texts: [Workload] {
    [
      Workload(
        "text", "localizedStandardContains of 100,000, beside LIKE", parts: 5,
        swiftData: inLibrary { context in
          try (0..<5).reduce(0) { sum, index in
            let part = "NUMBER \(index)9"
            return try sum
              + context.fetchCount(
                FetchDescriptor<Book>(predicate: #Predicate { $0.title.localizedStandardContains(part) }))
          }
        },
        grdb: inTables { queue in
          try (0..<5).reduce(0) { sum, index in
            try queue.read { database in
              try sum + BookRecord.filter(Column("title").like("%NUMBER \(index)9%")).fetchCount(database)
            }
          }
        })
    ]
  }
}

// Full-text search. GRDB's table is synchronized by triggers, as this package's index is.
extension Workload {
  private static var searches: [Workload] {
    [
      Workload(
        "search-save", "insert 10,000 with a search index",
        swiftData: searched { context in
          for sample in BookSample.all.prefix(10_000) { context.insert(Book(sample, author: nil)) }
          try context.save()
          return 0
        },
        grdb: searchedTables { queue in
          try queue.write { database in
            for sample in BookSample.all.prefix(10_000) { try BookRecord(sample, authorId: nil).insert(database) }
          }
          return 0
        }),
      Workload(
        "search-best", "best 20 of a full-text search", parts: 20,
        swiftData: searched { context in
          try (0..<20).reduce(0) { sum, index in
            var descriptor = FetchDescriptor<Book>()
            descriptor.search = TextSearch("player \(index)", matching: .beginnings)
            descriptor.fetchLimit = 20
            return try sum &+ context.fetch(descriptor).count
          }
        },
        grdb: searchedTables { queue in
          try (0..<20).reduce(0) { sum, index in
            try queue.read { database in
              try sum &+ best(20, "player* \(index)*", database).count
            }
          }
        }),
      Workload(
        "search-count", "count of a full-text search", parts: 20,
        swiftData: searched { context in
          try (0..<20).reduce(0) { sum, index in
            var descriptor = FetchDescriptor<Book>()
            descriptor.search = TextSearch("player \(index)", matching: .beginnings)
            return try sum &+ context.fetchCount(descriptor)
          }
        },
        grdb: searchedTables { queue in
          try (0..<20).reduce(0) { sum, index in
            try queue.read { database in
              let count = try Int.fetchOne(
                database,
                sql: "SELECT COUNT(*) FROM book JOIN bookText ON bookText.rowid = book.id WHERE bookText MATCH ?",
                arguments: ["player* \(index)*"])
              return sum &+ (count ?? 0)
            }
          }
        }),
    ]
  }

  private static func best(_ count: Int, _ pattern: String, _ database: Database) throws -> [BookRecord] {
    try BookRecord.fetchAll(
      database,
      sql: """
        SELECT book.* FROM bookText JOIN book ON book.id = bookText.rowid WHERE bookText MATCH ?
        ORDER BY bookText.rank LIMIT \(count)
        """, arguments: [pattern])
  }

  /// A copy of the library with a search index of titles.
  private static func searched(_ work: @escaping (ModelContext) throws -> Int) -> Trial {
    { folder in
      try Templates.copy(try .searchedLibrary, to: folder)
      let context = try LibraryStore(folder).context
      return { try work(context) }
    }
  }

  private static func searchedTables(_ work: @escaping (DatabaseQueue) throws -> Int) -> Trial {
    { folder in
      try Templates.copy(try .searchedLibrary, to: folder)
      let queue = try LibraryTables(folder).queue
      return { try work(queue) }
    }
  }
}

extension URL {
  /// The library with a search index of titles, for every contestant.
  fileprivate static var searchedLibrary: URL {
    get throws {
      let library = try URL.library
      return try Templates.folder("searched-library") { folder in
        try Templates.copy(library, to: folder)
        try LibraryStore(folder).context.container.makeSearchIndex(for: Book.self, on: [\.title])
        try LibraryTables(folder).queue.write { database in
          try database.create(virtualTable: "bookText", using: FTS5()) { table in
            table.synchronize(withTable: "book")
            table.tokenizer = .unicode61(diacritics: .remove)
            table.column("title")
          }
        }
      }
    }
  }
}

// Live results: one of 100,000 rows changes.
extension Workload {
  private static var live: [Workload] {
    [
      Workload(
        "live", "one changed row of 100,000 in live results", parts: 20,
        swiftData: { folder in
          try Templates.copy(try .library, to: folder)
          let context = try LibraryStore(folder).context
          let observer = try ResultsObserver(
            fetchDescriptor: FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]), modelContext: context)
          let books = Array(observer.results.prefix(20))
          return {
            try books.reduce(0) { sum, book in
              book.title = "A\(book.title)"
              try context.save()
              return sum &+ observer.results.count
            }
          }
        },
        // GRDB's observation fetches again.
        grdb: { folder in
          try Templates.copy(try .library, to: folder)
          let queue = try LibraryTables(folder).queue
          let books = try queue.read { try BookRecord.order(Column("title")).limit(20).fetchAll($0) }
          return {
            try books.reduce(0) { sum, book in
              var book = book
              book.title = "A\(book.title)"
              try queue.write { try book.update($0) }
              return try sum &+ queue.read { try BookRecord.order(Column("title")).fetchAll($0) }.count
            }
          }
        })
    ]
  }
}
