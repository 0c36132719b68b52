import ErrorReporting
import ManagedModel
import SQLite
import StoreRequests

/// The query of owners and members of a relationship in the old store, with the position of the member.
struct MappedPairs {
  let sql: String
  /// Whether no member has a second owner, and no owner a second member.
  let hasOneOwner: Bool
  let hasOneMember: Bool
}

/// Writes the links of one relationship of a new store, both sides of them.
///
/// The links are in a temporary table first: owner, member and the member's entity, in the order of the members.
struct MappedLinkWriter {
  private let relationship: PropertyLayout
  private let entity: EntityLayout
  private let layout: StoreLayout
  private let connection: Connection

  /// - Parameter entity: the entity of the owners.
  init(_ relationship: PropertyLayout, of entity: EntityLayout, layout: StoreLayout, connection: Connection) throws {
    if case .attribute(let attribute) = relationship {
      throw MappingMigrationError(
        "\(quoted(attribute.description.name)) is an attribute, and the mapping model sets it to rows",
        remedy: "update the mapping model to its models in Xcode")
    }
    self.relationship = relationship
    self.entity = entity
    self.layout = layout
    self.connection = connection
  }

  /// Links the new rows of old owners with the new rows of old members.
  ///
  /// - Parameters:
  ///   - owners: the entity mapping of the owners.
  ///   - members: the entity mappings of the members; of those that have a member, the first counts.
  ///   - number: the number of the new entity of an entity mapping.
  /// - Throws: ``MigrationError`` if a side that takes one object has several.
  func link(_ pairs: MappedPairs, of owners: Int, to members: [Int], number: (Int) -> Int) throws {
    let list = members.map(String.init).joined(separator: ", ")
    let entities = members.map { "WHEN \($0) THEN \(number($0))" }.joined(separator: " ")
    let isFirst =
      members.count == 1
      ? ""
      : " AND NOT EXISTS (SELECT 1 FROM temp.Z_MAPPED u WHERE u.SOURCE = t.SOURCE AND u.MAPPING IN (\(list)) AND u.MAPPING < t.MAPPING)"
    try connection.execute(
      """
      CREATE TEMP TABLE Z_LINK (ID INTEGER PRIMARY KEY, OWNER INTEGER, MEMBER INTEGER, ENTITY INTEGER);
      INSERT INTO temp.Z_LINK (OWNER, MEMBER, ENTITY)
      SELECT w.DESTINATION, t.DESTINATION, CASE t.MAPPING \(entities) END FROM (\(pairs.sql)) p
      JOIN temp.Z_MAPPED w ON w.MAPPING = \(owners) AND w.SOURCE = p.OWNER
      JOIN temp.Z_MAPPED t ON t.MAPPING IN (\(list)) AND t.SOURCE = p.MEMBER\(isFirst)
      \(isOrdered ? "ORDER BY p.OWNER, p.POSITION, p.MEMBER" : "");
      """)
    defer { try? connection.execute("DROP TABLE temp.Z_LINK") }
    switch relationship {
    case .attribute: return
    case .toOne(let toOne):
      try setKeys(
        "OWNER", isUnique: pairs.hasOneMember, to: "MEMBER", in: entity.table, toOne.key, toOne.entityColumn,
        entity: "l.ENTITY")
      if let inverse = toOne.inverse,
        case .toOne(let other)? = layout.entity(named: inverse.entityName)?.property(named: inverse.description.name)
      {
        try setKeys(
          "MEMBER", isUnique: pairs.hasOneOwner, to: "OWNER", in: toOne.destinationTable, other.key, other.entityColumn,
          entity: "\(entity.number)")
      }
    case .toMany(let toMany):
      switch toMany.storage {
      case .key(let side):
        try setKeys(
          "MEMBER", isUnique: pairs.hasOneOwner, to: "OWNER", in: side.table, side.key, side.entityColumn,
          entity: "\(entity.number)",
          order: side.orderColumn)
      case .joinTable(let side):
        let order = side.orderColumn
        // Mappings of both sides write the same link twice.
        try connection.execute(
          "INSERT INTO main.\(side.table) (\(side.ownColumn), \(side.otherColumn)\(order.map { ", \($0)" } ?? "")) "
            + "SELECT OWNER, MEMBER\(order == nil ? "" : ", ORDER_KEY") FROM \(try links(order)) WHERE true ON CONFLICT "
            + (order.map { "DO UPDATE SET \($0) = excluded.\($0)" } ?? "DO NOTHING"))
      }
    }
  }

  /// Sets the keys of rows on one side of the links.
  ///
  /// - Parameter isUnique: whether no row is in two links.
  private func setKeys(
    _ row: String, isUnique: Bool, to other: String, in table: Identifier, _ key: Identifier,
    _ entityColumn: Identifier?,
    entity: String, order: Identifier? = nil
  ) throws {
    var several =
      try connection.integer(
        "SELECT count(*) FROM temp.Z_LINK l JOIN main.\(table) t ON t.Z_PK = l.\(row) WHERE t.\(key) <> l.\(other)")
      ?? 0
    if !isUnique {
      several +=
        try connection.integer(
          "SELECT count(*) FROM (SELECT 1 FROM temp.Z_LINK GROUP BY \(row) HAVING min(\(other)) <> max(\(other)))") ?? 0
    }
    guard several == 0 else {
      throw MigrationError(
        obstacle: MigrationObstacle(entity: self.entity.name, property: relationship.name, reason: .severalObjects),
        rowCount: several)
    }
    let further = (entityColumn.map { ", \($0) = \(entity)" } ?? "") + (order.map { ", \($0) = l.ORDER_KEY" } ?? "")
    try connection.execute(
      "UPDATE main.\(table) AS t SET \(key) = l.\(other)\(further) FROM \(try links(order)) l WHERE t.Z_PK = l.\(row)")
  }

  private var isOrdered: Bool {
    guard case .toMany(let toMany) = relationship else { return false }
    return switch toMany.storage {
    case .key(let side): side.orderColumn != nil
    case .joinTable(let side): side.orderColumn != nil
    }
  }

  /// The links, with order keys if the relationship has them.
  ///
  /// The steps between order keys are smaller if an owner has more members than the usual steps have room for.
  private func links(_ order: Identifier?) throws -> String {
    guard order != nil else { return "temp.Z_LINK" }
    let largest =
      try connection.integer("SELECT max(n) FROM (SELECT count(*) AS n FROM temp.Z_LINK GROUP BY OWNER)") ?? 0
    let step = min(OrderKeys.step, (OrderKeys.limit - OrderKeys.first) / max(1, largest))
    guard step > 0 else {
      throw MappingMigrationError(
        "an object of entity \(quoted(entity.name)) has more objects in \(quoted(relationship.name)) than an order has places",
        remedy: "make the relationship unordered, or divide the objects before, in a stage of a migration plan")
    }
    return
      "(SELECT *, \(OrderKeys.first) + \(step) * (row_number() OVER (PARTITION BY OWNER ORDER BY ID) - 1) AS ORDER_KEY "
      + "FROM temp.Z_LINK)"
  }
}
