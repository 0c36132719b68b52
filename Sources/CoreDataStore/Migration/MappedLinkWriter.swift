import ManagedModel
import SQLite
import StoreRequests

/// Writes the links of one relationship of a new store, both sides of them.
final class MappedLinkWriter {
  private let statement: Statement
  /// The statement for the other side of a one-to-one relationship.
  private let inverse: Statement?
  private let form: Form
  private var orders: [Int64: Int64] = [:]

  private enum Form {
    /// The owner's row has the key of the member.
    case ownKey(hasEntity: Bool)
    /// The member's row has the key of the owner.
    case memberKey(hasEntity: Bool, isOrdered: Bool)
    case join(isOrdered: Bool)
  }

  init(_ relationship: PropertyLayout, layout: StoreLayout, connection: Connection) throws {
    var inverse: Statement?
    switch relationship {
    case .attribute(let attribute):
      throw MappingMigrationError(
        "\(attribute.description.name) is an attribute, and the mapping model sets it to rows",
        remedy: "update the mapping model to its models in Xcode")
    case .toOne(let toOne):
      guard let table = layout.entity(named: toOne.declaringEntityName)?.table else { throw Self.missing(toOne.key) }
      let entity = toOne.entityColumn.map { ", \($0) = ?3" } ?? ""
      statement = try connection.prepare("UPDATE \(table) SET \(toOne.key) = ?2\(entity) WHERE Z_PK = ?1")
      form = .ownKey(hasEntity: toOne.entityColumn != nil)
      if let other = toOne.inverseKey {
        inverse = try connection.prepare("UPDATE \(toOne.destinationTable) SET \(other) = ?2 WHERE Z_PK = ?1")
      }
    case .toMany(let toMany):
      switch toMany.storage {
      case .key(let side):
        let entity = side.entityColumn.map { ", \($0) = ?3" } ?? ""
        let order = side.orderColumn.map { ", \($0) = ?4" } ?? ""
        statement = try connection.prepare(
          "UPDATE \(side.table) SET \(side.key) = ?2\(entity)\(order) WHERE Z_PK = ?1")
        form = .memberKey(hasEntity: side.entityColumn != nil, isOrdered: side.orderColumn != nil)
      case .joinTable(let side):
        let columns = [side.ownColumn, side.otherColumn] + (side.orderColumn.map { [$0] } ?? [])
        let update = side.orderColumn.map { "DO UPDATE SET \($0) = excluded.\($0)" } ?? "DO NOTHING"
        statement = try connection.prepare(
          "INSERT INTO \(side.table) (\(columns.map { "\($0)" }.joined(separator: ", "))) "
            + "VALUES (?1, ?2\(side.orderColumn == nil ? "" : ", ?3")) ON CONFLICT \(update)")
        form = .join(isOrdered: side.orderColumn != nil)
      }
    }
    self.inverse = inverse
  }

  private static func missing(_ column: Identifier) -> MappingMigrationError {
    MappingMigrationError("the new store has no column \(column)", remedy: "report it")
  }

  /// Links an owner with a member; members of one owner come in their order.
  func link(_ owner: Int64, from ownerEntity: Int, _ member: Int64, to memberEntity: Int) throws {
    switch form {
    case .ownKey(let hasEntity):
      try statement.bind(owner, at: 1)
      try statement.bind(member, at: 2)
      if hasEntity { try statement.bind(Int64(memberEntity), at: 3) }
    case .memberKey(let hasEntity, let isOrdered):
      try statement.bind(member, at: 1)
      try statement.bind(owner, at: 2)
      if hasEntity { try statement.bind(Int64(ownerEntity), at: 3) }
      if isOrdered { try statement.bind(nextOrder(of: owner), at: 4) }
    case .join(let isOrdered):
      try statement.bind(owner, at: 1)
      try statement.bind(member, at: 2)
      if isOrdered { try statement.bind(nextOrder(of: owner), at: 3) }
    }
    try statement.run()
    if let inverse {
      try inverse.bind(member, at: 1)
      try inverse.bind(owner, at: 2)
      try inverse.run()
    }
  }

  private func nextOrder(of owner: Int64) -> Int64 {
    let order = OrderKeys.next(after: orders[owner]) ?? OrderKeys.limit
    orders = [owner: order]
    return order
  }
}
