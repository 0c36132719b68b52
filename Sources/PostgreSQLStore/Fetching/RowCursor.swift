import PostgreSQL

/// A cursor of the server, in a transaction. Its rows are of one committed state.
final class RowCursor {
  private let connection: Connection
  private let fetch: String
  private let size: Int
  /// How many parts the server makes while the caller reads another one.
  private let partsAhead: Int
  /// The parts that the server was asked for and has not given.
  private var askedCount = 0
  private let end: () -> Void
  private var isAtEnd = false

  /// The rows of one part.
  static let size = 1000
  /// A statement that had so many rows the last time is worth the round trips of a cursor.
  static let worthwhileCount = 4 * size

  /// Opens a cursor in a transaction that the caller begins and ends.
  ///
  /// - Parameters:
  ///   - name: a name that no other cursor of the transaction has.
  ///   - size: the rows of one part.
  ///   - partsAhead: how many parts the server makes while the caller reads another one; 0 if others use the connection meanwhile.
  ///   - end: called when nobody uses the cursor any more.
  init(
    _ statement: SelectStatement, over connection: Connection, name: Identifier, size: Int, partsAhead: Int = 0,
    end: @escaping () -> Void = {}
  ) throws {
    self.connection = connection
    self.size = size
    self.partsAhead = partsAhead
    self.end = end
    fetch = "FETCH FORWARD \(size) FROM \(name)"
    _ = try connection.run("DECLARE \(name) NO SCROLL CURSOR FOR \(statement.sql)", statement.parameters)
  }

  deinit {
    if partsAhead > 0 { connection.endPipeline() }
    end()
  }

  /// Opens a cursor in a transaction of its own, over a connection that nobody else uses meanwhile.
  ///
  /// - Returns: `nil` if the pool has no connection to spare, so that the rows are to be read at once.
  static func open(_ statement: SelectStatement, at place: ReadPlace) throws -> RowCursor? {
    let pool = place.pool
    guard let connection = try pool.takeForCursor() else { return nil }
    do {
      // The caller may take long over the rows.
      try connection.begin("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY", with: .lasting + .allRowsOfCursors)
      try place.check(connection)
    } catch {
      pool.giveBackFromCursor(connection)
      throw error
    }
    // If this throws, the destructor gives the connection back, and the pool ends the transaction.
    return try RowCursor(statement, over: connection, name: "swiftdata_rows", size: size, partsAhead: 2) {
      pool.giveBackFromCursor(connection)
    }
  }

  /// The next rows; `nil` after the last ones.
  func next() throws -> QueryResult? {
    guard !isAtEnd else { return nil }
    let part = try first()
    return part.rowCount == 0 ? nil : part
  }

  /// The first rows, even if there are none.
  func first() throws -> QueryResult {
    let part = try partsAhead > 0 ? askedPart() : connection.run(fetch)
    isAtEnd = part.rowCount < size
    return part
  }

  private func askedPart() throws -> QueryResult {
    while askedCount <= partsAhead {
      try connection.ask(fetch)
      askedCount += 1
    }
    askedCount -= 1
    return try connection.answer(to: fetch)
  }
}
