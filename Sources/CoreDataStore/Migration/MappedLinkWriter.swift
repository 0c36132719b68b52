import ErrorReporting
import ManagedModel
import SQLite
import StoreRequests

/// Writes the links of one relationship of a new store, both sides of them.
final class MappedLinkWriter {
  private let form: Form
  /// The entity and the relationship, for errors.
  private let entity: String
  private let relationship: String
  private let connection: Connection
  /// The last order key of the owner whose members are being linked.
  var orders: [Int64: Int64] = [:]

  private enum Form {
    /// The owner's row has the key of the member; in a one-to-one relationship the member's row has that of the owner too.
    case ownKey(KeyUpdate, inverse: KeyUpdate?)
    /// The member's row has the key of the owner.
    case memberKey(KeyUpdate)
    case join(Statement, isOrdered: Bool)
  }

  /// Sets the key of a row that has none yet.
  private struct KeyUpdate {
    let statement: Statement
    let hasEntity: Bool
    let isOrdered: Bool

    init(_ table: Identifier, _ key: Identifier, entity: Identifier?, order: Identifier?, _ connection: Connection)
      throws
    {
      let further = (entity.map { ", \($0) = ?3" } ?? "") + (order.map { ", \($0) = ?4" } ?? "")
      // Mappings of both sides write the same link twice.
      statement = try connection.prepare(
        "UPDATE \(table) SET \(key) = ?2\(further) WHERE Z_PK = ?1 AND (\(key) IS NULL OR \(key) = ?2)")
      (hasEntity, isOrdered) = (entity != nil, order != nil)
    }

    func run(_ row: Int64, _ other: Int64, of entity: Int, order: @autoclosure () throws -> Int64) throws {
      try statement.bind(row, at: 1)
      try statement.bind(other, at: 2)
      if hasEntity { try statement.bind(Int64(entity), at: 3) }
      if isOrdered { try statement.bind(try order(), at: 4) }
      try statement.run()
    }
  }

  /// - Parameter entity: the entity of the owners.
  init(_ relationship: PropertyLayout, of entity: EntityLayout, layout: StoreLayout, connection: Connection) throws {
    self.entity = entity.name
    self.relationship = relationship.name
    self.connection = connection
    switch relationship {
    case .attribute(let attribute):
      throw MappingMigrationError(
        "\(quoted(attribute.description.name)) is an attribute, and the mapping model sets it to rows",
        remedy: "update the mapping model to its models in Xcode")
    case .toOne(let toOne):
      var inverse: KeyUpdate?
      if let side = toOne.inverse,
        case .toOne(let other)? = layout.entity(named: side.entityName)?.property(named: side.description.name)
      {
        inverse = try KeyUpdate(
          toOne.destinationTable, other.key, entity: other.entityColumn, order: nil, connection)
      }
      form = .ownKey(
        try KeyUpdate(entity.table, toOne.key, entity: toOne.entityColumn, order: nil, connection), inverse: inverse)
    case .toMany(let toMany):
      switch toMany.storage {
      case .key(let side):
        form = .memberKey(
          try KeyUpdate(side.table, side.key, entity: side.entityColumn, order: side.orderColumn, connection))
      case .joinTable(let side):
        let columns = [side.ownColumn, side.otherColumn] + (side.orderColumn.map { [$0] } ?? [])
        let update = side.orderColumn.map { "DO UPDATE SET \($0) = excluded.\($0)" } ?? "DO NOTHING"
        let statement = try connection.prepare(
          "INSERT INTO \(side.table) (\(columns.map { "\($0)" }.joined(separator: ", "))) "
            + "VALUES (?1, ?2\(side.orderColumn == nil ? "" : ", ?3")) ON CONFLICT \(update)")
        form = .join(statement, isOrdered: side.orderColumn != nil)
      }
    }
  }

  /// Links an owner with a member; members of one owner come in their order.
  ///
  /// - Throws: ``MigrationError`` if a side that takes one object has another one already.
  func link(_ owner: Int64, from ownerEntity: Int, _ member: Int64, to memberEntity: Int) throws {
    switch form {
    case .ownKey(let update, let inverse):
      try update.run(owner, member, of: memberEntity, order: 0)
      try checkChange()
      if let inverse {
        try inverse.run(member, owner, of: ownerEntity, order: 0)
        try checkChange()
      }
    case .memberKey(let update):
      try update.run(member, owner, of: ownerEntity, order: try nextOrder(of: owner))
      try checkChange()
    case .join(let statement, let isOrdered):
      try statement.bind(owner, at: 1)
      try statement.bind(member, at: 2)
      if isOrdered { try statement.bind(nextOrder(of: owner), at: 3) }
      try statement.run()
    }
  }

  private func checkChange() throws {
    guard connection.changes == 0 else { return }
    throw MigrationError(
      obstacle: MigrationObstacle(entity: entity, property: relationship, reason: .severalObjects), rowCount: nil)
  }

  private func nextOrder(of owner: Int64) throws -> Int64 {
    guard let order = OrderKeys.next(after: orders[owner]) else {
      throw MappingMigrationError(
        "an object of entity \(quoted(entity)) has more objects in \(quoted(relationship)) than an order has places",
        remedy: "make the relationship unordered, or divide the objects before, in a stage of a migration plan")
    }
    orders = [owner: order]
    return order
  }
}
