public import SQLite
package import StoreRequests

/// The rows of a fetch, one at a time, as they come from the disk.
///
/// Holds a connection until the last row was read, ``close()`` is called or the cursor is released; the rows are those of
/// one state of the store. Belongs to one thread at a time.
public final class RowCursor {
  private let lease: ReadLease
  @usableFromInline let statement: Statement
  /// Result columns before the row's key: the owner's key in a fetch of related rows.
  @usableFromInline let firstColumn: Int
  /// The entity of all rows, where their table has but one.
  package let soleEntity: Int32?
  /// Keys still to be asked for, where a fetch of known keys takes several runs of the statement.
  private var remaining: ArraySlice<Int64>
  /// Whether the next step is the first one of a statement that may count a whole table.
  private var mayCount: Bool
  private var isOpen = true

  init(
    _ lease: ReadLease, _ statement: Statement, firstColumn: Int = 0, soleEntity: Int32? = nil,
    keys: ArraySlice<Int64> = [], mayCount: Bool = false
  ) throws {
    self.lease = lease
    self.statement = statement
    self.firstColumn = firstColumn
    self.soleEntity = soleEntity
    self.mayCount = mayCount
    remaining = keys
    if !keys.isEmpty { try bindKeys() }
  }

  deinit { close() }

  /// Goes to the next row; `false` at the end, where the connection is given back.
  ///
  /// - Throws: ``StoreError`` where the disk, the memory or another program failed, else `SQLiteError`; the cursor is closed
  ///   then.
  package func next() throws -> Bool {
    guard isOpen else { return false }
    do {
      while true {
        if try step() { return true }
        if remaining.isEmpty { break }
        statement.reset()
        try bindKeys()
      }
    } catch {
      close()
      throw StoreError.wrapping(error)
    }
    close()
    return false
  }

  private func step() throws -> Bool {
    guard mayCount else { return try statement.step() }
    mayCount = false
    return try lease.connection.step(counting: statement)
  }

  /// `Z_PK` of the row.
  @inlinable public var key: Int64 { statement.integer(firstColumn) }
  /// `Z_ENT` of the row.
  @inlinable public var entity: Int32 { Int32(truncatingIfNeeded: statement.integer(firstColumn + 1)) }
  /// `Z_OPT` of the row.
  @inlinable public var version: Int64 { statement.integer(firstColumn + 2) }

  /// The first selected column, after the row's key, entity and version.
  package var firstSelected: Int { firstColumn + 3 }

  /// Reads the selected columns of the row, from the first on. One reader will do for all rows, see ``RowReader/start(at:)``.
  package func reader() -> RowReader { RowReader(statement, startingAt: firstSelected) }

  /// The key of the owner, if these are the members of a relationship.
  package var owner: Int64 { statement.integer(0) }

  /// Gives the connection back before the last row was read.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    statement.reset()
    lease.end()
  }

  /// Fills the statement's placeholders with the next keys, the last one repeated where there are fewer.
  private func bindKeys() throws {
    let count = statement.parameterCount
    let keys = remaining.prefix(count)
    remaining = remaining.dropFirst(count)
    var index = 1
    for key in keys {
      try statement.bind(key, at: index)
      index += 1
    }
    guard let last = keys.last else { return }
    while index <= count {
      try statement.bind(last, at: index)
      index += 1
    }
  }
}

extension RowCursor: ObjectRows {
  package func value(_ column: Int) -> StoreValue {
    var reader = RowReader(statement, startingAt: firstSelected + column)
    return reader.value()
  }
}
