import Foundation
import SwiftData

/// What `make demo` runs: the sample Core Data store, opened with the classes that were generated from its model.
@main
struct LibraryDemo {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.count == 2, arguments[0] == "--make-store" {
      try SampleStore.make(at: URL(fileURLWithPath: arguments[1]))
    } else if arguments.count == 2 || arguments.count > 2 && arguments[2].hasPrefix("-com.apple.CoreData.") {
      try run(store: URL(fileURLWithPath: arguments[0]), folder: URL(fileURLWithPath: arguments[1]))
    } else {
      let usage =
        "usage: library-demo STORE FOLDER [-com.apple.CoreData.SQLDebug LEVEL]\n       library-demo --make-store STORE\n"
      try FileHandle.standardError.write(contentsOf: Data(usage.utf8))
      exit(64)
    }
  }

  /// Works on a copy of the store, so that the demo can be run again.
  private static func run(store: URL, folder: URL) throws {
    let copy = folder.appendingPathComponent(store.lastPathComponent)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: copy.path + suffix)
    }
    try FileManager.default.copyItem(at: store, to: copy)

    print("Opened \(copy.lastPathComponent) through ModelContext")
    try read(from: copy)
    let title = try write(to: copy)
    try readBack(title, from: copy)
  }

  private static func context(_ url: URL) throws -> ModelContext {
    let schema = Schema(versionedSchema: LibrarySchemaV3.self)
    return ModelContext(
      try ModelContainer(for: schema, configurations: ModelConfiguration(schema: schema, url: url)))
  }

  private static func read(from url: URL) throws {
    let context = try context(url)
    print("  \(try context.fetchCount(FetchDescriptor<Item>())) items,", terminator: " ")
    print("\(try context.fetchCount(FetchDescriptor<Book>())) of them books,", terminator: " ")
    print("\(try context.fetchCount(FetchDescriptor<Member>())) members")

    let longBooks = FetchDescriptor<Book>(
      predicate: #Predicate { $0.pageCount > 300 && $0.title.localizedStandardContains("the") },
      sortBy: [SortDescriptor(\.title)])
    for book in try context.fetch(longBooks) {
      let authors = book.authors.map(\.familyName).sorted().joined(separator: ", ")
      print("  read     “\(book.title)” by \(authors): \(book.pageCount) pages, \(book.chapters?.count ?? 0) chapters")
    }
  }

  private static func write(to url: URL) throws -> String {
    let context = try context(url)
    let author = Author(familyName: "Woolf", givenName: "Virginia", identifier: UUID())
    let book = Book(identifier: UUID(), title: "To the Lighthouse", isbn: "9780156907392", pageCount: 209)
    context.insert(book)
    book.authors = [author]
    for (index, title) in ["The Window", "Time Passes", "The Lighthouse"].enumerated() {
      context.insert(Chapter(number: Int16(index + 1), title: title, book: book))
    }
    print("  inserted “\(book.title)” with \(book.chapters?.count ?? 0) chapters and its author")

    if let oldest = try context.fetch(FetchDescriptor<Member>(sortBy: [SortDescriptor(\.memberNumber)])).first {
      oldest.email = "reader@example.org"
      print("  updated  \(oldest.name)")
    }
    var magazines = FetchDescriptor<Magazine>(sortBy: [SortDescriptor(\.issueNumber)])
    magazines.fetchLimit = 1
    for magazine in try context.fetch(magazines) {
      print("  deleted  “\(magazine.title)” no. \(magazine.issueNumber)")
      context.delete(magazine)
    }
    try context.save()
    print("  saved")
    return book.title
  }

  private static func readBack(_ title: String, from url: URL) throws {
    let found = try context(url).fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == title }))
    guard let book = found.first, found.count == 1, book.chapters?.map(\.number) == [1, 2, 3],
      book.authors.first?.familyName == "Woolf"
    else {
      print("  the store does not hold what was written")
      exit(1)
    }
    print("  reopened: “\(book.title)”, \(book.chapters?.map(\.title).joined(separator: ", ") ?? "")")
  }
}
