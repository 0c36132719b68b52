import SQLite
package import StoreRequests

/// Reads the rows of a ``ValueRequest``, one row at a time; see ``RowCursor``.
package final class ValueCursor: ValueRows {
  private let rows: RowCursor

  init(_ rows: RowCursor) { self.rows = rows }

  /// See ``RowCursor/next()``.
  ///
  /// - Throws: ``SumOverflow`` also.
  package func next() throws -> Bool {
    do { return try rows.next() } catch let error as SQLiteError where error.isIntegerOverflow { throw SumOverflow() }
  }

  package func value(_ column: Int) -> StoreValue { rows.value(column) }

  /// Returns a reader of the row's values, which starts at the first value.
  package func reader() -> RowReader { rows.reader() }

  /// See ``RowCursor/close()``.
  package func close() { rows.close() }
}
