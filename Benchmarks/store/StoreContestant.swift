import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import StoreRequests

/// `CoreDataStore`, at the level below model objects.
struct StoreContestant {
  let url: URL

  /// An empty store of authors without books.
  func create() throws {
    let store = try PersistentStore.open(at: url, model: BookModel.model)
    defer { store.close() }
    let author = try entity("Author", of: store)
    var changes = ChangeSet()
    changes.insertions = (1...BookModel.authorCount).map {
      ChangeSet.Insertion(
        entity: author, columns: [ColumnSelection(entityName: "Author", propertyName: "name")],
        source: StoreValuesRow(values: ["name": .text("Author \($0)")]))
    }
    _ = try store.save(changes)
  }

  func changes(inserting books: [Book], into store: PersistentStore) throws -> ChangeSet {
    let (book, author) = (try entity("Book", of: store), try entity("Author", of: store))
    var changes = ChangeSet()
    changes.insertions = books.map {
      ChangeSet.Insertion(entity: book, columns: BookModel.columns, source: BookRow($0, authorEntity: author))
    }
    return changes
  }

  func open() throws -> PersistentStore { try PersistentStore.open(at: url) }

  /// Opens, writes and closes.
  func insert(_ books: [Book]) throws {
    let store = try open()
    defer { store.close() }
    _ = try store.save(changes(inserting: books, into: store))
  }

  static let request = FetchRequest(entityName: "Book", columns: BookModel.columns)

  /// Opens, reads every book into an array, and closes.
  func fetch() throws -> [Book] {
    let store = try open()
    defer { store.close() }
    let cursor = try store.fetch(Self.request)
    var books: [Book] = []
    var reader = cursor.reader()
    while try cursor.next() {
      reader.start(at: cursor.firstSelected)
      books.append(
        Book(
          added: reader.date() ?? .distantPast, identifier: reader.uuid() ?? UUID(), pages: reader.integer() ?? 0,
          price: reader.double() ?? 0, subtitle: reader.text(), title: reader.text() ?? "",
          author: reader.integer() ?? 0))
    }
    return books
  }

  /// Reads every row and keeps none.
  func stream(_ store: PersistentStore) throws -> Int {
    let cursor = try store.fetch(Self.request)
    var count = 0
    var length = 0
    while try cursor.next() {
      var reader = cursor.reader()
      reader.skip(5)
      length &+= reader.text()?.utf8.count ?? 0
      count += 1
    }
    return length > 0 ? count : 0
  }

  /// The statements of a save, as they run; placeholders filled where asked for.
  func statements(of books: [Book], isExpanded: Bool) throws -> [String] {
    let store = try open()
    defer { store.close() }
    let recording = Recording()
    return try store.write { connection in
      try connection.onStatement(isExpanded: isExpanded) { recording.add($0) }
      _ = try store.save(changes(inserting: books, into: store))
      try connection.onStatement(nil)
      return recording.statements
    }
  }

  /// The statement that reads all books.
  func fetchStatement() throws -> String {
    let store = try open()
    defer { store.close() }
    let recording = Recording()
    try store.read { try $0.onStatement { recording.add($0) } }
    let cursor = try store.fetch(Self.request)
    _ = try cursor.next()
    cursor.close()
    try store.read { try $0.onStatement(nil) }
    // The store asks for the version of the schema, too.
    return recording.statements.last { $0.hasPrefix("SELECT ") } ?? ""
  }

  private func entity(_ name: String, of store: PersistentStore) throws -> Int32 {
    guard let entity = store.layout.entity(named: name) else { throw CocoaError(.fileReadCorruptFile) }
    return Int32(entity.number)
  }

  private final class Recording: @unchecked Sendable {
    var statements: [String] = []
    func add(_ text: String) { statements.append(text) }
  }
}
