import CSQLite
import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

/// Files, transactions, locks, functions.
struct ConnectionTests {
  private let folder: TemporaryStore
  private var path: String { folder.url.path }

  init() throws { folder = try TemporaryStore(name: "a ?#%é.db") }

  @Test("modes: only create makes a file, immutable reads without a trace, whatever the name")
  func modes() throws {
    let error = try #require(throws: SQLiteError.self) { try Connection(path: path, mode: .readWrite) }
    #expect(error.code == .cannotOpen && error.path == path)
    let connection = try Connection(path: path, mode: .create)
    try connection.setPragma("journal_mode", "WAL")
    try connection.execute("CREATE TABLE T (A); INSERT INTO T VALUES (7)")
    connection.close()
    #expect(!connection.isOpen)
    #expect(throws: SQLiteError.self) { try connection.execute("SELECT 1") }
    let frozen = try Connection(path: path, mode: .immutable)
    #expect(try frozen.integer("SELECT A FROM T") == 7)
    #expect(throws: SQLiteError.self) { try frozen.execute("DELETE FROM T") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.folder.path).count == 1)
  }

  @Test("SQLite counts no memory, since every allocation would wait for the count of other threads")
  func memory() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE T (A); INSERT INTO T VALUES (zeroblob(100000))")
    #expect(sqlite3_memory_used() == 0)
  }

  @Test("a transaction commits when its body returns and is undone when it throws; savepoints nest")
  func transactions() throws {
    struct Stop: Error {}
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE T (A)")
    func count() throws -> Int64? { try connection.integer("SELECT count(*) FROM T") }
    #expect(throws: Stop.self) {
      try connection.transaction {
        try connection.execute("INSERT INTO T VALUES (1)")
        throw Stop()
      }
    }
    #expect(try count() == 0 && !connection.isInTransaction)
    let undone = Mutex(false)
    try connection.transaction {
      try connection.savepoint { try connection.execute("INSERT INTO T VALUES (1)") }
      do {
        try connection.savepoint {
          try connection.savepoint { try connection.execute("INSERT INTO T VALUES (2)") }
          throw Stop()
        }
      } catch is Stop { undone.withLock { $0 = true } }
      #expect(connection.isInTransaction)
    }
    #expect(undone.withLock { $0 })
    #expect(try count() == 1)
  }

  @Test("a lock held elsewhere is waited for up to the deadline, then reported")
  func busy() throws {
    let first = try Connection(path: path, mode: .create)
    try first.execute("CREATE TABLE T (A)")
    let second = try Connection(path: path, mode: .readWrite, busyTimeout: .milliseconds(30))
    try first.execute("BEGIN IMMEDIATE")
    let start = ContinuousClock.now
    let error = try #require(throws: SQLiteError.self) { try second.transaction {} }
    #expect(ContinuousClock.now - start >= .milliseconds(25))
    #expect(error.code == .busy && error.description.contains("busy timeout"))
    try first.execute("COMMIT")
    try second.transaction { try second.execute("INSERT INTO T VALUES (1)") }
  }

  @Test("a lock that others leave for moments only is taken")
  func contendedLock() throws {
    let owner = try Connection(path: path, mode: .create)
    try owner.execute("CREATE TABLE T (A)")
    let isDone = Mutex(false)
    let locks = Mutex(0)
    let thread = Thread {
      while !isDone.withLock({ $0 }) {
        if (try? owner.execute("BEGIN IMMEDIATE")) != nil { locks.withLock { $0 += 1 } }
        Connection.wait(milliseconds: 40)
        try? owner.execute("COMMIT")
        Connection.wait(milliseconds: 2)
      }
    }
    thread.start()
    defer { isDone.withLock { $0 = true } }
    let connection = try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(2))
    for number in 0..<20 {
      Connection.wait(milliseconds: 5)
      try connection.transaction { try connection.execute("INSERT INTO T VALUES (\(number))") }
    }
    #expect(try connection.integer("SELECT count(*) FROM T") == 20)
    #expect(locks.withLock { $0 } > 0)
  }

  @Test("the data version changes when another connection writes, and not by one's own writes")
  func dataVersion() throws {
    let first = try Connection(path: path, mode: .create)
    try first.execute("CREATE TABLE T (A)")
    let second = try Connection(path: path, mode: .readWrite)
    let before = try first.dataVersion()
    try first.execute("INSERT INTO T VALUES (1)")
    #expect(try first.dataVersion() == before)
    try second.execute("INSERT INTO T VALUES (2)")
    #expect(try first.dataVersion() != before)
  }

  @Test("functions and collations take and give every kind of value; their errors are the statement's")
  func functions() throws {
    struct Bad: Error {}
    let connection = try Connection.inMemory()
    try connection.registerFunction("kind", argumentCount: 1) { arguments in
      if arguments.isNull(0) { return .null }
      guard let text = arguments.text(0) else { throw Bad() }
      return switch text {
      case "i": .integer(arguments.integer(0) + 7)
      case "d": .double(0.5)
      case "b": .blob(Data([1]))
      case "x": throw Bad()
      default: .text(text + "\0!")
      }
    }
    #expect(try connection.text("SELECT kind('a')") == "a\0!")
    #expect(try connection.integer("SELECT kind('i')") == 7)
    #expect(
      try connection.text("SELECT typeof(kind('d')) || typeof(kind('b')) || typeof(kind(NULL))") == "realblobnull")
    #expect(throws: SQLiteError.self) { try connection.text("SELECT kind('x')") }
    try connection.registerCollation("backwards") {
      $0.lexicographicallyPrecedes($1) ? 1 : $0.elementsEqual($1) ? 0 : -1
    }
    #expect(
      try connection.text(
        "SELECT group_concat(c, '') FROM (SELECT value c FROM json_each('[\"b\",\"a\",\"c\"]') ORDER BY 1 COLLATE backwards)"
      )
        == "cba")
  }

  @Test("a trigger in an untrusted file calls harmless functions only")
  func untrustedSchema() throws {
    let connection = try Connection.inMemory()
    for (name, isInnocuous) in [("harmless", true), ("harmful", false)] {
      try connection.registerFunction(name, argumentCount: 0, isInnocuous: isInnocuous) { _ in .null }
      try connection.execute(
        "CREATE TABLE \(name)_t (A); CREATE TRIGGER \(name)_g AFTER INSERT ON \(name)_t BEGIN SELECT \(name)(); END")
    }
    try connection.execute("INSERT INTO harmless_t VALUES (1)")
    #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO harmful_t VALUES (1)") }
  }

  @Test("the recorder hears every statement with its placeholders, until it is taken off")
  func recorder() throws {
    let connection = try Connection.inMemory()
    let heard = Mutex<[String]>([])
    try connection.onStatement { sql in heard.withLock { $0.append(sql) } }
    let statement = try connection.statement("SELECT ?")
    try statement.bind("secret", at: 1)
    _ = try statement.step()
    try connection.onStatement(nil)
    try connection.execute("SELECT 2")
    #expect(heard.withLock { $0 } == ["SELECT ?"])
  }

  @Test("what follows a transaction that SQLite has rolled back by itself is not committed piece by piece")
  func lostTransaction() throws {
    struct Wrapper: Error { let error: any Error }
    let connection = try Connection(path: path, mode: .create)
    try connection.execute("CREATE TABLE T (A)")
    // The code that runs the statement sees what has happened, too.
    let wrapper = #expect(throws: Wrapper.self) {
      try connection.transaction {
        try connection.execute("ROLLBACK")
        do { try connection.execute("INSERT INTO T VALUES (2)") } catch { throw Wrapper(error: error) }
      }
    }
    let wrapped = try #require(wrapper?.error as? SQLiteError)
    #expect(wrapped.code == .outOfMemory && wrapped.message.contains("rolled back"), "\(wrapped)")
    for follows in [true, false] {
      let error = #expect(throws: SQLiteError.self) {
        try connection.transaction {
          try connection.execute("INSERT INTO T VALUES (1)")
          try connection.execute("ROLLBACK")
          if follows { try connection.execute("INSERT INTO T VALUES (2)") }
        }
      }
      #expect(error?.code == .outOfMemory)
      #expect(try connection.integer("SELECT count(*) FROM T") == 0)
    }
    try connection.transaction { try connection.execute("INSERT INTO T VALUES (3)") }
    #expect(try connection.integer("SELECT A FROM T") == 3)
  }

  @Test("a copy that has no room says so, not what the target's connection noted before")
  func copyWithoutRoom() throws {
    let source = try TemporaryStore()
    let full = try Connection(path: source.url.path, mode: .create)
    try full.execute("CREATE TABLE t (a); INSERT INTO t SELECT zeroblob(100000)")
    let target = try Connection(path: source.folder.appendingPathComponent("copy").path, mode: .create)
    try target.execute("PRAGMA max_page_count = 2")
    let error = #expect(throws: SQLiteError.self) { try full.copyContent(to: target) { _, _ in } }
    #expect(error?.message == "database or disk is full")
  }

  @Test("an interrupt ends what is running")
  func interrupt() throws {
    let connection = try Connection.inMemory()
    try connection.registerFunction("stop", argumentCount: 0, isDeterministic: false) { [weak connection] _ in
      connection?.interrupt()
      return .null
    }
    let error = try #require(throws: SQLiteError.self) {
      try connection.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT stop(), i FROM n")
    }
    #expect(error.code == .interrupt)
  }

  @Test("a file of another kind is reported as such")
  func foreignFile() throws {
    try Data(repeating: 7, count: 4096).write(to: folder.url)
    let connection = try Connection(path: path, mode: .readOnly)
    let error = try #require(throws: SQLiteError.self) { try connection.integer("SELECT count(*) FROM sqlite_master") }
    #expect(error.code == .notADatabase && error.description.contains(path))
  }
}
