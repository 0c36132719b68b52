import PostgreSQL

/// An index, or the check of old rows for a new foreign key or a mandatory column. It reads a whole table. So a migration
/// does it after its commit, while other connections read and write.
///
/// A store records the name only. The statements come from the layout, so that no text in a database is run as SQL.
struct LateDefinition: Sendable {
  let name: Identifier
  /// The statements as they run outside of a transaction.
  let statements: [String]
  /// The statements as they run in a transaction, where SQL makes no index concurrently.
  let statementsInTransaction: [String]
  /// Whether a statement cannot run in a transaction.
  let isConcurrent: Bool
  /// The index that an interrupted statement may have left invalid.
  private(set) var leftover: String?

  /// An index of a table.
  init(index: TableIndex, on table: TableLayout, in layout: StoreLayout) {
    if table.isComposed(index) {
      self.init(ofStrings: index, on: table, in: layout)
    } else {
      self.init(index: index.name, in: layout) {
        StoreDefinitions.definition(of: index, on: table, isConcurrent: $0)
      }
    }
  }

  /// An index of strings. The index of an earlier version, which has the order of bytes, serves others until the new one is there.
  private init(ofStrings index: TableIndex, on table: TableLayout, in layout: StoreLayout) {
    name = index.name
    let place = layout.qualified(name)
    let newName = Identifier(shortening: "_new_\(name.name)")
    let new = layout.qualified(newName)
    // The server estimates the values of an expression only after `ANALYZE`.
    let estimate = "ANALYZE \(table.sql)"
    statements = [
      "DROP INDEX CONCURRENTLY IF EXISTS \(new)",
      StoreDefinitions.definition(of: index, named: newName, on: table, isConcurrent: true),
      "DROP INDEX CONCURRENTLY IF EXISTS \(place)", "ALTER INDEX \(new) RENAME TO \(name)", estimate,
    ]
    statementsInTransaction = [
      "DROP INDEX IF EXISTS \(place)", StoreDefinitions.definition(of: index, on: table), estimate,
    ]
    isConcurrent = true
    leftover = new
  }

  /// An index. An interrupted attempt may have left an invalid index of this name, which goes first.
  private init(index name: Identifier, in layout: StoreLayout, _ definition: (_ isConcurrent: Bool) -> String) {
    self.name = name
    let place = layout.qualified(name)
    statements = ["DROP INDEX CONCURRENTLY IF EXISTS \(place)", definition(true)]
    statementsInTransaction = ["DROP INDEX IF EXISTS \(place)", definition(false)]
    isConcurrent = true
    leftover = place
  }

  /// The check of a table's rows for a new foreign key or `CHECK`.
  init(validating constraint: Identifier, of table: TableLayout) {
    name = constraint
    statements = ["ALTER TABLE \(table.sql) VALIDATE CONSTRAINT \(constraint)"]
    statementsInTransaction = statements
    isConcurrent = false
  }

  /// The check of a table's rows for a mandatory column; see ``MigrationPlanner/add(_:of:_:)``. An interrupted attempt
  /// may have done any number of the steps.
  init(requiring column: Identifier, of table: TableLayout) {
    name = table.checkName(of: column)
    let (drop, require) = (
      "DROP CONSTRAINT IF EXISTS \(name)", "ALTER TABLE \(table.sql) ALTER COLUMN \(column) SET NOT NULL"
    )
    statements = [
      "ALTER TABLE \(table.sql) \(drop), ADD \(table.lateRequirement(of: column)) NOT VALID",
      "ALTER TABLE \(table.sql) VALIDATE CONSTRAINT \(name)",
      // The server knows from the validated `CHECK` that no row has `NULL`, so it does not scan the table.
      require, "ALTER TABLE \(table.sql) \(drop)",
    ]
    statementsInTransaction = [require, "ALTER TABLE \(table.sql) \(drop)"]
    isConcurrent = false
  }

  /// The definitions of a layout with a name; empty for a name from another model.
  static func all(named name: String, in layout: StoreLayout) -> [LateDefinition] {
    if name == StoreDefinitions.committedIndex.name {
      return [
        LateDefinition(index: StoreDefinitions.committedIndex, in: layout) {
          StoreDefinitions(layout: layout).committedIndex(isConcurrent: $0)
        }
      ]
    }
    return layout.tables.flatMap { table in
      table.indexes.filter { $0.name.name == name }.map { LateDefinition(index: $0, on: table, in: layout) }
        + table.columns.compactMap(\.reference?.constraint).filter { $0.name == name }
        .map { LateDefinition(validating: $0, of: table) }
        + requirements(of: table).filter { $0.name.name == name }
    }
  }

  private static func requirements(of table: TableLayout) -> [LateDefinition] {
    let kind = table.hasKinds ? [LateDefinition(validating: table.checkName(of: TableLayout.kind), of: table)] : []
    return kind
      + table.columns.compactMap { column in
        switch table.requirement(of: column) {
        case .none: nil
        case .everyRow: LateDefinition(requiring: column.name, of: table)
        case .kinds: LateDefinition(validating: table.checkName(of: column.name), of: table)
        }
      }
  }
}
