import Foundation
import GRDB
import SwiftData

extension Workload {
  /// 1,000 authors with 100 books each. The database is open before each measurement, and nothing was fetched from it.
  static var library: [Workload] {
    [
      Workload(
        "insert-linked", "insert 1,000 authors with 100,000 books",
        swiftData: { folder in
          let store = try LibraryStore(folder)
          return { try store.insertAll() }
        },
        grdb: { folder in
          let tables = try LibraryTables(folder)
          try tables.create()
          return { try tables.insertAll() }
        })
    ] + walks + filters + changes
  }
}

extension Workload {
  fileprivate static var walks: [Workload] {
    [
      Workload(
        "fetch-linked", "fetch 100,000 with a to-one",
        swiftData: inLibrary { context in
          try context.fetch(FetchDescriptor<Book>()).reduce(0) { $0 &+ $1.pages &+ $1.title.utf8.count }
        },
        grdb: inTables { queue in
          try queue.read { try BookRecord.fetchAll($0) }.reduce(0) { $0 &+ $1.pages &+ $1.title.utf8.count }
        }),
      Workload(
        "walk-to-one", "walk 10,000 to-one",
        swiftData: inLibrary { context in
          var descriptor = FetchDescriptor<Book>()
          descriptor.fetchLimit = 10_000
          return try context.fetch(descriptor).reduce(0) { $0 &+ ($1.author?.name.utf8.count ?? 0) }
        },
        grdb: inTables { queue in
          try queue.read { database in
            let books = try BookRecord.limit(10_000).fetchAll(database)
            let keys = Set(books.compactMap(\.authorId))
            let authors = try AuthorRecord.filter(keys: keys).fetchAll(database)
            let authorByKey = Dictionary(uniqueKeysWithValues: authors.map { ($0.id, $0) })
            return books.reduce(0) { $0 &+ (authorByKey[$1.authorId]?.name.utf8.count ?? 0) }
          }
        }),
      Workload(
        "walk-to-many", "walk 1,000 to-many of 100,000",
        swiftData: inLibrary { context in
          var sum = 0
          for author in try context.fetch(FetchDescriptor<Author>()) {
            for book in author.books { sum &+= book.pages }
          }
          return sum
        },
        grdb: inTables { queue in
          try queue.read { database in
            let authors = try AuthorRecord.fetchAll(database)
            let keys = Set(authors.map(\.id))
            let books = try BookRecord.filter(keys.contains(Column("authorId"))).fetchAll(database)
            let booksByAuthor = Dictionary(grouping: books, by: \.authorId)
            return authors.reduce(0) { sum, author in
              (booksByAuthor[author.id] ?? []).reduce(sum) { $0 &+ $1.pages }
            }
          }
        }),
    ]
  }

