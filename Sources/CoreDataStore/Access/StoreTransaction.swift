import ManagedModel
package import SQLite
package import StoreRequests

/// One state of a store with look-ups by key, for tools that read objects as plain values or write many.
///
/// It is valid inside the closure of ``PersistentStore/readState(_:)`` or ``PersistentStore/saveInParts(author:_:)``
/// only. Names are those of the model: ``entities`` has them.
package struct StoreTransaction {
  /// For the queries that ``StoredTables`` gives.
  package let connection: Connection
  let layout: StoreLayout
  package let entities: EntityTable

  init(_ connection: Connection, of store: PersistentStore) {
    self.connection = connection
    layout = store.layout
    entities = store.storedEntities
  }

  /// The rows that satisfy a request. Not all of them are in memory at a time.
  ///
  /// - Throws: ``QueryError``, `SQLiteError`.
  package func rows(_ request: FetchRequest) throws -> StoredRows {
    let select = try SelectStatement(request, in: layout)
    let statement = try connection.prepare(select.sql)
    for (index, value) in select.bindings.enumerated() { try statement.bind(value, at: index + 1) }
    return try StoredRows(statement, soleEntity: layout.existingEntity(request.entityName).soleNumber)
  }

  /// The number of rows of entities that the model lacks, in the tables that several entities share. Cost: a pass over
  /// each of these tables.
  ///
  /// - Throws: `SQLiteError`
  package func countForeignRows() throws -> Int {
    let roots = layout.entities.filter { $0.superentityName == nil && $0.hasSubentities }
    return try roots.reduce(0) { sum, root in
      let count = try connection.integer(
        "SELECT count(*) FROM main.\(root.table) t WHERE (\(layout.kindTest(root, alias: "t"))) IS NOT TRUE")
      return sum + Int(count ?? 0)
    }
  }

  // MARK: Rows

  /// The row of a key with its actual entity, which may be a subentity of the given one; `nil` if it does not exist.
  package func row(_ object: ObjectKey) throws -> ObjectKey? {
    let entity = try layout.existingEntity(object.entity)
    guard let number = try integer("SELECT Z_ENT FROM \(entity.table) WHERE Z_PK = ?", object.key) else { return nil }
    return ObjectKey(entity: entity.soleNumber ?? Int32(truncatingIfNeeded: number), key: object.key)
  }

  /// A row of an entity's hierarchy with these stored values of attributes, or of elements of composites by their paths.
  ///
  /// - Throws: ``QueryError`` for an attribute that is not in a single column.
  package func row(
    of entity: StoreEntity, with values: [(attribute: String, value: StoreValue)]
  ) throws -> ObjectKey? {
    let entity = try layout.existingEntity(entity.number)
    let conditions = try columns(values.map(\.attribute), of: entity).map { "\($0) = ?" }
    let statement = try connection.statement(
      "SELECT Z_PK, Z_ENT FROM \(entity.table) WHERE \(conditions.joined(separator: " AND "))")
    defer { statement.reset() }
    for (index, value) in values.enumerated() { try statement.bind(value.value, at: index + 1) }
    guard try statement.step() else { return nil }
    return ObjectKey(
      entity: entity.soleNumber ?? Int32(truncatingIfNeeded: statement.integer(1)), key: statement.integer(0))
  }

  /// The stored values of an object's attributes; `nil` if the row does not exist. A big value in a file is the file's name.
  ///
  /// - Throws: ``QueryError`` for an attribute that is not in a single column.
  package func values(of attributes: [String], in object: ObjectKey) throws -> [StoreValue]? {
    let columns = try columns(attributes, of: layout.existingEntity(object.entity))
    return try withRow(columns, of: object) { row in
      var reader = RowReader(row, startingAt: 0)
      return columns.map { _ in reader.value() }
    }
  }

  /// Whether a leaf of an attribute has a value in a file that could not be read, and was given as `NULL`.
  package func hasUnreadableValue(_ leaf: Int, of attribute: StoreAttribute, _ object: ObjectKey) throws -> Bool {
    guard let column = try column(leaf, of: attribute, object), column.isExternal else { return false }
    return try withRow([column.name], of: object) { !$0.isNull(0) } ?? false
  }

  /// Whether the stored text of a leaf is not UTF-8. Readers then got U+FFFD instead of the wrong bytes.
  func hasRepairedText(_ leaf: Int, of attribute: StoreAttribute, _ object: ObjectKey) throws -> Bool {
    guard let column = try column(leaf, of: attribute, object) else { return false }
    return try withRow([column.name], of: object) { $0.hasInvalidText(0) } ?? false
  }

  private func columns(_ paths: [String], of entity: EntityLayout) throws -> [Identifier] {
    try paths.map { path in
      let names = path.split(separator: ".").map(String.init)
      if case .attribute(let attribute)? = names.first.flatMap({ entity.property(named: $0) }),
        let column = names.count == 1 ? attribute.singleColumn : attribute.column(at: names)
      {
        return column.name
      }
      return try layout.attributeColumn(path, element: [], of: entity).name
    }
  }

  /// The column of an attribute's leaf in the rows of an object's entity.
  private func column(_ leaf: Int, of attribute: StoreAttribute, _ object: ObjectKey) throws -> AttributeColumn? {
    let entity = try layout.existingEntity(object.entity)
    guard case .attribute(let known)? = entity.property(named: attribute.description.name),
      known.columns.indices.contains(leaf)
    else { return nil }
    return known.columns[leaf]
  }

  /// Gives the columns of a row; `nil` if the row does not exist.
  private func withRow<Result>(
    _ columns: [Identifier], of object: ObjectKey, _ body: (Statement) -> Result
  ) throws -> Result? {
    let table = try layout.existingEntity(object.entity).table
    let list = columns.map { "t.\($0)" }.joined(separator: ", ")
    let statement = try connection.statement("SELECT \(list) FROM \(table) t WHERE t.Z_PK = ?")
    defer { statement.reset() }
    try statement.bind(object.key, at: 1)
    return try statement.step() ? body(statement) : nil
  }

  func integer(_ sql: String, _ key: Int64) throws -> Int64? {
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
      try connection.transaction(.deferred) {
        do { return try body(StoreTransaction(connection, of: self)) } catch let error as SQLiteError {
          // A person is told of the big value's file, not of the statement that read it.
          guard let cause = connection.functionError as? ExternalDataError, "\(cause)" == error.message else {
            throw error
          }
          throw cause
        }
      }
    }
  }
}
