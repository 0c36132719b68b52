import ErrorReporting
import PostgreSQL
import StoreRequests

/// What tells a store from another one in its place, and from itself before a migration.
struct StoreState: Hashable {
  let identifier: String
  let version: Int64
}

/// Another program has migrated, replaced or emptied a store that is open.
package struct StoreChangedError: ReportableError, Sendable, Hashable {
  package let database: String
  package let change: Change

  package enum Change: Sendable, Hashable { case migrated, replaced, emptied }

  package var problem: String {
    switch change {
    case .migrated: "\(database): the store was migrated to another model while it was open"
    case .replaced: "\(database): the database schema has another store than the one that was opened"
    case .emptied: "\(database): the store was emptied while it was open: its table _store has no row"
    }
  }
  package var remedy: String? {
    switch change {
    case .migrated: "close it, and open it again with the new model"
    case .replaced: "close it, and open the new store"
    case .emptied: "restore the row from a backup, or make a new store in another schema"
    }
  }
}

extension ServerStore {
  /// Runs a closure. After a refused statement or a missing search index, looks whether others have migrated, replaced or emptied the store;
  /// the error then says so. The error of a missing right names the rights that a program needs. Cost: one query after an error.
  func noticingChanges<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch {
      let mayBeChanged = error is SearchError || (error as? PostgreSQLError)?.state?.mayComeFromOtherTables == true
      if mayBeChanged, !pool.isLending, let change = try? pool.reading({ try self.change($0) }) {
        throw StoreChangedError(database: "\(pool.address)", change: change)
      }
      throw (error as? PostgreSQLError)?.namingRights(in: layout.schema.name, isReadOnly: isReadOnly) ?? error
    }
  }

  /// The state in which the store was opened.
  var state: StoreState { StoreState(identifier: identifier, version: version) }

  /// The error of a save for whose store the server has no record.
  func changedError(_ connection: Connection) throws -> StoreChangedError {
    StoreChangedError(database: "\(pool.address)", change: try change(connection) ?? .migrated)
  }

  /// What others have done to the store; `nil` if it has the state in which it was opened. Cost: one query.
  private func change(_ connection: Connection) throws -> StoreChangedError.Change? {
    let rows = try connection.run(
      "SELECT version, identifier::text FROM \(layout.qualified(StoreDefinitions.store))")
    guard rows.rowCount > 0 else { return .emptied }
    guard rows.rowCount == 1, rows.text(0, 1)?.uppercased() == identifier.uppercased() else { return .replaced }
    return rows.integer(0, 0) == version ? nil : .migrated
  }
}

extension SQLState {
  /// Whether a statement that was right for other tables may fail so: unknown names, other types, plans with other types, values that rows
  /// must have.
  var mayComeFromOtherTables: Bool { ["42", "0A", "23", "22"].contains(category) }

  /// Whether a table, a column or a function of the statement is unknown.
  var isUnknownName: Bool { ["42P01", "42703", "42883"].contains(code) }
}