  fileprivate static var filters: [Workload] {
    [
      Workload(
        "fetch-path", "fetch 100 of 100,000 through a to-one path", parts: 50,
        swiftData: inLibrary { context in
          try (0..<50).reduce(0) { sum, index in
            let name = "Author \(index * 7)"
            return try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.author?.name == name }))
              .reduce(sum) { $0 &+ $1.pages }
          }
        },
        grdb: inTables { queue in
          try (0..<50).reduce(0) { sum, index in
            let name = "Author \(index * 7)"
            return try queue.read { database in
              try BookRecord.joining(required: BookRecord.author.filter(Column("name") == name)).fetchAll(database)
            }.reduce(sum) { $0 &+ $1.pages }
          }
        }),
      Workload(
        "contains-where", "fetch by contains(where:)", parts: 5,
        swiftData: inLibrary { context in
          try (0..<5).reduce(0) { sum, index in
            let pages = 994 + index
            return try sum
              + context.fetch(
                FetchDescriptor<Author>(predicate: #Predicate { $0.books.contains { $0.pages > pages } })
              ).count
          }
        },
        grdb: inTables { queue in
          try (0..<5).reduce(0) { sum, index in
            let pages = 994 + index
            return try sum
              + queue.read { database in
                try AuthorRecord.filter(
                  sql: "EXISTS (SELECT 1 FROM book WHERE book.authorId = author.id AND pages > ?)", arguments: [pages]
                ).fetchAll(database)
              }.count
          }
        }),
      Workload(
        "count", "count 100,000", parts: 100,
        swiftData: inLibrary { context in
          try (0..<100).reduce(0) { sum, _ in try sum + context.fetchCount(FetchDescriptor<Book>()) }
        },
        grdb: inTables { queue in
          try (0..<100).reduce(0) { sum, _ in try sum + queue.read { try BookRecord.fetchCount($0) } }
        }),
      Workload(
        "count-filtered", "count ~50,000 of 100,000 by a predicate", parts: 10,
        swiftData: inLibrary { context in
          try (0..<10).reduce(0) { sum, index in
            let pages = 500 + index
            return try sum + context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.pages > pages }))
          }
        },
        grdb: inTables { queue in
          try (0..<10).reduce(0) { sum, index in
            try sum + queue.read { try BookRecord.filter(Column("pages") > 500 + index).fetchCount($0) }
          }
        }),
      Workload(
        "first-sorted", "fetch the first 50 of 100,000, sorted", parts: 10,
        swiftData: inLibrary(fetchFirst),
        grdb: inTables { queue in
          try (0..<10).reduce(0) { sum, index in
            try queue.read { try BookRecord.order(Column("published").desc).limit(50 + index).fetchAll($0) }
              .reduce(sum) { $0 &+ $1.pages }
          }
        }, bareSQLite: replayed(fetchFirst)),
    ]
  }

  private static func fetchFirst(_ context: ModelContext) throws -> Int {
    try (0..<10).reduce(0) { sum, index in
      var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.published, order: .reverse)])
      descriptor.fetchLimit = 50 + index
      return try context.fetch(descriptor).reduce(sum) { $0 &+ $1.pages }
    }
  }

  fileprivate static var changes: [Workload] {
    [
      Workload(
        "update", "update 100,000",
        swiftData: inLibrary(copied: true) { context in
          for book in try context.fetch(FetchDescriptor<Book>()) { book.pages += 1 }
          try context.save()
          return BookSample.count
        },
        grdb: inTables(copied: true) { queue in
          try queue.write { database in
            var books = try BookRecord.fetchAll(database)
            for index in books.indices {
              books[index].pages += 1
              try books[index].update(database)
            }
            return books.count
          }
        }),
      Workload(
        "cascade", "delete 500 authors, and with them 50,000 books",
        swiftData: inLibrary(copied: true, deleteAuthors),
        grdb: inTables(copied: true) { queue in
          try queue.write { database in
            for author in try AuthorRecord.limit(500).fetchAll(database) { _ = try author.delete(database) }
            return try BookRecord.fetchCount(database)
          }
        }, bareSQLite: replayed(deleteAuthors)),
      Workload(
        "delete-where", "delete(model:where:) of ~50,000",
        swiftData: inLibrary(copied: true, deleteBooks),
        grdb: inTables(copied: true) { queue in
          try queue.write { database in
            _ = try BookRecord.filter(Column("pages") < 500).deleteAll(database)
            return try BookRecord.fetchCount(database)
          }
        }, bareSQLite: replayed(deleteBooks)),
      appending("append", 8000),
      appending("append-32k", 32_000),
      Workload(
        "count-dirty", "count 100,000 with a change pending", parts: 100,
        swiftData: inLibrary(copied: true) { context in
          context.insert(Author(name: "New"))
          return try (0..<100).reduce(0) { sum, _ in try sum + context.fetchCount(FetchDescriptor<Book>()) }
        },
        grdb: inTables(copied: true) { queue in
          try (0..<100).reduce(0) { sum, _ in try sum + queue.read { try BookRecord.fetchCount($0) } }
        }),
      Workload(
        "path-dirty", "fetch through a to-one path with changes pending", parts: 50,
        swiftData: inLibrary(copied: true) { context in
          let author = try context.fetch(FetchDescriptor<Author>()).last
          author?.name = "Renamed"
          return try (0..<50).reduce(0) { sum, index in
            let name = "Author \(index * 7)"
            return try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.author?.name == name }))
              .reduce(sum) { $0 &+ $1.pages }
          }
        },
        grdb: inTables(copied: true) { queue in
          try (0..<50).reduce(0) { sum, index in
            let name = "Author \(index * 7)"
            return try queue.read { database in
              try BookRecord.joining(required: BookRecord.author.filter(Column("name") == name)).fetchAll(database)
            }.reduce(sum) { $0 &+ $1.pages }
          }
        }),
    ]
  }
}

// Work that bare SQLite does again with the same statements.
extension Workload {
  private static func deleteAuthors(_ context: ModelContext) throws -> Int {
    var descriptor = FetchDescriptor<Author>()
    descriptor.fetchLimit = 500
    for author in try context.fetch(descriptor) { context.delete(author) }
    try context.save()
    return try context.fetchCount(FetchDescriptor<Book>())
  }

  private static func deleteBooks(_ context: ModelContext) throws -> Int {
    try context.delete(model: Book.self, where: #Predicate { $0.pages < 500 })
    try context.save()
    return try context.fetchCount(FetchDescriptor<Book>())
  }
}

extension Workload {
  /// Books go to one new author, one by one; their author is given by his list.
  private static func appending(_ name: String, _ count: Int) -> Workload {
    Workload(
      name, "append \(count / 1000),000 to a to-many, one by one",
      swiftData: inLibrary(copied: true) { context in
        let author = Author(name: "New")
        context.insert(author)
        for sample in BookSample.all.prefix(count) { author.books.append(Book(sample, author: nil)) }
        try context.save()
        return count
      },
      grdb: inTables(copied: true) { queue in
        try queue.write { database in
          var author = AuthorRecord(name: "New")
          try author.insert(database)
          for sample in BookSample.all.prefix(count) { try BookRecord(sample, authorId: author.id).insert(database) }
        }
        return count
      })
  }
}
