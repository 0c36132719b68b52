import Foundation
import SQLite
import StoreTestSupport
import TestSupport
import Testing

@testable import SwiftData

/// Types without a zero, and types whose zero can be found.
enum MissingValueModels {
  /// Cannot be decoded from zeros.
  struct Strict: Codable, Hashable {
    let text: String
    init(_ text: String) { self.text = text }
    init(from decoder: any Decoder) throws {
      let text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
      guard text.count > 2 else {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "it is too short"))
      }
      self.text = text
    }
    private enum CodingKeys: CodingKey { case text }
  }

  struct Loose: Codable, Hashable {
    var words: [String]
    var size: Int
  }

  enum Only: String, Codable { case one }

  @Model final class Refused {
    @Attribute(.codable) var strict: Strict
    init(_ strict: Strict) { self.strict = strict }
  }

  @Model final class Accepted {
    var name: String
    @Attribute(.codable) var strict = Strict("default")
    @Attribute(.codable) var optional: Strict?
    @Attribute(.codable) var loose: Loose
    var only: Only
    init(_ name: String) {
      self.name = name
      loose = Loose(words: ["a"], size: 1)
      only = .one
    }
  }
}

@Suite("Values that are missing, or cannot be read")
struct MissingValueTests {
  typealias Refused = MissingValueModels.Refused
  typealias Accepted = MissingValueModels.Accepted

  @Test("A container refuses a property without a default whose type has no zero")
  func refused() throws {
    let store = try TemporaryStore()
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Refused.self, configurations: ModelConfiguration(url: store.url))
    }
    #expect(error?.explanation?.contains("Refused.strict") == true && error?.explanation?.contains("default") == true)
  }

  @Test("Getters return a default for NULL, and for an object whose row is deleted")
  func getters() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(for: Accepted.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    for name in ["a", "b"] { context.insert(Accepted(name)) }
    try context.save()
    let identifiers = try context.fetch(FetchDescriptor<Accepted>(sortBy: [SortDescriptor(\.name)])).map(\.id)
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    try connection.execute("UPDATE ZACCEPTED SET ZSTRICT = NULL, ZLOOSE = NULL, ZONLY = NULL WHERE ZNAME = 'a'")
    try connection.execute("DELETE FROM ZACCEPTED WHERE ZNAME = 'b'")
    connection.close()
    let reader = ModelContext(container)
    let null = try #require(reader.model(for: identifiers[0]) as? Accepted)
    #expect(null.strict.text == "default" && null.loose == .init(words: [], size: 0) && null.only == .one)
    let gone = try #require(reader.model(for: identifiers[1]) as? Accepted)
    #expect(gone.strict.text == "default" && gone.loose.size == 0 && gone.name == "" && gone.optional == nil)
    #expect(gone.isDeleted)
  }

  /// A library of one book whose reads fail while `unreadable` runs.
  private final class Library {
    let store: TemporaryStore
    let disk: FaultyFileSystem
    let context: ModelContext
    let book: Book

    init() throws {
      store = try TemporaryStore()
      disk = FaultyFileSystem(store.folder)
      let container = try ContextLibrary.container(store)
      let writer = ModelContext(container)
      let saved = Book("Book", pages: 7, author: Author("A"))
      saved.tags = [Tag("1"), Tag("2")]
      writer.insert(saved)
      try writer.save()
      context = ModelContext(container)
      book = try #require(context.model(for: saved.persistentModelID) as? Book)
    }

    func unreadable(_ body: () -> Void) {
      disk.arm(.device, at: 1, isPersistent: true)
      body()
      disk.disarm()
    }
  }

  @Test("A value computed from an unreadable value is never saved", arguments: ["pages", "tags", "author"])
  func readModifyWrite(property: String) throws {
    let library = try Library()
    let book = library.book
    library.unreadable {
      switch property {
      case "pages": book.pages += 1
      case "tags": book.tags.append(Tag("3"))
      default: if book.author == nil { book.author = Author("B") }
      }
    }
    book.title = "changed"
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try library.context.save() }
    let problem = try #require(error?.validationProblems.first)
    #expect(problem.propertyName == property && problem.entityName == "Book")
    #expect(problem.problem.contains("could not be read"))
    library.context.rollback()
    #expect(book.pages == 7 && book.author?.name == "A" && book.tags.count == 2 && book.title == "Book")
    book.pages += 1
    book.tags.append(Tag("3"))
    try library.context.save()
    #expect(book.pages == 8 && book.tags.count == 3)
  }

  @Test("A value assigned without a read is saved once the row can be read")
  func assignmentAlone() throws {
    let library = try Library()
    library.unreadable { library.book.pages = 100 }
    try library.context.save()
    #expect(library.book.pages == 100 && library.book.title == "Book")
  }
}
