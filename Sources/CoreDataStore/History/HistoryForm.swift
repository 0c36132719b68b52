import SQLite

/// How a store keeps persistent history (CD-7).
enum HistoryForm: Hashable {
  /// Not at all.
  case none
  /// As macOS 10.13 did: texts in the transactions themselves. `tombstones` counts the `ZTOMBSTONE` columns.
  case texts(tombstones: Int)
  /// As every later version does: texts in a table of their own.
  case stringTable(tombstones: Int)

  var tombstoneCount: Int {
    switch self {
    case .none: 0
    case .texts(let count), .stringTable(let count): count
    }
  }

  var hasStringTable: Bool { if case .stringTable = self { true } else { false } }

  /// What the tables of a store show now: another process may have added them. Where only some are there, nothing is
  /// recorded. Cost: one short query.
  init(_ connection: Connection) throws {
    let statement = try connection.statement(HistoryStatement.form)
    defer { statement.reset() }
    guard try statement.step(), statement.integer(0) != 0, statement.integer(1) != 0 else {
      self = .none
      return
    }
    let tombstones = Int(statement.integer(2))
    self = statement.integer(3) != 0 ? .stringTable(tombstones: tombstones) : .texts(tombstones: tombstones)
  }
}

/// The form of a store's history, looked for anew where the schema has changed.
struct KnownHistoryForm {
  private var known: (schema: Int64, form: HistoryForm)?

  /// What the tables show to a transaction. Cost: one pragma; one short query the first time, and after a change of the schema.
  mutating func form(_ connection: Connection) throws -> HistoryForm {
    let schema = try connection.integer("PRAGMA schema_version") ?? 0
    if let known, known.schema == schema { return known.form }
    let form = try HistoryForm(connection)
    known = (schema, form)
    return form
  }
}
