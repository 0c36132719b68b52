import CSQLite
import Foundation
import ModelArchive

/// Changes of values in the template's rows, read from an input: coverage leads from one to the next sooner than through
/// the bytes of a whole file, most of which SQLite itself refuses.
struct StoreEdits {
  private var bytes: Data
  /// Ways to change a value.
  static let kinds = 8

  init(_ bytes: Data) { self.bytes = bytes }

  private mutating func byte() -> Int { bytes.popFirst().map(Int.init) ?? 0 }

  private mutating func piece() -> Data {
    let count = byte()
    defer { bytes = bytes.dropFirst(count) }
    return Data(bytes.prefix(count))
  }

  /// Writes the template's file and makes the changes; what SQLite refuses is left out.
  mutating func apply(to url: URL, _ template: StoreTemplate) throws {
    try template.bytes.write(to: url)
    try StoreTemplate.withDatabase(url) { database in
      try StoreTemplate.run(
        database, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA writable_schema = ON; BEGIN")
      for _ in 0..<8 where !bytes.isEmpty { edit(database, template) }
      try StoreTemplate.run(database, "COMMIT; PRAGMA journal_mode = WAL")
    }
  }

  private mutating func edit(_ database: OpaquePointer?, _ template: StoreTemplate) {
    let table = template.tables[byte() % template.tables.count]
    let column = table.columns[byte() % table.columns.count]
    let row = byte()
    let kind = byte() % StoreEdits.kinds
    if kind == 0 {
      let sql =
        "DELETE FROM \"\(table.name)\" WHERE rowid IN (SELECT rowid FROM \"\(table.name)\" LIMIT 1 OFFSET \(row % 32))"
      sqlite3_exec(database, sql, nil, nil, nil)
      return
    }
    let place = "FROM \"\(table.name)\" LIMIT 1 OFFSET \(row % 32)"
    var read: OpaquePointer?
    var write: OpaquePointer?
    defer {
      sqlite3_finalize(read)
      sqlite3_finalize(write)
    }
    guard sqlite3_prepare_v2(database, "SELECT rowid, \"\(column)\" \(place)", -1, &read, nil) == SQLITE_OK,
      sqlite3_step(read) == SQLITE_ROW,
      sqlite3_prepare_v2(database, "UPDATE \"\(table.name)\" SET \"\(column)\" = ? WHERE rowid = ?", -1, &write, nil)
        == SQLITE_OK
    else { return }
    let type = sqlite3_column_type(read, 1)
    let old = Data(
      UnsafeRawBufferPointer(start: sqlite3_column_blob(read, 1), count: Int(sqlite3_column_bytes(read, 1))))
    func bind(_ data: Data, _ isText: Bool) {
      data.withUnsafeBytes { bytes in
        _ =
          isText
          ? csqlite_bind_text(write, 1, bytes.baseAddress, bytes.count)
          : csqlite_bind_blob(write, 1, bytes.baseAddress, bytes.count)
      }
    }
    switch kind {
    case 1: sqlite3_bind_null(write, 1)
    case 2: sqlite3_bind_int64(write, 1, number())
    case 3: sqlite3_bind_double(write, 1, Double(bitPattern: UInt64(bitPattern: number())))
    case 4: bind(piece(), true)
    case 5: bind(piece(), false)
    default:
      let isModel = column == "Z_CONTENT"
      var value = isModel ? (try? RawDeflate.inflate(old, limit: 1 << 20)) ?? old : old
      splice(&value)
      bind(isModel ? (try? RawDeflate.deflate(value)) ?? value : value, type == SQLITE_TEXT || type == SQLITE_INTEGER)
    }
    sqlite3_bind_int64(write, 2, sqlite3_column_int64(read, 0))
    sqlite3_reset(read)
    sqlite3_step(write)
  }

  /// A number of one to eight bytes, the sign in the highest.
  private mutating func number() -> Int64 {
    let piece = Data(piece().prefix(8))
    let start: Int64 = piece.first.map { $0 >= 128 } == true ? -1 : 0
    return piece.reduce(start) { $0 << 8 | Int64($1) }
  }

  /// Puts a piece over or between the bytes of a value.
  private mutating func splice(_ value: inout Data) {
    let (high, low, removed) = (byte(), byte(), byte())
    let start = (high << 8 | low) % (value.count + 1)
    value.replaceSubrange(start..<min(value.count, start + removed), with: piece())
  }
}
