import Foundation
import SwiftData
import SwiftDataPostgreSQL

/// What `make demo-server` runs: the classes that were generated from a model bundle, over a PostgreSQL database.
@main
struct ServerDemo {
  typealias Author = LibrarySchemaV2.Author
  typealias Book = LibrarySchemaV2.Book
  typealias Chapter = LibrarySchemaV2.Chapter

  /// The stage of the generated plan that needs no hand: version 3 changes the type of a property.
  enum FirstStage: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LibrarySchemaV1.self, LibrarySchemaV2.self] }
    static var stages: [MigrationStage] { [LibraryMigrationPlan.migrateV1toV2] }
  }

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if arguments.count == 2, arguments[0] == "--watch" { return try await Watcher.run(arguments[1]) }
      if arguments.count == 1 { return try run(arguments[0]) }
    } catch {
      FileHandle.standardError.write(Data("server-demo: \(error)\n".utf8))
      exit(1)
    }
    FileHandle.standardError.write(Data("usage: server-demo ADDRESS\n".utf8))
    exit(64)
  }

  static func container(
    _ address: String, _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [configuration(address)])
  }

  /// The tables of the demo are in a schema of their own.
  private static func configuration(_ address: String) -> PostgreSQLConfiguration {
    PostgreSQLConfiguration(address, databaseSchema: "library")
  }

  private static func run(_ address: String) throws {
    print("Opened \(configuration(address).debugDescription) through ModelContext")
    try writeFirstVersion(address)
    try migrate(address)
    try readAndWrite(address)
    try share(address)
  }

  // MARK: Version 1

  private static func writeFirstVersion(_ address: String) throws {
    let context = ModelContext(try container(address, LibrarySchemaV1.self))
    let novels = LibrarySchemaV1.Category(name: "Novels", shelfOrder: 1)
    context.insert(novels)
    for (title, family, pages) in [("Pod igoto", "Vazov", 480), ("A Room with a View", "Forster", 256)] {
      let book = LibrarySchemaV1.Book(identifier: UUID(), title: title, category: novels, pages: Int32(pages))
      context.insert(book)
      book.authors = [LibrarySchemaV1.Author(familyName: family, identifier: UUID())]
      for number in 1...3 {
        context.insert(LibrarySchemaV1.Chapter(number: Int16(number), title: "Chapter \(number)", book: book))
      }
    }
    try context.save()
    print("  version 1: made the tables, and inserted 2 books with their authors and chapters")
  }

  private static func migrate(_ address: String) throws {
    let schema = Schema(versionedSchema: LibrarySchemaV2.self)
    let plan = try configuration(address).migrationPreview(for: schema, migrationPlan: FirstStage.self)
    _ = try container(address, LibrarySchemaV2.self, FirstStage.self)
    print("  version 2: migrated by \(plan?.statements.count ?? 0) statements in one transaction")
  }

  // MARK: Version 2

  private static func readAndWrite(_ address: String) throws {
    let context = ModelContext(try container(address, LibrarySchemaV2.self))
    let long = FetchDescriptor<Book>(
      predicate: #Predicate { $0.pageCount > 300 && $0.title.localizedStandardContains("IGOTO") },
      sortBy: [SortDescriptor(\.title)])
    for book in try context.fetch(long) {
      let authors = book.authors.map(\.familyName).joined(separator: ", ")
      print("  read     “\(book.title)” by \(authors): \(book.pageCount) pages, \(book.chapters?.count ?? 0) chapters")
      book.rating = 5
      print("  updated  its rating")
    }
    for book in try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pageCount < 300 })) {
      print("  deleted  “\(book.title)”, and its \(book.chapters?.count ?? 0) chapters with it")
      context.delete(book)
    }
    try context.save()
    let left = try context.fetchCount(FetchDescriptor<Chapter>())
    print("  saved:   \(try context.fetchCount(FetchDescriptor<Book>())) book and \(left) chapters are left")
  }

  // MARK: Two processes

  /// Starts a second process that watches the books, and saves one.
  private static func share(_ address: String) throws {
    let watcher = Process()
    let output = Pipe()
    watcher.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    watcher.arguments = ["--watch", address]
    watcher.standardOutput = output
    try watcher.run()
    // The first line tells that the second process watches.
    let ready = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    print(ready, terminator: "")
    let context = ModelContext(try container(address, LibrarySchemaV2.self))
    let book = Book(identifier: UUID(), title: "To the Lighthouse", isbn: "9780156907392", pageCount: 209)
    context.insert(book)
    book.authors = [Author(familyName: "Woolf", givenName: "Virginia", identifier: UUID())]
    try context.save()
    print("  inserted “\(book.title)” in process \(ProcessInfo.processInfo.processIdentifier)")
    let seen = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    print(seen, terminator: "")
    watcher.waitUntilExit()
    guard watcher.terminationStatus == 0, seen.contains(book.title) else {
      print("  the second process did not see the book")
      exit(1)
    }
  }
}

/// The second process: live results that follow the saves of the first.
@MainActor
private enum Watcher {
  static func run(_ address: String) async throws {
    let container = try ServerDemo.container(address, LibrarySchemaV2.self)
    let books = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<ServerDemo.Book>(sortBy: [SortDescriptor(\.title)]),
      modelContext: container.mainContext)
    let process = "process \(ProcessInfo.processInfo.processIdentifier)"
    let patience = Task {
      try await Task.sleep(for: .seconds(60))
      exit(1)
    }
    for await results in books.values {
      let titles = results.map { "“\($0.title)”" }.joined(separator: " and ")
      print("  \(results.count == 1 ? "watching" : "seen    ") \(titles) in \(process)")
      fflush(nil)
      if results.count == 2 { break }
    }
    patience.cancel()
  }
}
