import SQLite
package import StoreRequests

extension PersistentStore {
  /// Rows that satisfy a request. Cost: one query, which runs as the cursor is read.
  ///
  /// - Throws: ``QueryError`` where the request names what the store does not have; `SQLiteError`.
  package func fetch(_ request: FetchRequest) throws -> RowCursor {
    let select = try SelectStatement(request, in: layout)
    let lease = try lease()
    return try RowCursor(
      lease, lease.statement(select), soleEntity: layout.existingEntity(request.entityName).soleNumber)
  }

  /// The number of rows that satisfy a request, its limit and offset taken into account. Cost: one query.
  package func count(_ request: FetchRequest) throws -> Int {
    let select = try SelectStatement.count(request, in: layout)
    let lease = try lease()
    defer { lease.end() }
    do {
      let statement = try lease.statement(select)
      defer { statement.reset() }
      return try lease.connection.step(counting: statement) ? Int(statement.integer(0)) : 0
    } catch {
      throw StoreError.wrapping(error)
    }
  }

  /// Whether an object has a row, of its entity or another one in the same table. Cost: one look-up by key.
  package func hasRow(_ object: ObjectKey) throws -> Bool {
    let table = try layout.existingEntity(object.entity).table
    let lease = try lease()
    defer { lease.end() }
    let statement = try lease.statement("SELECT 1 FROM \(table) WHERE Z_PK = ?1")
    defer { statement.reset() }
    try statement.bind(object.key, at: 1)
    return try statement.step()
  }

  /// The values that a request asks for. Cost: one query, which runs as the cursor is read.
  ///
  /// - Throws: ``QueryError`` where the request names what the store does not have, or asks a group for what differs in it.
  package func values(_ request: ValueRequest) throws -> ValueCursor {
    let select = try SelectStatement(request, in: layout)
    let lease = try lease()
    // No key, entity and version stand before the values.
    return ValueCursor(try RowCursor(lease, lease.statement(select), firstColumn: -3, mayCount: request.isGrouped))
  }

  /// The identities of the rows that satisfy a request, in its order. Cost: one query.
  package func keys(_ request: FetchRequest) throws -> [ObjectKey] {
    let select = try SelectStatement.keys(request, in: layout)
    let lease = try lease()
    defer { lease.end() }
    let statement = try lease.statement(select)
    defer { statement.reset() }
    var keys: [ObjectKey] = []
    while try statement.step() {
      keys.append(ObjectKey(entity: Int32(truncatingIfNeeded: statement.integer(1)), key: statement.integer(0)))
    }
    return keys
  }

  /// The rows of these keys, as far as they are there, in no particular order.
  ///
  /// All keys have to be of one table, that is of entities with one root; the columns may be those of any of the table's
  /// entities. Cost: one query per 512 keys, of one text for each power of two.
  package func fetch(keys: [ObjectKey], columns: [ColumnSelection]) throws -> RowCursor {
    let lease = try lease()
    guard let first = keys.first else { return try RowCursor(lease, lease.statement(SelectStatement.nothing)) }
    let entity = try layout.existingEntity(first.entity)
    for key in keys where key.entity != first.entity {
      let other = try layout.existingEntity(key.entity)
      guard other.table == entity.table else { throw QueryError.keysOfDifferentTables(entity.name, other.name) }
    }
    let count = min(SQLText.paddedCount(keys.count), Self.keysPerQuery)
    let sql = try SelectStatement.rows(of: entity, columns: columns, count: count, in: layout)
    return try RowCursor(lease, lease.statement(sql), soleEntity: entity.soleNumber, keys: keys.map(\.key)[...])
  }

  /// The objects of a to-many relationship of many owners at once, of any kind of storage.
  ///
  /// The rows are ordered by owner's key, and within an owner by the relationship's order, or by key if it has none. Owners
  /// without objects do not occur. Cost: one query per 512 owners.
  /// - Parameters:
  ///   - relationship: a to-many relationship and an entity that has it.
  ///   - owners: objects of that entity.
  ///   - columns: columns of the destination entity or its subentities.
  package func related(
    to relationship: (entityName: String, name: String), owners: [ObjectKey], columns: [ColumnSelection]
  ) throws -> RowCursor {
    let toMany = try layout.toMany(relationship.name, of: layout.existingEntity(relationship.entityName))
    let lease = try lease()
    guard !owners.isEmpty else {
      return try RowCursor(lease, lease.statement(SelectStatement.nothing))
    }
    let count = min(SQLText.paddedCount(owners.count), Self.keysPerQuery)
    let sql = try SelectStatement.related(toMany, columns: columns, ownerCount: count, in: layout)
    return try RowCursor(lease, lease.statement(sql), firstColumn: 1, keys: owners.map(\.key).sorted()[...])
  }

  private static var keysPerQuery: Int { 512 }

  /// All rows of an entity and its subentities, by key; for tools and tests.
  ///
  /// - Parameter properties: what to read of each row, after its key, entity number and version; all stored properties of
  ///   the entity by default.
  package func rows(of entityName: String, properties: [String]? = nil) throws -> [[StoreValue]] {
    let entity = try layout.existingEntity(entityName)
    let columns = (properties ?? entity.properties.map(\.name)).map {
      ColumnSelection(entityName: entityName, propertyName: $0)
    }
    let width = try SQLText.columns(columns, of: QueryPrinter.Row(alias: "t0", entity: entity), in: layout).count
    let cursor = try fetch(
      FetchRequest(entityName: entityName, sortTerms: [SortTerm(expression: .object(FetchPath()))], columns: columns))
    var rows: [[StoreValue]] = []
    while try cursor.next() {
      var reader = cursor.reader()
      var row: [StoreValue] = [.integer(cursor.key), .integer(Int64(cursor.entity)), .integer(cursor.version)]
      for _ in 0..<width { row.append(reader.value()) }
      rows.append(row)
    }
    return rows
  }

  /// A number that changes when anybody else has changed the store's file: another context, or another process.
  ///
  /// Compare it with an earlier one; the value itself means nothing. Cost: one pragma on a connection of its own.
  package func dataVersion() throws -> Int64 { try watching { try $0.dataVersion() } }
}

extension ReadLease {
  fileprivate func statement(_ select: SelectStatement) throws -> Statement {
    let statement: Statement
    do {
      statement = try self.statement(select.sql)
    } catch let error as SQLiteError where error.message.contains("stack overflow") {
      // Levels that take more than one entry of the parser's stack.
      throw QueryError.tooDeep(limit: QueryPrinter.depthLimit)
    }
    for (index, value) in select.bindings.enumerated() { try statement.bind(value, at: index + 1) }
    return statement
  }
}
