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
/// The links are a temporary view first: owner, member and the member's entity. They are a table instead if their order counts, or if a
/// table lists the new rows of the old ones.
struct MappedLinkWriter {
  private let link: MappedLink
  private let owners: Int
  private let rows: MappedRows
  private let connection: Connection

  private var relationship: PropertyLayout { link.relationship }
  private var entity: EntityLayout { link.destination }

  /// - Parameter owners: the entity mapping of the owners.
  init(_ link: MappedLink, of owners: Int, in rows: MappedRows, connection: Connection) {
    self.link = link
    self.owners = owners
    self.rows = rows
    self.connection = connection
  }

  /// Links the new rows of old owners with the new rows of old members.
  ///
  /// - Parameter members: the entity mappings of the members; if several have a member, the first one is used.
  /// - Throws: ``MigrationError`` if a side that takes one object has several.
  func write(_ pairs: MappedPairs, to members: [Int]) throws {
    let kind = try prepareLinks(pairs, to: members)
    defer { try? connection.execute("DROP \(kind) temp.OSD_LINK") }
    switch relationship {
    case .attribute: return
    case .toOne(let toOne): try write(toOne, pairs)
    case .toMany(let toMany):
      switch toMany.storage {
      case .key(let side):
        try setKeys(
          "MEMBER", isUnique: pairs.hasOneOwner, to: "OWNER", in: side.table, side.key, side.entityColumn,
          entity: "\(entity.number)", order: side.orderColumn)
      case .joinTable(let side): try write(side)
      }
    }
  }

  /// Makes `OSD_LINK`.
  ///
  /// - Returns: `TABLE` or `VIEW`.
  private func prepareLinks(_ pairs: MappedPairs, to members: [Int]) throws -> String {
    let (owner, member) = (
      rows.join([owners], as: "w", by: "p.OWNER"), rows.join(members, as: "t", by: "p.MEMBER")
    )
    let isFirst =
      members.count == 1 || !member.isListed
      ? ""
      : " AND NOT EXISTS (SELECT 1 FROM temp.OSD_MAPPED u WHERE u.SOURCE = t.SOURCE "
        + "AND u.MAPPING IN (\(members.map(String.init).joined(separator: ", "))) AND u.MAPPING < t.MAPPING)"
    let query =
      "SELECT \(owner.key) AS OWNER, \(member.key) AS MEMBER, \(member.entity) AS ENTITY FROM (\(pairs.sql)) p "
      + "JOIN \(owner.sql) JOIN \(member.sql)\(isFirst)"
    guard isOrdered || owner.isListed || member.isListed else {
      try connection.execute("CREATE TEMP VIEW OSD_LINK AS \(query)")
      return "VIEW"
    }
    try connection.execute(
      """
      CREATE TEMP TABLE OSD_LINK (ID INTEGER PRIMARY KEY, OWNER INTEGER, MEMBER INTEGER, ENTITY INTEGER);
      INSERT INTO temp.OSD_LINK (OWNER, MEMBER, ENTITY) \(query) \(isOrdered ? "ORDER BY p.OWNER, p.POSITION, p.MEMBER" : "");
      """)
    return "TABLE"
  }

  /// Sets the keys of a to-one relationship, and those of its inverse if that is to-one, too.
  private func write(_ toOne: ToOneLayout, _ pairs: MappedPairs) throws {
    try setKeys(
      "OWNER", isUnique: pairs.hasOneMember, to: "MEMBER", in: entity.table, toOne.key, toOne.entityColumn,
      entity: "l.ENTITY")
    if let inverse = toOne.inverse,
      case .toOne(let other)? = rows.new.entity(named: inverse.entityName)?.property(named: inverse.description.name)
    {
      try setKeys(
        "MEMBER", isUnique: pairs.hasOneOwner, to: "OWNER", in: toOne.destinationTable, other.key, other.entityColumn,
        entity: "\(entity.number)")
    }
  }

  /// Inserts the pairs of a join table. The mapping of the other side may have written some of them.
  private func write(_ side: ToManyLayout.JoinSide) throws {
    let order = side.orderColumn
    try connection.execute(
      "INSERT INTO main.\(side.table) (\(side.ownColumn), \(side.otherColumn)\(order.map { ", \($0)" } ?? "")) "
        + "SELECT OWNER, MEMBER\(order == nil ? "" : ", ORDER_KEY") FROM \(try links(order)) WHERE true ON CONFLICT "
        + (order.map { "DO UPDATE SET \($0) = excluded.\($0)" } ?? "DO NOTHING"))
    // Members of another entity mapping may leave their side to the owners.
    guard side.isReflexive else { return }
    try connection.execute(
      "INSERT INTO main.\(side.table) (\(side.ownColumn), \(side.otherColumn)) SELECT MEMBER, OWNER FROM temp.OSD_LINK "
        + "WHERE true ON CONFLICT DO NOTHING")
  }

  /// Sets the keys of rows on one side of the links.
  ///
  /// - Parameter isUnique: whether no row is in two links.
  private func setKeys(
    _ row: String, isUnique: Bool, to other: String, in table: Identifier, _ key: Identifier,
    _ entityColumn: Identifier?, entity: String, order: Identifier? = nil
  ) throws {
    var several =
      try connection.integer(
        "SELECT count(*) FROM temp.OSD_LINK l JOIN main.\(table) t ON t.Z_PK = l.\(row) WHERE t.\(key) <> l.\(other)")
      ?? 0
    if !isUnique {
      several +=
        try connection.integer(
          "SELECT count(*) FROM (SELECT 1 FROM temp.OSD_LINK GROUP BY \(row) HAVING min(\(other)) <> max(\(other)))")
        ?? 0
    }
    guard several == 0 else {
      throw MigrationError(
        obstacle: MigrationObstacle(entity: self.entity.name, property: relationship.name, reason: .severalObjects),
        rowCount: several)
    }
    let values =
      [(key, "l.\(other)")] + (entityColumn.map { [($0, entity)] } ?? []) + (order.map { [($0, "l.ORDER_KEY")] } ?? [])
    // Rows that have the values already are not written again.
    try connection.execute(
      "UPDATE main.\(table) AS t SET \(values.map { "\($0) = \($1)" }.joined(separator: ", ")) FROM \(try links(order)) l "
        + "WHERE t.Z_PK = l.\(row) AND (\(values.map { "t.\($0) IS NOT \($1)" }.joined(separator: " OR ")))")
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
    guard order != nil else { return "temp.OSD_LINK" }
    let largest =
      try connection.integer("SELECT max(n) FROM (SELECT count(*) AS n FROM temp.OSD_LINK GROUP BY OWNER)") ?? 0
    let step = min(OrderKeys.step, (OrderKeys.limit - OrderKeys.first) / max(1, largest))
    guard step > 0 else {
      throw MappingMigrationError(
        "an object of entity \(quoted(entity.name)) has more objects in \(quoted(relationship.name)) than an order has places",
        remedy: "make the relationship unordered, or divide the objects before, in a stage of a migration plan")
    }
    return
      "(SELECT *, \(OrderKeys.first) + \(step) * (row_number() OVER (PARTITION BY OWNER ORDER BY ID) - 1) AS ORDER_KEY "
      + "FROM temp.OSD_LINK)"
  }
}
