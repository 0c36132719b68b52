import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// A store with a few objects, and a context with changes of every kind; for saves that fail.
final class ContextTrial {
  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext
  private let author: Author
  private let books: [Book]
  private var added: [Book] = []
  private var pending = Pending()
  /// The contents of the store before and after the changes.
  private(set) var before: [String] = []
  static let after =
    ((0..<10).map { "Book Added \($0) \(100 + $0) of nil, tags [], cover nil" }
    + [
      "Author Karl May 1843: Book 2, Book 3, Changed", "Book Book 2 2 of Karl May, tags [], cover nil",
      "Book Book 3 3 of Karl May, tags [], cover nil",
      "Book Changed 1 of Karl May, tags [\"new\", \"old\"], cover Optional(\"red\")",
    ]).sorted()

  /// - Parameter prepare: called with the store's folder before anything is opened in it.
  init(prepare: (URL) -> Void = { _ in }) throws {
    store = try TemporaryStore()
    prepare(store.folder)
    container = try ContextLibrary.container(store)
    context = ModelContext(container)
    author = Author("Karl May", born: 1842)
    let author = author
    books = (0..<4).map { Book("Book \($0)", pages: $0, author: author) }
    books[0].chapters = [Chapter("I"), Chapter("II")]
    books[1].tags = [Tag("old")]
    books.forEach { context.insert($0) }
    try context.save()
    before = try contents()
  }

  /// Inserts, changes and deletes linked objects; the save merges one insertion with an existing row.
  func change() {
    books[1].title = "Changed"
    books[1].tags.append(Tag("new"))
    books[1].cover = Cover("red")
    context.delete(books[0])
    added = (0..<10).map { Book("Added \($0)", pages: 100 + $0) }
    added.forEach { context.insert($0) }
    context.insert(Author("Karl May", born: 1843))
    context.processPendingChanges()
    pending = Pending(context)
  }

  /// Expects that a failed save changed neither the context nor the store.
  func expectPending(_ comment: Comment) throws {
    let now = Pending(context)
    #expect(now == pending, comment)
    #expect(context.hasChanges && context.insertedModelsArray.count == 13, comment)
    #expect(books[1].title == "Changed" && books[1].tags.count == 2 && books[1].hasChanges, comment)
    #expect(books[1].cover?.colour == "red" && books[1].cover?.book === books[1], comment)
    #expect(books[0].isDeleted && books[0].chapters.allSatisfy(\.isDeleted), comment)
    let identifiers = context.insertedModelsArray.map(\.persistentModelID)
    #expect(identifiers.allSatisfy { $0.storeIdentifier == nil }, comment)
    #expect(Set(identifiers).count == identifiers.count, comment)
    #expect(context.insertedModelsArray.allSatisfy { $0._$state.key == 0 }, comment)
    #expect(try contents() == before, comment)
  }

  /// Expects that all changes are saved exactly once.
  func expectSaved(_ comment: Comment) throws {
    #expect(!context.hasChanges, comment)
    #expect(added.allSatisfy { $0.persistentModelID.storeIdentifier != nil && !$0.hasChanges }, comment)
    #expect(books[0].isDeleted && books[1].title == "Changed", comment)
    #expect(author.born == 1843, comment)
    #expect(try contents() == Self.after, comment)
  }

  /// Expects that the context agrees with the store after a rollback.
  func expectRolledBack(_ comment: Comment) throws {
    #expect(!context.hasChanges, comment)
    #expect(added.allSatisfy { $0.modelContext == nil && $0.persistentModelID.storeIdentifier == nil }, comment)
    #expect(books.map(\.title) == (0..<4).map { "Book \($0)" }, comment)
    #expect(books[1].tags.map(\.word) == ["old"] && books[1].cover == nil && author.born == 1842, comment)
    #expect(!books[0].isDeleted && books[0].chapters.map(\.heading).sorted() == ["I", "II"], comment)
    #expect(try contents(context) == before && contents() == before, comment)
  }

  /// Every object as a line; by default as a new context reads it.
  func contents(_ context: ModelContext? = nil) throws -> [String] {
    let context = context ?? ModelContext(container)
    var lines = try context.all(Book.self).map { book in
      "Book \(book.title) \(book.pages) of \(book.author?.name ?? "nil"), tags \(book.tags.map(\.word).sorted()), "
        + "cover \(book.cover.map { "\($0.colour.debugDescription)" }.map { "Optional(\($0))" } ?? "nil")"
    }
    lines += try context.all(Author.self).map { author in
      "Author \(author.name) \(author.born ?? 0): \(author.books.map(\.title).sorted().joined(separator: ", "))"
    }
    lines += try context.all(Chapter.self).map { "Chapter \($0.heading) of \($0.book?.title ?? "nil")" }
    return lines.sorted()
  }
}

/// All unsaved changes of a context.
private struct Pending: Equatable {
  /// Status, identity, changed properties and links, in the context's order.
  private(set) var objects: [String] = []

  init() {}

  init(_ context: ModelContext) {
    let lists = [
      ("inserted", context.insertedModelsArray), ("changed", context.changedModelsArray),
      ("deleted", context.deletedModelsArray),
    ]
    for (name, list) in lists {
      objects += list.map { object in
        let state = object._$state.extras
        let links = (state?.links ?? [:]).sorted { $0.key < $1.key }.map {
          "\($0.key): +\($0.value.added.map(Self.address)) -\($0.value.removed.map(Self.address))"
        }
        return "\(name) \(Self.address(object)) \(object._$state.status) key \(object._$state.key) "
          + "version \(object._$state.version) changed \(object._$state.changedProperties) \(links)"
      }
    }
  }

  private static func address(_ object: any PersistentModel) -> String {
    "\(type(of: object))@\(ObjectIdentifier(object).hashValue)"
  }
}
