public import SQLite
package import StoreRequests

/// Reads the rows of a fetch from the disk, one row at a time.
///
/// A cursor holds a connection until the caller has read the last row, calls ``close()`` or releases the cursor. All
/// rows come from one state of the store. One thread at a time uses a cursor.
public final class RowCursor {
  private let lease: ReadLease
  private let statement: Statement
  @usableFromInline let row: StatementRow
  /// The number of result columns before the row's key: in a fetch of related rows, the owner's key is such a column.
  @usableFromInline let firstColumn: Int
  /// The entity of all rows, if their table has only one entity.
  package let soleEntity: Int32?
  /// Whether the first step may count a whole table.
  private let mayCount: Bool
  private var hasStarted = false
  private var isOpen = true

  init(
    _ lease: ReadLease, _ statement: Statement, firstColumn: Int = 0, soleEntity: Int32? = nil,
    mayCount: Bool = false
  ) {
    self.lease = lease
    self.statement = statement
    row = statement.row
    self.firstColumn = firstColumn
    self.soleEntity = soleEntity
    self.mayCount = mayCount
  }

  deinit { close() }

  /// Moves to the next row, or returns `false` after the last row and gives the connection back.
  ///
  /// - Throws: ``StoreError`` if the disk, the memory or another program failed, else `SQLiteError`. An error closes
  ///   the cursor.
  package func next() throws -> Bool {
    guard isOpen else { return false }
    do {
      if try step() { return true }
    } catch {
      close()
      throw error
    }
    close()
    return false
  }

  private func step() throws -> Bool {
    guard !hasStarted else { return try lease.reporting { try statement.step() } }
    hasStarted = true
    return try lease.start(statement, mayCount: mayCount)
  }

  /// `Z_PK` of the row.
  @inlinable public var key: Int64 { row.integer(firstColumn) }
  /// `Z_ENT` of the row.
  @inlinable public var entity: Int32 { Int32(truncatingIfNeeded: row.integer(firstColumn + 1)) }
  /// `Z_OPT` of the row.
  @inlinable public var version: Int64 { row.integer(firstColumn + 2) }

  /// The first selected column, after the row's key, entity and version.
  package var firstSelected: Int { firstColumn + 3 }

  /// Returns a reader of the row's selected columns, which starts at the first selected column.
  ///
  /// One reader can read all rows, see ``RowReader/start(at:)``.
  package func reader() -> RowReader { RowReader(statement, startingAt: firstSelected) }

  /// The owner's key, in a fetch of related rows.
  package var owner: Int64 { row.integer(0) }

  /// Gives the connection back, even if unread rows remain.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    statement.reset()
    lease.end()
  }
}

extension RowCursor: ObjectRows {
  package func value(_ column: Int) -> StoreValue {
    var reader = RowReader(statement, startingAt: firstSelected + column)
    return reader.value()
  }
}
