import CSQLiteBare
import Foundation

/// SQLite's own interface, doing the same reads and writes on the same tables, history rows included.
struct BareSQLiteContestant: Contestant {
  let name = "bare SQLite"

  struct Failure: Error { var message: String }

  func insertAll(in folder: URL) throws {
    let database = try Database(folder.appendingPathComponent("bare.sqlite").path)
    try database.execute(
      """
      PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2; PRAGMA journal_mode = WAL;
      CREATE TABLE ZPLAYER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSCORE INTEGER, ZJOINED TIMESTAMP,
        ZRATING FLOAT, ZEMAIL VARCHAR, ZNAME VARCHAR );
      CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
        ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );
      CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
      BEGIN IMMEDIATE
      """)
    let row = try database.prepare("INSERT INTO ZPLAYER VALUES (?, 1, 1, ?, ?, ?, ?, ?)")
    let change = try database.prepare("INSERT INTO ACHANGE VALUES (?, 16001, NULL, 0, 1, ?, 1, NULL)")
    for (index, sample) in Sample.all.enumerated() {
      let key = Int64(index + 1)
      sqlite3_bind_int64(row, 1, key)
      sqlite3_bind_int64(row, 2, Int64(sample.score))
      sqlite3_bind_double(row, 3, sample.joined.timeIntervalSinceReferenceDate)
      sqlite3_bind_double(row, 4, sample.rating)
      bind(sample.email, to: row, at: 5)
      bind(sample.name, to: row, at: 6)
      try database.run(row)
      sqlite3_bind_int64(change, 1, key)
      sqlite3_bind_int64(change, 2, key)
      try database.run(change)
    }
    sqlite3_finalize(row)
    sqlite3_finalize(change)
    try database.execute("COMMIT")
  }

  func fetchAll(in folder: URL) throws -> Int {
    try read("SELECT Z_PK, ZNAME, ZEMAIL, ZSCORE, ZRATING, ZJOINED FROM ZPLAYER", in: folder)
  }

  func fetchFiltered(in folder: URL) throws -> Int {
    try read(
      """
      SELECT Z_PK, ZNAME, ZEMAIL, ZSCORE, ZRATING, ZJOINED FROM ZPLAYER WHERE ZSCORE >= 900
      ORDER BY ZSCORE, ZJOINED DESC
      """, in: folder)
  }

  /// Reads into an array of structures, as any program that wants to use the rows has to.
  private func read(_ sql: String, in folder: URL) throws -> Int {
    let database = try Database(folder.appendingPathComponent("bare.sqlite").path)
    let statement = try database.prepare(sql)
    defer { sqlite3_finalize(statement) }
    var rows: [Sample] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        Sample(
          name: text(statement, 1) ?? "", email: text(statement, 2), score: Int(sqlite3_column_int64(statement, 3)),
          rating: sqlite3_column_double(statement, 4),
          joined: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 5))))
    }
    var sum = 0
    for row in rows { sum &+= row.score &+ row.name.utf8.count &+ (row.email?.utf8.count ?? 0) }
    return sum
  }

  private func text(_ statement: OpaquePointer?, _ column: Int32) -> String? {
    sqlite3_column_text(statement, column).map { String(cString: $0) }
  }

  private func bind(_ value: String?, to statement: OpaquePointer?, at index: Int32) {
    guard var value else {
      sqlite3_bind_null(statement, index)
      return
    }
    value.withUTF8 { bytes in
      _ = bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text(
          statement, index, $0.baseAddress, Int32($0.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      }
    }
  }

  private final class Database {
    private var handle: OpaquePointer?

    init(_ path: String) throws {
      guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure(message: "cannot open \(path)") }
    }

    deinit { sqlite3_close(handle) }

    func execute(_ sql: String) throws {
      guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    func prepare(_ sql: String) throws -> OpaquePointer? {
      var statement: OpaquePointer?
      guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
      return statement
    }

    func run(_ statement: OpaquePointer?) throws {
      guard sqlite3_step(statement) == SQLITE_DONE else { throw failure }
      sqlite3_reset(statement)
    }

    private var failure: Failure { Failure(message: String(cString: sqlite3_errmsg(handle))) }
  }
}
