import PostgreSQL

/// A cursor of the server, in a transaction over a connection that nobody else uses meanwhile. Its rows are of one committed state.
final class RowCursor {
  private let pool: ConnectionPool
  private let connection: Connection
  private var isAtEnd = false

  /// The rows of one part.
  static let size = 1000
  private static let fetch = "FETCH FORWARD \(size) FROM swiftdata_rows"

  /// - Returns: `nil` if the pool has no connection to spare, so that the rows are to be read at once.
  init?(_ statement: SelectStatement, over pool: ConnectionPool) throws {
    guard let connection = try pool.takeForCursor() else { return nil }
    self.pool = pool
    self.connection = connection
    // If this throws, the destructor gives the connection back, and the pool ends the transaction.
    try connection.execute("BEGIN READ ONLY")
    _ = try connection.run(
      "DECLARE swiftdata_rows NO SCROLL CURSOR FOR \(statement.sql)", statement.parameters)
  }

  deinit { pool.giveBackFromCursor(connection) }

  /// The next rows; `nil` after the last ones.
  func next() throws -> QueryResult? {
    guard !isAtEnd else { return nil }
    let part = try connection.run(Self.fetch)
    isAtEnd = part.rowCount < Self.size
    return part.rowCount == 0 ? nil : part
  }

  /// The first rows, even if there are none.
  func first() throws -> QueryResult {
    let part = try connection.run(Self.fetch)
    isAtEnd = part.rowCount < Self.size
    return part
  }
}
