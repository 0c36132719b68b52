import Foundation
import PostgreSQL
package import StoreRequests
import Synchronization

/// A store in a schema of a PostgreSQL database: an engine over plain tables and columns.
///
/// It may be used from any thread. Each fetch is one statement, or one cursor, over a connection of the pool, and sees one committed
/// state. A save is one transaction.
package final class ServerStore: StoreEngine, ValueEngine {
  package let identifier: String
  package var entities: EntityTable { layout.entities }
  package let capabilities: StoreCapabilities = [
    .filter, .sort, .readWhileSaving, .batch, .search, .decimals, .collections, .overwrite,
  ]
  let layout: StoreLayout
  let pool: ConnectionPool
  let keys: KeyBlocks
  let plans = SelectPlans()
  let isReadOnly: Bool
  /// See ``ServerOptions/sharesSessions``.
  let sharesSessions: Bool
  /// The server that reads prefer.
  let replica: Replica?
  /// Whether a foreign key of the tables is checked at once, which a store's own tables never have; see ``SaveTransaction``.
  let checksAtOnce = Mutex(false)
  let contention = Contention()
  /// The version of the store that the layout belongs to.
  let version: Int64

  init(
    identifier: UUID, version: Int64, layout: StoreLayout, pool: ConnectionPool, isReadOnly: Bool,
    sharesSessions: Bool = false, replica: Replica? = nil
  ) {
    self.identifier = identifier.uuidString
    self.version = version
    self.layout = layout
    self.pool = pool
    self.isReadOnly = isReadOnly
    self.sharesSessions = sharesSessions
    self.replica = replica
    keys = KeyBlocks(layout)
  }

  deinit { pool.close() }

  // MARK: Conditions and orders

  package func decides(_ condition: FetchExpression, entityName: String) -> Bool {
    let request = FetchRequest(entityName: entityName, predicate: condition)
    // An invalid request is reported when it is carried out.
    return (try? plans.statement(.count, request, in: layout).isExact) ?? true
  }

  package func sorts(by term: SortTerm, entityName: String) -> Bool {
    let request = FetchRequest(entityName: entityName, sortTerms: [term])
    do { _ = try plans.statement(.keys, request, in: layout) } catch { return !(error is QueryPrinter.Undecidable) }
    return true
  }

  // MARK: Reading

  /// The statement of a request. A request with a full-text condition is printed each time, with the index that the store has now. Cost:
  /// one query for such a request.
  ///
  /// - Throws: ``QueryError``, ``SearchError``, ``QueryPrinter/Undecidable``
  func statement(_ kind: SelectPlans.Kind, _ request: FetchRequest) throws -> SelectStatement {
    guard let condition = request.search else { return try plans.statement(kind, request, in: layout) }
    let entity = try entities.existingEntity(request.entityName)
    let source = try SearchSource(condition, in: searchIndex(of: entity), of: entity, schema: layout.schema)
    return try SelectStatement(kind, request, in: layout, search: source)
  }

  /// Answers a request by its statement. If another program has removed or replaced the search index since the statement was made, makes
  /// another statement and answers by that.
  private func answering<Result>(
    _ kind: SelectPlans.Kind, _ request: FetchRequest, _ answer: (SelectStatement) throws -> Result
  ) throws -> Result {
    let first = try statement(kind, request)
    do { return try answer(first) } catch let error as PostgreSQLError
      where request.search != nil && error.state?.isUnknownName == true && !pool.isLending
    {
      return try answer(statement(kind, request))
    }
  }

  /// Reads the rows at once, or through a cursor if the last fetch that differs in constants at most had many rows.
  package func fetch(_ request: FetchRequest) throws -> ServerRows {
    try answering(.rows, request) { try fetch(request, by: $0) }
  }

  private func fetch(_ request: FetchRequest, by statement: SelectStatement) throws -> ServerRows {
    if let order = statement.order { return try fetch(request, in: order) }
    // The server makes the next rows of a cursor while objects are made of the present ones.
    if statement.lastCount.value >= RowCursor.worthwhileCount,
      let rows = try choosingPlace({ try cursor(statement, request, at: $0) })
    {
      return rows
    }
    let result = try run(statement, at: place(of: request))
    statement.lastCount.value = result.rowCount
    return try rows(result, of: request)
  }

  /// Reads the rows through a cursor, a thousand at a time. Cost: three more round trips than ``fetch(_:)``.
  package func stream(_ request: FetchRequest) throws -> ServerRows {
    try answering(.rows, request) { statement in
      if let order = statement.order { return try fetch(request, in: order) }
      // Its caller may take long over the rows. A standby would end the transaction.
      return try cursor(statement, request, at: ReadPlace(pool: pool)) ?? fetch(request, by: statement)
    }
  }

  /// The rows through a cursor; `nil` if they are to be read at once.
  private func cursor(
    _ statement: SelectStatement, _ request: FetchRequest, at place: ReadPlace
  ) throws -> ServerRows? {
    // A small result is cheaper to read at once.
    if let limit = request.limit, limit >= 0, limit <= RowCursor.size { return nil }
    let opened = try noticingChanges {
      try place.retrying { try RowCursor.open(statement, at: place).map { ($0, try $0.first()) } }
    }
    guard let (cursor, first) = opened else { return nil }
    if first.rowCount < RowCursor.size { statement.lastCount.value = first.rowCount }
    return try rows(first, of: request, cursor)
  }

  /// - Parameter order: the rows of the result in their order; all of them as they come if `nil`.
  func rows(
    _ result: QueryResult, of request: FetchRequest, _ cursor: RowCursor? = nil, in order: [Int]? = nil
  ) throws -> ServerRows {
    let entity = try entities.existingEntity(request.entityName)
    let isSole = entity.kindNumbers.count == 1 || !request.includesSubentities
    return ServerRows(
      result, of: layout.table(of: entity), soleEntity: isSole ? entity.number : nil, cursor: cursor, order: order)
  }

  package func fetch(keys: [ObjectKey], columns: [ColumnSelection]) throws -> ServerRows {
    let table = try keys.first.map { layout.table(of: try layout.existingEntity($0.entity)) } ?? layout.tables[0]
    return ServerRows(
      try run(plans.objects(of: table.root, columns: columns, in: layout).selecting(keys.map(\.key))), of: table)
  }

  package func related(
    to relationship: (entityName: String, name: String), owners: [ObjectKey], columns: [ColumnSelection]
  ) throws -> ServerRows {
    let entity = try entities.existingEntity(relationship.entityName)
    let toMany = try layout.toMany(relationship.name, of: entity)
    let destination = try layout.destination(of: toMany.relationship)
    return ServerRows(
      try run(
        plans.related(to: relationship, toMany, columns: columns, in: layout).selecting(owners.map(\.key))),
      of: layout.table(of: destination), soleEntity: destination.kindNumbers.count == 1 ? destination.number : nil,
      hasOwner: true)
  }

  package func count(_ request: FetchRequest) throws -> Int {
    try answering(.count, request) { Int(try run(exactly($0), at: place(of: request)).integer(0, 0)) }
  }

  package func keys(_ request: FetchRequest) throws -> [ObjectKey] {
    try answering(.keys, request) { statement in
      let result = try run(exactly(statement), at: place(of: request))
      let rows = statement.order?.rows(of: result, limit: request.limit, offset: request.offset)
      return (rows ?? Array(0..<result.rowCount)).map { row in
        ObjectKey(entity: Int32(truncatingIfNeeded: result.integer(row, 1)), key: result.integer(row, 0))
      }
    }
  }

  package func hasRow(_ object: ObjectKey) throws -> Bool {
    // Keys begin at 1. The framework asks for the key 0, which needs no query.
    guard object.key > 0 else { return false }
    let entity = try layout.existingEntity(object.entity)
    let sql = "SELECT 1 FROM \(layout.table(of: entity).sql) WHERE \(TableLayout.key) = $1"
    return try noticingChanges { try reading { try $0.run(sql, [.integer(object.key)]).rowCount > 0 } }
  }

  package func values(_ request: ValueRequest) throws -> ServerValues {
    do {
      let statement = try exactly(SelectStatement(request, in: layout))
      let result = try run(statement)
      return ServerValues(
        result, order: statement.order?.rows(of: result, limit: request.limit, offset: request.offset))
    } catch is QueryPrinter.Undecidable {
      throw undecided
    } catch let error as PostgreSQLError where request.isGrouped && error.state == .numericValueOutOfRange {
      throw SumOverflow()
    }
  }

  /// - Parameter place: `nil` for the place that reads prefer.
  func run(_ statement: SelectStatement, at place: ReadPlace? = nil) throws -> QueryResult {
    func run(_ connection: Connection) throws -> QueryResult {
      try connection.run(statement.sql, statement.parameters)
    }
    return try noticingChanges { try place.map { try $0.read(run) } ?? reading(run) }
  }

  /// A copy may lack a search index that the server has.
  func place(of request: FetchRequest) -> ReadPlace? { request.search == nil ? nil : ReadPlace(pool: pool) }

  private func exactly(_ statement: SelectStatement) throws -> SelectStatement {
    guard statement.isExact else { throw undecided }
    return statement
  }

  private var undecided: StoreProblem {
    StoreProblem(
      "the request has an expression that PostgreSQL does not evaluate as Swift does",
      remedy: "fetch the objects, and compute in memory")
  }
}
