package import StoreRequests

/// The rows of a ``ValueRequest``, one at a time; see ``RowCursor``.
package final class ValueCursor: ValueRows {
  private let rows: RowCursor

  init(_ rows: RowCursor) { self.rows = rows }

  /// See ``RowCursor/next()``.
  package func next() throws -> Bool { try rows.next() }

  package func value(_ column: Int) -> StoreValue { rows.value(column) }

  /// Reads the values of the row, from the first on.
  package func reader() -> RowReader { rows.reader() }

  /// See ``RowCursor/close()``.
  package func close() { rows.close() }
}
