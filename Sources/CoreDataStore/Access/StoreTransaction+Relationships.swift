import SQLite
package import StoreRequests

extension StoreTransaction {
  // MARK: To one object

  /// The key that a relationship has in a row; `nil` for `NULL`, or if the row does not exist.
  ///
  /// - Parameter relationship: a to-one relationship, or a to-many relationship without to-many inverse: its members have the key
  ///   of their owner.
  /// - Throws: ``QueryError`` for another property.
  package func key(of relationship: ColumnSelection, in object: ObjectKey) throws -> Int64? {
    let table = try layout.existingEntity(object.entity).table
    return try integer("SELECT \(column(of: relationship)) FROM \(table) WHERE Z_PK = ?", object.key)
  }

  /// The rows of an entity's hierarchy in which a relationship has a key; see ``key(of:in:)``.
  package func keys(of entity: StoreEntity, with key: Int64, of relationship: ColumnSelection) throws -> [Int64] {
    let table = try layout.existingEntity(entity.number).table
    let statement = try connection.statement("SELECT Z_PK FROM \(table) WHERE \(column(of: relationship)) = ?")
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.integer(0)) }
    return keys
  }

  private func column(of relationship: ColumnSelection) throws -> Identifier {
    let entity = try layout.existingEntity(relationship.entityName)
    switch try layout.property(relationship.propertyName, of: entity) {
    case .toOne(let toOne): return toOne.key
    case .toMany(let toMany): if case .key(let side) = toMany.storage { return side.key }
    case .attribute: break
    }
    throw QueryError.wrongKind(property: relationship.propertyName, entity: entity.name, expected: .toOne)
  }

  // MARK: To many objects

  /// The query for the members of a to-many relationship of one owner.
  package struct Members {
    fileprivate let sql: String
  }

  /// - Parameter relationship: a to-many relationship, and an entity that has it.
  /// - Throws: ``QueryError`` for another property.
  package func members(of relationship: ColumnSelection) throws -> Members {
    let toMany = try layout.toMany(
      relationship.propertyName, of: layout.existingEntity(relationship.entityName))
    return Members(sql: try SelectStatement.related(toMany, columns: [], owners: SQLText.placeholders(1), in: layout))
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
}
