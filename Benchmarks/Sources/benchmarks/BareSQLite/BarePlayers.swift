import CSQLiteBare
import Foundation

/// SQLite's own interface, doing the same reads and writes on the same tables as this package, history rows included.
struct BarePlayers {
  private let url: URL

  init(_ folder: URL) { url = folder.appendingPathComponent("bare.sqlite") }

  func insertAll() throws -> Int {
    let database = try BareDatabase(url)
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
    return 0
  }

  func fetchAll() throws -> Int {
    try read("SELECT Z_PK, ZNAME, ZEMAIL, ZSCORE, ZRATING, ZJOINED FROM ZPLAYER")
  }

  func fetchFiltered() throws -> Int {
    try read(
      """
      SELECT Z_PK, ZNAME, ZEMAIL, ZSCORE, ZRATING, ZJOINED FROM ZPLAYER WHERE ZSCORE >= 900
      ORDER BY ZSCORE, ZJOINED DESC
      """)
  }

  /// Reads into an array of structures, as any program that wants to use the rows has to.
  private func read(_ sql: String) throws -> Int {
    let database = try BareDatabase(url)
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
    return rows.checksum
  }

  private func text(_ statement: OpaquePointer?, _ column: Int32) -> String? {
    sqlite3_column_text(statement, column).map { String(cString: $0) }
  }
}
