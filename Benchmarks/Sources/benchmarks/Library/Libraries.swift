import Foundation
import GRDB
import SwiftData

/// A book as every contestant has it; book `n` is by author `n % 1000`.
struct BookSample: Sendable {
  static let authorCount = 1000
  static let count = 100_000

  var title: String
  var pages: Int
  var rating: Double
  var published: Date

  static let all: [BookSample] = Sample.all.prefix(count).map { sample in
    BookSample(title: "On \(sample.name)", pages: sample.score, rating: sample.rating, published: sample.joined)
  }
}

/// The library as model objects.
struct LibraryStore {
  let context: ModelContext

  init(_ folder: URL) throws {
    let url = folder.appendingPathComponent("library.store")
    context = ModelContext(
      try ModelContainer(for: Author.self, Book.self, configurations: ModelConfiguration(url: url)))
  }

  func insertAll() throws -> Int {
    let authors = (0..<BookSample.authorCount).map { Author(name: "Author \($0)") }
    for author in authors { context.insert(author) }
    for (index, sample) in BookSample.all.enumerated() {
      context.insert(Book(sample, author: authors[index % authors.count]))
    }
    try context.save()
    return BookSample.count
  }
}

/// The library as records of GRDB.
struct LibraryTables {
  let queue: DatabaseQueue

  init(_ folder: URL) throws { queue = try .inFolder(folder, "library") }

  func create() throws {
    try queue.write { database in
      try database.create(table: "author") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("name", .text)
      }
      try database.create(table: "book") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("title", .text)
        table.column("pages", .integer)
        table.column("rating", .double)
        table.column("published", .double)
        table.column("authorId", .integer).references("author", onDelete: .cascade).indexed()
      }
    }
  }

  func insertAll() throws -> Int {
    try queue.write { database in
      var keys: [Int64?] = []
      for index in 0..<BookSample.authorCount {
        var author = AuthorRecord(name: "Author \(index)")
        try author.insert(database)
        keys.append(author.id)
      }
      for (index, sample) in BookSample.all.enumerated() {
        try BookRecord(sample, authorId: keys[index % keys.count]).insert(database)
      }
    }
    return BookSample.count
  }
}

extension URL {
  /// A folder with the library of every contestant, made on first use.
  static var library: URL {
    get throws {
      try Templates.folder("library") { folder in
        _ = try LibraryStore(folder).insertAll()
        let tables = try LibraryTables(folder)
        try tables.create()
        _ = try tables.insertAll()
      }
    }
  }
}

/// What is done to a library that is open already and that nothing was fetched from; with a copy of it if it is changed.
func inLibrary(copied: Bool = false, _ work: @escaping (ModelContext) throws -> Int) -> Trial {
  { folder in
    let template = try URL.library
    if copied { try Templates.copy(template, to: folder) }
    let store = try LibraryStore(copied ? folder : template)
    return { try work(store.context) }
  }
}

/// The same, with records of GRDB.
func inTables(
  copied: Bool = false, _ work: @escaping (DatabaseQueue) throws -> Int
) -> Trial {
  { folder in
    let template = try URL.library
    if copied { try Templates.copy(template, to: folder) }
    let tables = try LibraryTables(copied ? folder : template)
    return { try work(tables.queue) }
  }
}

/// The statements that the work was heard to run in one copy of the library, run again by bare SQLite in another copy.
func replayed(_ work: @escaping (ModelContext) throws -> Int) -> Trial {
  { folder in
    let twin = folder.appendingPathComponent("twin")
    try FileManager.default.createDirectory(at: twin, withIntermediateDirectories: true)
    try Templates.copy(try .library, to: twin)
    var sum = 0
    let statements = try RecordedStatements(opening: { try LibraryStore(twin).context }, of: { sum = try work($0) })
    try Templates.copy(try .library, to: folder)
    let database = try BareDatabase(folder.appendingPathComponent("library.store"))
    return {
      try statements.replay(on: database)
      return sum
    }
  }
}
