package import SQLite

/// The rows of `Z_PRIMARYKEY`: entities, their numbers, and the largest key of each table (CD-1.2).
package struct PrimaryKeys: Sendable, Hashable {
  package let rows: [Row]

  package struct Row: Sendable, Hashable {
    /// `Z_ENT`.
    package let number: Int
    /// `Z_NAME`; the former name if a migration renamed the entity.
    package let name: String
    /// `Z_SUPER`; 0 for roots.
    package let superentityNumber: Int
    /// `Z_MAX`; meaningful for roots and for history.
    package let maximum: Int64
  }

  /// - Throws: `SQLiteError`
  package init(_ connection: Connection) throws {
    var rows: [Row] = []
    let all = try connection.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    while try all.step() {
      rows.append(
        Row(
          number: Int(all.integer(0)), name: all.text(1) ?? "", superentityNumber: Int(all.integer(2)),
          maximum: all.integer(3)))
    }
    self.rows = rows
  }

  /// The rows of the model's entities, without history and mirroring.
  package var entities: [Row] { rows.filter { $0.number < HistoryTables.changeNumber } }

  /// `Z_ENT` per name.
  package var numbers: [String: Int] {
    Dictionary(entities.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
  }

  /// Writes the rows of a new store, whose largest keys are 0; call it in a transaction.
  static func write(_ layout: StoreLayout, to connection: Connection) throws {
    let statement = try connection.prepare(
      "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)")
    for entity in layout.entities {
      try statement.bind(Int64(entity.number), at: 1)
      try statement.bind(entity.name, at: 2)
      try statement.bind(Int64(entity.superentityNumber), at: 3)
      try statement.run()
    }
  }
}
