import Foundation

/// The same work in the same tables, by statements that are written by hand.
struct BareLibrary {
  let connection: BareConnection
  /// The name of the database's schema, which needs no quotation.
  let schema: String

  private static let columns = "code, title, pages, price, made, is_new"
  private static let size = 4096

  private func row(_ result: BareResult, _ index: Int) -> Row {
    Row(
      code: result.text(index, 0), title: result.text(index, 1), pages: result.integer(index, 2),
      price: result.double(index, 3), seconds: Double(result.integer(index, 4)) / 1e6 - 31_622_400,
      isNew: result.boolean(index, 5))
  }

  /// By the statement of the store: with each row's key and version, and sorted.
  func fetchAll() throws -> [Row] {
    try connection.run("SELECT \(Self.columns), _id, _version FROM \(schema).entry ORDER BY _id") { result in
      (0..<result.count).map { row(result, $0) }
    }
  }

  func fetch(code: String) throws -> [Row] {
    try connection.run("SELECT \(Self.columns) FROM \(schema).entry WHERE code = $1", [.text(code)]) { result in
      (0..<result.count).map { row(result, $0) }
    }
  }

  /// One transaction by the statements of the store: the keys, the rows, and the history of the save.
  func insert(_ rows: [Row]) throws {
    try connection.execute("BEGIN")
    let keys = try connection.run(
      "SELECT nextval(pg_get_serial_sequence($1, $2)) FROM generate_series(1, $3)",
      [.text("\(schema).entry"), .text("_id"), .integer(Int64(rows.count))]
    ) { result in (0..<result.count).map { result.integer($0, 0) } }
    for start in stride(from: 0, to: rows.count, by: Self.size) {
      let range = start..<min(start + Self.size, rows.count)
      try connection.run(
        "INSERT INTO \(schema).entry (_id, \(Self.columns)) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::double precision[], $6::timestamptz[], $7::boolean[])",
        [.integers(keys[range])] + forms(rows[range]))
    }
    try record(kind: 0, entity: "Entry", keys)
    try connection.execute("COMMIT")
  }

  /// One transaction by fewer statements: the server chooses the key of a row.
  ///
  /// - Returns: the key.
  func insert(_ row: Row) throws -> Int64 {
    try connection.execute("BEGIN")
    let key = try connection.run(
      "INSERT INTO \(schema).entry (\(Self.columns)) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::double precision[], $5::timestamptz[], $6::boolean[]) RETURNING _id",
      forms([row])
    ) { $0.integer(0, 0) }
    try record(kind: 0, entity: "Entry", [key])
    try connection.execute("COMMIT")
    return key
  }

  /// One transaction: the new pages of rows whose versions are those that were read, and the history of the save.
  ///
  /// - Returns: the new versions.
  func setPages(_ pages: [Int64], of rows: [(key: Int64, version: Int64)]) throws -> [(key: Int64, version: Int64)] {
    try connection.execute("BEGIN")
    let changed = try connection.run(
      "UPDATE \(schema).entry t SET pages = s.pages, _version = t._version + 1 FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) s(key, version, pages) WHERE t._id = s.key AND t._version = s.version RETURNING t._id, t._version",
      [.integers(rows.map(\.key)), .integers(rows.map(\.version)), .integers(pages)]
    ) { result in (0..<result.count).map { (key: result.integer($0, 0), version: result.integer($0, 1)) } }
    guard changed.count == rows.count else { throw BareConnection.Failure(description: "a row has another version") }
    try record(kind: 1, entity: "Entry", changed.map(\.key))
    try connection.execute("COMMIT")
    return changed
  }

  /// One transaction: a row goes if its version is the one that was read; and the history of the save.
  func delete(_ row: (key: Int64, version: Int64)) throws {
    try connection.execute("BEGIN")
    let count = try connection.run(
      "DELETE FROM \(schema).entry WHERE _id = $1 AND _version = $2 RETURNING _id",
      [.integer(row.key), .integer(row.version)]
    ) { $0.count }
    guard count == 1 else { throw BareConnection.Failure(description: "the row has another version") }
    try record(kind: 2, entity: "Entry", [row.key])
    try connection.execute("COMMIT")
  }

  /// The keys and versions of the rows with the highest keys.
  func last(_ count: Int) throws -> [(key: Int64, version: Int64)] {
    try connection.run(
      "SELECT _id, _version FROM \(schema).entry ORDER BY _id DESC LIMIT $1", [.integer(Int64(count))]
    ) { result in (0..<result.count).map { (key: result.integer($0, 0), version: result.integer($0, 1)) } }
  }

  func code(of key: Int64) throws -> String {
    try connection.run("SELECT code FROM \(schema).entry WHERE _id = $1", [.integer(key)]) { $0.text(0, 0) }
  }

  /// One transaction: the rows of the codes, their new values, and the history of the save. All codes have a row.
  func upsert(_ rows: [Row]) throws {
    try connection.execute("BEGIN")
    var keys: [Int64] = []
    for start in stride(from: 0, to: rows.count, by: Self.size) {
      let range = start..<min(start + Self.size, rows.count)
      try connection.run(
        "UPDATE \(schema).account t SET (code, title, pages, price, made, is_new, _version) = (s.code, s.title, s.pages, s.price, s.made, s.is_new, t._version + 1) FROM unnest($1::text[], $2::text[], $3::bigint[], $4::double precision[], $5::timestamptz[], $6::boolean[]) s(code, title, pages, price, made, is_new) WHERE t.code = s.code RETURNING t._id",
        forms(rows[range])
      ) { result in keys += (0..<result.count).map { result.integer($0, 0) } }
    }
    guard keys.count == rows.count else { throw BareConnection.Failure(description: "a code has no row") }
    try record(kind: 1, entity: "Account", keys)
    try connection.execute("COMMIT")
  }

  private func forms(_ rows: ArraySlice<Row>) -> [Form] {
    [
      .texts(rows.map(\.code)), .texts(rows.map(\.title)), .integers(rows.map(\.pages)), .doubles(rows.map(\.price)),
      .moments(rows.map(\.seconds)), .booleans(rows.map(\.isNew)),
    ]
  }

  /// The history of a save, and its notification.
  private func record(kind: Int16, entity: String, _ keys: [Int64]) throws {
    try connection.run(
      """
      WITH t AS (
        UPDATE \(schema)._store SET last_transaction = last_transaction + 1 RETURNING last_transaction AS number
      ), own AS (
        INSERT INTO \(schema)._store_transactions (number, committed) SELECT number, clock_timestamp() FROM t
      ), listed AS (
        INSERT INTO \(schema)._store_changes (transaction, kind, entity, key, properties)
        SELECT t.number, $1::smallint, $2::text, s.key, CASE WHEN $1::smallint = 1 THEN ARRAY['title', 'pages', 'price', 'made', 'isNew'] END
        FROM t, unnest($3::bigint[]) WITH ORDINALITY s(key, place) ORDER BY s.place
      )
      SELECT pg_notify($4::text, t.number::text)::text FROM t
      """,
      [
        Form(type: 21, bytes: withUnsafeBytes(of: kind.bigEndian) { Array($0) }), .text(entity), .integers(keys),
        .text("swiftdata:\(schema)"),
      ])
  }
}
