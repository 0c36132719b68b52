import ErrorReporting
import PostgreSQL
import StoreRequests

/// A program has migrated a store that another one has open with its old model.
package struct StoreMigratedError: ReportableError, Sendable, Hashable {
  package let database: String

  package var problem: String { "\(database): the store was migrated to another model while it was open" }
  package var remedy: String? { "close it, and open it again with the new model" }
}

extension ServerStore {
  /// Runs a closure. If the server refuses one of its statements, or lacks a search index, because the store was migrated, the error says
  /// so. The error of a missing right names the rights that a program needs. Cost: one query after an error.
  func noticingMigration<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch {
      let mayBeMigrated = error is SearchError || (error as? PostgreSQLError)?.state?.mayComeFromOtherTables == true
      if mayBeMigrated, !pool.isLending, (try? isMigrated()) == true { throw migrated }
      throw (error as? PostgreSQLError)?.namingRights(in: layout.schema.name, isReadOnly: isReadOnly) ?? error
    }
  }

  var migrated: StoreMigratedError { StoreMigratedError(database: "\(pool.address)") }

  private func isMigrated() throws -> Bool {
    try pool.reading { connection in
      let rows = try connection.run("SELECT version FROM \(layout.qualified(StoreDefinitions.store))")
      return rows.rowCount != 1 || rows.integer(0, 0) != version
    }
  }
}

extension SQLState {
  /// Whether a statement that was right for other tables may fail so: unknown names, other types, plans with other types, values that rows
  /// must have.
  var mayComeFromOtherTables: Bool { ["42", "0A", "23", "22"].contains(category) }

  /// Whether a table, a column or a function of the statement is unknown.
  var isUnknownName: Bool { ["42P01", "42703", "42883"].contains(code) }
}
