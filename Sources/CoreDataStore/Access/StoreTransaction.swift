package import SQLite
package import StoreRequests

/// One state of a store with look-ups by key, for tools that read objects as plain values or write many.
///
/// It is valid inside the closure of ``PersistentStore/readState(_:)`` or ``PersistentStore/saveInParts(author:_:)``
/// only.
package struct StoreTransaction {
  package let connection: Connection
  package let layout: StoreLayout

  /// The statement of a request with bound values. Its columns are key, entity and version, then the selected columns.
  ///
  /// - Throws: ``QueryError``, `SQLiteError`.
  package func statement(_ request: FetchRequest) throws -> Statement {
    let select = try SelectStatement(request, in: layout)
    let statement = try connection.prepare(select.sql)
    for (index, value) in select.bindings.enumerated() { try statement.bind(value, at: index + 1) }
    return statement
  }

  // MARK: Rows

  /// The row of a key with its actual entity, which may be a subentity of the given one; `nil` if it does not exist.
  package func row(_ object: ObjectKey) throws -> ObjectKey? {
    let entity = try layout.existingEntity(object.entity)
    guard let number = try integer("SELECT Z_ENT FROM \(entity.table) WHERE Z_PK = ?", object.key) else { return nil }
    return ObjectKey(entity: entity.soleNumber ?? Int32(truncatingIfNeeded: number), key: object.key)
  }

  /// A row with these values in its columns.
  package func row(of entity: EntityLayout, with values: [(column: Identifier, value: StoreValue)]) throws -> ObjectKey?
  {
    let conditions = values.map { "\($0.column) = ?" }.joined(separator: " AND ")
    let statement = try connection.statement("SELECT Z_PK, Z_ENT FROM \(entity.table) WHERE \(conditions)")
    defer { statement.reset() }
    for (index, value) in values.enumerated() { try statement.bind(value.value, at: index + 1) }
    guard try statement.step() else { return nil }
    return ObjectKey(
      entity: entity.soleNumber ?? Int32(truncatingIfNeeded: statement.integer(1)), key: statement.integer(0))
  }

  /// The columns of a row; `nil` if the row does not exist.
  package func values(_ columns: [Identifier], of object: ObjectKey) throws -> Statement? {
    let table = try layout.existingEntity(object.entity).table
    let list = columns.map { "t.\($0)" }.joined(separator: ", ")
    let statement = try connection.statement("SELECT \(list) FROM \(table) t WHERE t.Z_PK = ?")
    try statement.bind(object.key, at: 1)
    if try statement.step() { return statement }
    statement.reset()
    return nil
  }

  // MARK: Relationships

  /// The key in a column of a row; `nil` for `NULL`, or if the row does not exist.
  package func key(in column: Identifier, of object: ObjectKey) throws -> Int64? {
    let table = try layout.existingEntity(object.entity).table
    return try integer("SELECT \(column) FROM \(table) WHERE Z_PK = ?", object.key)
  }

  /// The rows of an entity's table with a key in a column.
  package func keys(of entity: EntityLayout, with key: Int64, in column: Identifier) throws -> [Int64] {
    let statement = try connection.statement("SELECT Z_PK FROM \(entity.table) WHERE \(column) = ?")
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.integer(0)) }
    return keys
  }

  /// The query for the members of a to-many relationship of one owner.
  package struct Members {
    fileprivate let sql: String
  }

  package func members(of relationship: ToManyLayout) throws -> Members {
    Members(sql: try SelectStatement.related(relationship, columns: [], owners: SQLText.placeholders(1), in: layout))
  }

  /// The members of an owner, in the relationship's order, or by key if it has none.
  package func objects(_ members: Members, of owner: Int64) throws -> [ObjectKey] {
    let statement = try connection.statement(members.sql)
    defer { statement.reset() }
    try statement.bind(owner, at: 1)
    var objects: [ObjectKey] = []
    while try statement.step() {
      objects.append(ObjectKey(entity: Int32(truncatingIfNeeded: statement.integer(2)), key: statement.integer(1)))
    }
    return objects
  }

  private func integer(_ sql: String, _ key: Int64) throws -> Int64? {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
  }
}

extension PersistentStore {
  /// Reads one state of the store, however long the reading takes.
  ///
  /// - Throws: errors of `body`.
  package func readState<Result>(_ body: (StoreTransaction) throws -> Result) throws -> Result {
    try read { connection in
      try connection.transaction(.deferred) { try body(StoreTransaction(connection: connection, layout: layout)) }
    }
  }
}
