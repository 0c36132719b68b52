import SQLite
package import StoreRequests

extension PersistentStore {
  /// Returns a cursor over the rows that satisfy a request.
  ///
  /// Cost: one query, which runs while the caller reads the cursor.
  /// - Throws: ``QueryError`` if the request names an entity or a property that the store does not have;
  ///   `SQLiteError`.
  package func fetch(_ request: FetchRequest) throws -> RowCursor {
    let select = try statement(.rows, request)
    let lease = try lease()
    return try RowCursor(
      lease, lease.statement(select), soleEntity: layout.existingEntity(request.entityName).soleNumber)
  }

  /// Returns the number of rows that satisfy a request, within its limit and offset.
  ///
  /// Cost: one query.
  package func count(_ request: FetchRequest) throws -> Int {
    let select = try statement(.count, request)
    let lease = try lease()
    defer { lease.end() }
    let statement = try lease.statement(select)
    defer { statement.reset() }
    return try lease.start(statement, mayCount: true) ? Int(statement.integer(0)) : 0
  }

  /// Tells whether an object has a row in its entity's table.
  ///
  /// The row may belong to another entity of that table. Cost: one look-up by key.
  package func hasRow(_ object: ObjectKey) throws -> Bool {
    let table = try layout.existingEntity(object.entity).table
    let lease = try lease()
    defer { lease.end() }
    let statement = try lease.statement("SELECT 1 FROM \(table) WHERE Z_PK = ?1")
    defer { statement.reset() }
    try statement.bind(object.key, at: 1)
    return try lease.start(statement)
  }

  /// Returns a cursor over the values that a request asks for.
  ///
  /// Cost: one query, which runs while the caller reads the cursor.
  /// - Throws: ``QueryError`` if the request names an entity or a property that the store does not have, or asks a
  ///   group for a value that differs within the group.
  package func values(_ request: ValueRequest) throws -> ValueCursor {
    let select = try SelectStatement(request, in: layout)
    let lease = try lease()
    // The result row starts with the values: it has no columns for key, entity and version.
    return ValueCursor(try RowCursor(lease, lease.statement(select), firstColumn: -3, mayCount: request.isGrouped))
  }

  /// Returns the object keys of the rows that satisfy a request, in the request's order.
  ///
  /// Cost: one query.
  package func keys(_ request: FetchRequest) throws -> [ObjectKey] {
    let select = try statement(.keys, request)
    let lease = try lease()
    defer { lease.end() }
    let statement = try lease.statement(select)
    defer { statement.reset() }
    var keys: [ObjectKey] = []
    var hasRow = try lease.start(statement)
    while hasRow {
      keys.append(ObjectKey(entity: Int32(truncatingIfNeeded: statement.integer(1)), key: statement.integer(0)))
      hasRow = try lease.reporting { try statement.step() }
    }
    return keys
  }

  /// Returns a cursor over the rows that have the given keys, in no particular order.
  ///
  /// The cursor leaves out keys without a row. All keys belong to one table, that is to entities with one root. The
  /// columns may belong to any of the table's entities. Cost: one query.
  package func fetch(keys: [ObjectKey], columns: [ColumnSelection]) throws -> RowCursor {
    let lease = try lease()
    guard let first = keys.first else { return try RowCursor(lease, lease.statement(SelectStatement.nothing)) }
    let entity = try layout.existingEntity(first.entity)
    for key in keys where key.entity != first.entity {
      let other = try layout.existingEntity(key.entity)
      guard other.table == entity.table else { throw QueryError.keysOfDifferentTables(entity.name, other.name) }
    }
    let list = KeyList(keys.map(\.key))
    let statement = try lease.statement(SelectStatement.rows(of: entity, columns: columns, keys: list.sql, in: layout))
    try list.bind(to: statement)
    return RowCursor(lease, statement, soleEntity: entity.soleNumber)
  }

  /// Returns a cursor over the objects of a to-many relationship of many owners, for any kind of storage.
  ///
  /// The owner's key orders the rows. Within one owner the relationship's order applies, or the row's key if the
  /// relationship has no order. An owner without objects does not occur. Cost: one query.
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
    let list = KeyList(owners.map(\.key))
    let sql = try SelectStatement.related(toMany, columns: columns, owners: list.sql, in: layout)
    let statement = try lease.statement(sql)
    try list.bind(to: statement)
    return RowCursor(lease, statement, firstColumn: 1)
  }

  /// Returns all rows of an entity and its subentities, ordered by key; for tools and tests.
  ///
  /// - Parameter properties: the properties that follow the key, entity number and version of each row; by default
  ///   all stored properties of the entity.
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

  /// Returns a number that changes when another context or another process has changed the store's file.
  ///
  /// Compare the number with an earlier one: its value alone means nothing. Cost: one pragma on a separate
  /// connection.
  package func dataVersion() throws -> Int64 { try watching { try $0.dataVersion() } }
}

extension ReadLease {
  fileprivate func statement(_ select: SelectStatement) throws -> Statement {
    let statement: Statement
    do {
      statement = try self.statement(select.sql)
    } catch let error as SQLiteError where error.message.contains("stack overflow") {
      // The condition's nested levels use more than one entry each on the parser's stack.
      throw QueryError.tooDeep(limit: QueryPrinter.depthLimit)
    }
    for (index, value) in select.bindings.enumerated() { try statement.bind(value, at: index + 1) }
    return statement
  }
}
