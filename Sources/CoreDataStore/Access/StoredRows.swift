import SQLite
package import StoreRequests

/// The rows of a request in one state of a store. Its columns are those that the request selects; see ``ColumnSelection``.
///
/// It is valid as long as the state. One thread at a time uses it.
package final class StoredRows: ObjectRows {
  private let statement: Statement
  package let soleEntity: Int32?
  /// The number of result columns before the row's key: in a fetch of members, the owner's key is such a column.
  private let firstColumn: Int
  private var isOpen = true

  init(_ statement: Statement, soleEntity: Int32?, firstColumn: Int = 0) {
    self.statement = statement
    self.soleEntity = soleEntity
    self.firstColumn = firstColumn
  }

  deinit { close() }

  package func next() throws -> Bool {
    guard isOpen else { return false }
    if try statement.step() { return true }
    close()
    return false
  }

  package func close() {
    guard isOpen else { return }
    isOpen = false
    statement.reset()
  }

  package var key: Int64 { statement.integer(firstColumn) }
  // A damaged store may have any number here. No entity has the largest one.
  package var entity: Int32 { Int32(clamping: statement.integer(firstColumn + 1)) }
  package var version: Int64 { statement.integer(firstColumn + 2) }
  package var owner: Int64 { statement.integer(0) }

  package func value(_ column: Int) -> StoreValue {
    var reader = RowReader(statement, startingAt: first(column))
    return reader.value()
  }

  package func isNull(_ column: Int) -> Bool { statement.isNull(first(column)) }

  /// The key of the object that a to-one relationship leads to; `nil` for NULL.
  ///
  /// A damaged store may have a text or bytes here: the key is the number that SQLite makes of them.
  package func destinationKey(_ column: Int) -> Int64? {
    isNull(column) ? nil : statement.integer(first(column))
  }

  /// Whether a text of the row was read with U+FFFD in place of bytes that are not UTF-8.
  ///
  /// - Parameter text: the text as it was read from the column.
  package func isRepaired(_ text: String, _ column: Int) -> Bool { statement.isRepaired(text, first(column)) }

  /// The result column of a selected column: key, entity and version stand before them.
  private func first(_ column: Int) -> Int { firstColumn + 3 + column }
}
