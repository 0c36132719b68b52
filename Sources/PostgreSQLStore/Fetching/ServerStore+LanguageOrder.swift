import PostgreSQL
import StoreRequests

extension ServerStore {
  /// The rows of a request in an order by a language's rules.
  ///
  /// Cost: all rows in memory. For a limit or an offset, only the keys and the compared values of all rows; then the rows of the page are
  /// read by their keys, from the same state of the database.
  func fetch(_ request: FetchRequest, in order: LanguageOrder) throws -> ServerRows {
    let request = request.withoutIdleBounds
    guard request.limit != nil || request.offset != nil else {
      let result = try run(statement(.rows, request), at: place(of: request))
      return try rows(result, of: request, in: order.rows(of: result))
    }
    let all = try statement(.keys, request)
    let root = layout.table(of: try entities.existingEntity(request.entityName)).root
    let page = try plans.objects(of: root, columns: request.columns, in: layout)
    let (keys, result) = try noticingChanges {
      try readingOneState(at: place(of: request)) { connection in
        let rows = try connection.run(all.sql, all.parameters)
        let keys = order.rows(of: rows, limit: request.limit, offset: request.offset).map { rows.integer($0, 0) }
        let statement = page.selecting(keys)
        return (keys, try connection.run(statement.sql, statement.parameters))
      }
    }
    let places = Dictionary(uniqueKeysWithValues: (0..<result.rowCount).map { (result.integer($0, 0), $0) })
    return try rows(result, of: request, in: keys.compactMap { places[$0] })
  }

  /// Runs a closure whose statements read one state of the database.
  ///
  /// - Parameter place: `nil` for the place that reads prefer.
  private func readingOneState<Result>(at place: ReadPlace?, _ body: (Connection) throws -> Result) throws -> Result {
    func read(_ connection: Connection) throws -> Result {
      if connection.isInTransaction { return try body(connection) }
      return try connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") { try body(connection) }
    }
    return try place.map { try $0.read(read) } ?? reading(read)
  }
}
