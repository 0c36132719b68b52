import CSQLite
import CoreDataStore
import Foundation

/// SQLite's own interface, running the statements that ``StoreContestant`` was heard to run.
struct BareSQLiteContestant {
  struct Failure: Error { let message: String }

  let url: URL
  /// The statement that inserts a book, and those that run once: counters and history.
  let insertion: String
  let others: [String]
  let fetching: String

  /// - Parameter statements: those of a save of as many books as will be inserted, filled and unfilled.
  init(url: URL, expanded: [String], unexpanded: [String], fetching: String) throws {
    self.url = url
    self.fetching = fetching
    guard let insertion = unexpanded.first(where: { $0.hasPrefix("INSERT INTO ZBOOK ") }) else {
      throw Failure(message: "no insertion among \(Set(unexpanded))")
    }
    self.insertion = insertion
    let unwanted = ["INSERT INTO ZBOOK ", "SAVEPOINT", "RELEASE", "--"]
    others = expanded.filter { text in !unwanted.contains { text.hasPrefix($0) } }
  }

  func insert(_ books: [Book], firstKey: Int64) throws {
    let database = try Database(url)
    defer { database.close() }
    try database.execute("PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE")
    let statement = try database.prepare(insertion)
    defer { sqlite3_finalize(statement) }
    for (index, book) in books.enumerated() {
      sqlite3_bind_double(statement, 1, book.added.timeIntervalSinceReferenceDate)
      withUnsafeBytes(of: book.identifier.uuid) { bytes in
        _ = sqlite3_bind_blob(statement, 2, bytes.baseAddress, 16, Self.transient)
      }
      sqlite3_bind_int64(statement, 3, book.pages)
      sqlite3_bind_double(statement, 4, book.price)
      if let subtitle = book.subtitle { bind(subtitle, to: statement, 5) } else { sqlite3_bind_null(statement, 5) }
      bind(book.title, to: statement, 6)
      sqlite3_bind_int64(statement, 7, book.author)
      sqlite3_bind_int64(statement, sqlite3_bind_parameter_count(statement), firstKey + Int64(index))
      guard sqlite3_step(statement) == SQLITE_DONE else { throw database.failure }
      sqlite3_reset(statement)
    }
    for statement in others { try database.execute(statement) }
    try database.execute("COMMIT")
  }

  func fetch() throws -> [Book] {
    let database = try Database(url)
    defer { database.close() }
    let statement = try database.prepare(fetching)
    defer { sqlite3_finalize(statement) }
    var books: [Book] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      var identifier: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
      if let bytes = sqlite3_column_blob(statement, 4) {
        withUnsafeMutableBytes(of: &identifier) { $0.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: 16)) }
      }
      books.append(
        Book(
          added: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 3)),
          identifier: UUID(uuid: identifier), pages: sqlite3_column_int64(statement, 5),
          price: sqlite3_column_double(statement, 6), subtitle: text(statement, 7), title: text(statement, 8) ?? "",
          author: sqlite3_column_int64(statement, 9)))
    }
    return books
  }

  /// The least that opening can cost: the file, and its schema.
  static func open(_ url: URL) throws {
    let database = try Database(url)
    defer { database.close() }
    try database.execute("SELECT count(*) FROM sqlite_master")
  }

  private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

  private func bind(_ text: String, to statement: OpaquePointer?, _ index: Int32) {
    var text = text
    text.withUTF8 { bytes in
      _ = bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text(statement, index, $0.baseAddress, Int32($0.count), Self.transient)
      }
    }
  }

  private func text(_ statement: OpaquePointer?, _ column: Int32) -> String? {
    sqlite3_column_text(statement, column).map { String(cString: $0) }
  }

  private final class Database {
    private var handle: OpaquePointer?

    init(_ url: URL) throws {
      guard sqlite3_open_v2(url.path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK else {
        throw Failure(message: "cannot open \(url.path)")
      }
    }

    func close() { sqlite3_close(handle) }

    func execute(_ sql: String) throws {
      guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    func prepare(_ sql: String) throws -> OpaquePointer? {
      var statement: OpaquePointer?
      guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
      return statement
    }

    var failure: Failure { Failure(message: String(cString: sqlite3_errmsg(handle))) }
  }
}
