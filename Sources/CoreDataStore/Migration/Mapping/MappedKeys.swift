import ManagedModel
import SQLite

/// A column of new rows that gets the key of another new row together with the other values.
///
/// That row keeps the key of its old row, so the old key is also the new key. The key is NULL if no entity mapping takes the old row.
struct MappedKey {
  let column: Identifier
  let entityColumn: Identifier?
  /// The columns of order keys, if both stores have them.
  let order: (new: Identifier, old: Identifier)?
  let oldKey: Identifier
  /// The table of the old rows to which the old keys refer.
  let oldTable: Identifier
  /// The entity mappings of the rows to which the keys may refer.
  var targets: [Int]
}

/// The relationships whose keys are written with the new rows, so that their links need no further statement.
struct MappedKeys {
  private struct Link: Hashable {
    let entity: Int
    let property: String
  }

  private var keys: [Int: [MappedKey]] = [:]
  private var complete: Set<Link> = []
  private let rows: MappedRows

  /// - Parameter links: the links of each entity mapping.
  init(_ links: [[MappedLink]], of rows: MappedRows) {
    self.rows = rows
    for (entity, links) in links.enumerated() {
      for link in links { add(link, of: entity) }
    }
  }

  /// Whether the rows have all keys of a relationship when they are written; of a one-to-one relationship the owners' keys.
  func isComplete(_ property: String, of entity: Int) -> Bool {
    complete.contains(Link(entity: entity, property: property))
  }

  private mutating func add(_ link: MappedLink, of entity: Int) {
    guard let old = KeySide(link.former, of: link.source), let new = KeySide(link.relationship, of: link.destination),
      old.isOwners == new.isOwners
    else { return }
    let (holders, targets) = new.isOwners ? ([entity], link.members) : (link.members, [entity])
    // Keys of rows that a filter may leave out are not known before.
    guard targets.allSatisfy({ rows.keepsKeys[$0] && rows.resolution.entities[$0].mapping.sourceFilter == nil }) else {
      return
    }
    // Members get an order afterwards if they had none.
    var isComplete = new.isOwners || new.order == nil || old.order != nil
    for holder in holders {
      let isAdded = add(
        MappedKey(
          column: new.key, entityColumn: new.entityColumn,
          order: new.order.flatMap { order in old.order.map { (order, $0) } }, oldKey: old.key,
          oldTable: old.targetTable, targets: targets), to: holder)
      isComplete = isComplete && isAdded
    }
    if isComplete { complete.insert(Link(entity: entity, property: link.relationship.name)) }
  }

  /// - Returns: whether the column gets its values from this old key.
  private mutating func add(_ key: MappedKey, to holder: Int) -> Bool {
    guard let position = keys[holder]?.firstIndex(where: { $0.column == key.column }),
      let found = keys[holder]?[position]
    else {
      keys[holder, default: []].append(key)
      return true
    }
    guard found.oldKey == key.oldKey, found.oldTable == key.oldTable else { return false }
    keys[holder]?[position].targets += key.targets.filter { !found.targets.contains($0) }
    return true
  }

  /// The columns of an entity mapping's new rows with the SQL of their keys. The old row's alias is `o`.
  func columns(of entity: Int) -> [(name: Identifier, sql: String)] {
    (keys[entity] ?? []).flatMap { key in
      var numbers: [Int: Int] = [:]
      for target in key.targets { numbers[rows.sourceNumber(target)] = rows.destinationNumber(target) }
      let list = numbers.keys.sorted()
      func value(_ result: String) -> String {
        "(SELECT \(result) FROM old.\(key.oldTable) t WHERE t.Z_PK = o.\(key.oldKey) "
          + "AND t.Z_ENT IN (\(list.map(String.init).joined(separator: ", "))))"
      }
      var columns = [(key.column, value("t.Z_PK"))]
      if let entity = key.entityColumn {
        let cases = list.map { "WHEN \($0) THEN \(numbers[$0] ?? 0)" }.joined(separator: " ")
        columns.append((entity, value("CASE t.Z_ENT \(cases) END")))
      }
      if let order = key.order { columns.append((order.new, value("o.\(order.old)"))) }
      return columns
    }
  }
}

/// The column of a relationship's keys, in the rows of its owners or of its members.
private struct KeySide {
  let isOwners: Bool
  let key: Identifier
  let entityColumn: Identifier?
  let order: Identifier?
  /// The table of the rows to which the keys refer.
  let targetTable: Identifier

  /// `nil` for attributes and join tables.
  init?(_ property: PropertyLayout, of entity: EntityLayout) {
    switch property {
    case .attribute: return nil
    case .toOne(let toOne):
      (isOwners, key, entityColumn) = (true, toOne.key, toOne.entityColumn)
      (order, targetTable) = (toOne.orderColumn, toOne.destinationTable)
    case .toMany(let toMany):
      guard case .key(let side) = toMany.storage else { return nil }
      (isOwners, key, entityColumn, order) = (false, side.key, side.entityColumn, side.orderColumn)
      targetTable = entity.table
    }
  }
}
