package import SQLite

/// The tables of an existing store and their columns, by name.
package struct Catalogue: Sendable, Hashable {
  /// The columns of each table, in the table's order.
  package let columns: [Identifier: [Identifier]]
  /// The SQL text of each table, index and trigger, in order of creation.
  package let definitions: [Definition]

  package struct Definition: Sendable, Hashable {
    /// `table`, `index` or `trigger`.
    package let kind: String
    package let name: String
    package let table: String
    /// `nil` for an index that SQLite makes itself.
    package let sql: String?
  }

  package init(columns: [Identifier: [Identifier]], definitions: [Definition] = []) {
    self.columns = columns
    self.definitions = definitions
  }

  /// Reads the catalogue of an open database. Cost: two queries.
  ///
  /// If this SQLite lacks the module of a virtual table, for example FTS5, no virtual table has columns.
  /// - Throws: `SQLiteError`
  package init(_ connection: Connection) throws {
    let definitions = try Catalogue.definitions(connection)
    let columns: [Identifier: [Identifier]]
    do { columns = try Catalogue.columns(connection) } catch let error as SQLiteError
      where error.message.hasPrefix("no such module")
    {
      columns = try Catalogue.columns(connection, filter: "AND m.sql NOT LIKE 'CREATE VIRTUAL TABLE%'")
    }
    self.init(columns: columns, definitions: definitions)
  }

  private static func columns(
    _ connection: Connection, filter: String = ""
  ) throws -> [Identifier: [Identifier]] {
    var columns: [Identifier: [Identifier]] = [:]
    let every = try connection.prepare(
      """
      SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' \(filter) \
      ORDER BY m.rowid, c.cid
      """)
    while try every.step() {
      guard let table = every.text(0), let column = every.text(1) else { continue }
      columns[Identifier(table), default: []].append(Identifier(column))
    }
    return columns
  }

  /// The SQL texts alone. They can be read even if SQLite cannot parse a table's definition.
  package static func definitions(_ connection: Connection) throws -> [Definition] {
    var definitions: [Definition] = []
    let all = try connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")
    while try all.step() {
      definitions.append(
        Definition(
          kind: all.text(0) ?? "", name: all.text(1) ?? "", table: all.text(2) ?? "", sql: all.text(3)))
    }
    return definitions
  }

  package func has(_ table: Identifier) -> Bool { columns[table] != nil }
}
