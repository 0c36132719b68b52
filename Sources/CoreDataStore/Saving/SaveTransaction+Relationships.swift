import SQLite
import StoreRequests

extension SaveTransaction {
  /// Removes members from a to-many relationship: the pairs of a many-to-many relationship, or the keys of an inverse-less
  /// to-many relationship.
  ///
  /// The save removes all members before it adds any. If two owners have become one row, one of them may add a member that the
  /// other removes.
  func removeMembers(_ change: ChangeSet.RelationshipChange) throws {
    guard !change.removed.isEmpty else { return }
    let (owner, entity, relationship) = try place(of: change)
    let removed = try keys(of: change.removed)
    switch relationship.storage {
    case .joinTable(let side):
      let deletion = SaveStatement.deletePair(side)
      for key in removed {
        try run(deletion, owner.key, key, of: entity)
        if side.isReflexive { try run(deletion, key, owner.key, of: entity) }
      }
    case .key(let side) where side.isVirtual:
      for key in removed { try run(SaveStatement.clearVirtualKey(side), owner.key, key, of: entity) }
    case .key: break
    }
  }

  /// Adds members to a to-many relationship: pairs, or the keys of an inverse-less to-many relationship.
  mutating func addMembers(_ change: ChangeSet.RelationshipChange) throws {
    guard !change.added.isEmpty else { return }
    let (owner, entity, relationship) = try place(of: change)
    let added = try keys(of: change.added)
    switch relationship.storage {
    case .joinTable(let side):
      let insertion = SaveStatement.insertPair(side)
      for key in added {
        try addPair(insertion, side, owner.key, key, of: entity)
        if side.isReflexive { try addPair(insertion, side, key, owner.key, of: entity) }
      }
    case .key(let side) where side.isVirtual:
      for key in added {
        try run(SaveStatement.setVirtualKey(side), owner.key, key)
        try checkIsChanged(SaveStatement.unsetVirtualKey(side), owner.key, key, of: entity)
      }
    case .key: break
    }
  }

  /// Writes the order of a to-many relationship.
  ///
  /// The save adds all members before it orders any. The pairs of an ordered relationship may be listed by the members.
  mutating func orderMembers(_ change: ChangeSet.RelationshipChange) throws {
    let (owner, _, relationship) = try place(of: change)
    let order = try change.order.map { try keys(of: $0) }
    switch relationship.storage {
    case .joinTable(let side):
      if let rows = side.orderedRows, let order { try reorder(rows, owner: owner.key, order) }
    case .key(let side):
      guard let rows = side.orderedRows else { return }
      if let order { try reorder(rows, owner: owner.key, order) }
      guard side.isVirtual else { return }
      for member in change.added {
        let key = try object(member).key
        try appendUnordered(rows, key...key)
      }
    }
  }

  /// The keys of rows. Not in a mutating method: a closure there copies the whole transaction for each row.
  private func keys(of references: [ChangeSet.Reference]) throws -> [Int64] {
    try references.map { try object($0).key }
  }

  private func place(
    of change: ChangeSet.RelationshipChange
  ) throws -> (owner: ObjectKey, entity: EntityLayout, relationship: ToManyLayout) {
    let owner = try object(change.owner)
    let entity = try layout.existingEntity(owner.entity)
    return (owner, entity, try layout.toMany(change.relationship, of: entity))
  }

  /// Adds a pair; does nothing if the pair exists.
  ///
  /// The new pair comes last in the order of each side whose relationship is ordered.
  ///
  /// - Parameter insertion: the statement, which is the same for all pairs of a relationship.
  private mutating func addPair(
    _ insertion: String, _ side: ToManyLayout.JoinSide, _ own: Int64, _ other: Int64, of entity: EntityLayout
  ) throws {
    let order = try side.orderedRows.map { try nextOrder($0, owner: own) }
    let inverseOrder = try side.inverseOrderedRows.map { try nextOrder($0, owner: other) }
    let statement = try connection.statement(insertion)
    try statement.bind(own, at: 1)
    try statement.bind(other, at: 2)
    if case .some(.some(let order)) = order { try statement.bind(order, at: 3) }
    if case .some(.some(let order)) = inverseOrder { try statement.bind(order, at: 4) }
    try statement.run()
    guard connection.changes > 0 else {
      return try checkIsChanged(SaveStatement.missingPair(side), own, other, of: entity)
    }
    if let rows = side.orderedRows { try place(other, last: order ?? nil, of: own, rows) }
    if let rows = side.inverseOrderedRows { try place(own, last: inverseOrder ?? nil, of: other, rows) }
  }

  /// Notes the last place of an owner's objects, which a new object has; without one, makes room for the object at the end.
  private mutating func place(
    _ member: Int64, last place: Int64?, of owner: Int64, _ rows: SaveStatement.OrderedRows
  ) throws {
    if let place { lastPlaces[rows, owner] = place } else { try reorder(rows, owner: owner, [], last: member) }
  }

  // MARK: Order

  /// Moves an owner's objects into a wanted order, and changes as few rows as the gaps allow (``MemberArrangement``).
  ///
  /// - Parameter last: an object that comes after all others.
  private mutating func reorder(_ rows: SaveStatement.OrderedRows, owner: Int64, _ wanted: [Int64], last: Int64? = nil)
    throws
  {
    var present: [MemberPlace] = []
    let all = try connection.statement(rows.all)
    try all.bind(owner, at: 1)
    while try all.step() {
      present.append(MemberPlace(member: all.integer(0), place: all.isNull(1) ? nil : all.integer(1)))
    }
    all.reset()
    let arrangement = MemberArrangement(present, as: wanted, last: last)
    lastPlaces[rows, owner] = arrangement.members.last?.place
    let set = try connection.statement(rows.set)
    for (member, value) in arrangement.moved {
      try set.bind(value, at: 1)
      try set.bind(owner, at: 2)
      try set.bind(member, at: 3)
      try set.run()
      if maySkipRows { try checkPlace(value, of: member, owner, rows) }
      if rows.member == "Z_PK" { try noteMove(of: member, rows) }
    }
  }

  /// Updates a row that only moves among its owner's objects, and notes its order column's bit (CD-6, CD-7).
  ///
  /// All three real histories with such rows show this. No real history shows it for keys without an inverse
  /// (CD-3.2).
  private mutating func noteMove(of member: Int64, _ rows: SaveStatement.OrderedRows) throws {
    let find = try connection.statement(SaveStatement.entityAndVersion(rows.table))
    defer { find.reset() }
    try find.bind(member, at: 1)
    guard try find.step(), let number = Int32(exactly: find.integer(0)),
      let entity = layout.entity(numbered: Int(number))
    else { return }
    let version = find.integer(1)
    let relationship = entity.properties.first {
      if case .toOne(let relationship) = $0 { relationship.orderColumn == rows.order } else { false }
    }
    let object = ObjectKey(entity: number, key: member)
    guard let relationship, !insertedOutOfTurn.contains(object),
      keys.allocated(entity.rootNumber)?.contains(member) != true
    else { return }
    if updatedRows.insert(object).inserted {
      guard version < Int64.max - 1 else { throw DamagedCounter.outOfVersions(entity: entity.name) }
      try run(SaveStatement.bumpVersion(rows.table), member)
      try checkIsWritten(entity)
      result.moved.append(object)
    }
    history.updated(object, of: entity, slots: [.orderColumn(relationship.name)])
  }

  /// Checks that a member has the place that the save has given it.
  private func checkPlace(_ value: Int64, of member: Int64, _ owner: Int64, _ rows: SaveStatement.OrderedRows) throws {
    guard connection.changes == 0 else { return }
    let owning = layout.entities.first { entity in
      entity.properties.contains { property in
        guard case .toMany(let relationship) = property else { return false }
        return relationship.isIn(rows.table, orderedBy: rows.order)
      }
    }
    if let entity = owning { try checkIsChanged(rows.unset, value, owner, member, of: entity) }
  }

  /// Returns the place after all objects of an owner; `nil` if other objects must move to make room.
  private func nextOrder(_ rows: SaveStatement.OrderedRows, owner: Int64) throws -> Int64? {
    if let last = lastPlaces[rows, owner] { return OrderKeys.next(after: last) }
    let statement = try connection.statement(rows.maximum)
    defer { statement.reset() }
    try statement.bind(owner, at: 1)
    return try OrderKeys.next(after: statement.step() && !statement.isNull(0) ? statement.integer(0) : nil)
  }

  /// Places rows with a newly written key after the owner's other objects, unless the change set gives their place.
  mutating func appendUnordered() throws {
    for (key, ranges) in unordered.rows {
      let rows = SaveStatement.OrderedRows(table: key.table, owner: key.key, member: "Z_PK", order: key.order)
      for range in ranges { try appendUnordered(rows, range) }
    }
  }

  private mutating func appendUnordered(_ rows: SaveStatement.OrderedRows, _ range: ClosedRange<Int64>) throws {
    var found: [(owner: Int64, member: Int64)] = []
    let find = try connection.statement(rows.unordered)
    try find.bind(range.lowerBound, at: 1)
    try find.bind(range.upperBound, at: 2)
    while try find.step() { found.append((find.integer(0), find.integer(1))) }
    find.reset()
    let set = try connection.statement(rows.set)
    for (owner, member) in found {
      let value = try nextOrder(rows, owner: owner)
      if let value {
        try set.bind(value, at: 1)
        try set.bind(owner, at: 2)
        try set.bind(member, at: 3)
        try set.run()
        if maySkipRows { try checkPlace(value, of: member, owner, rows) }
      }
      try place(member, last: value, of: owner, rows)
    }
  }
}

/// The last place that an owner's objects have in an order, for each owner whose place is known.
///
/// While a save adds members, no place grows but by the save itself. So it reads an owner's last place once, and not for each member.
struct LastPlaces {
  private var places: [SaveStatement.OrderedRows: [Int64: Int64]] = [:]

  subscript(rows: SaveStatement.OrderedRows, owner: Int64) -> Int64? {
    get { places[rows]?[owner] }
    set { places[rows, default: [:]][owner] = newValue }
  }
}

/// Rows whose ordered foreign key the save has written, as ranges of keys, in the order of the first write.
struct UnorderedRows {
  private(set) var rows: [(key: WriteStatement.OrderedKey, ranges: [ClosedRange<Int64>])] = []

  mutating func add(_ keys: [WriteStatement.OrderedKey], key: Int64) {
    for ordered in keys {
      let index = rows.firstIndex { $0.key == ordered } ?? rows.count
      if index == rows.count { rows.append((ordered, [])) }
      if let last = rows[index].ranges.last, last.upperBound == key - 1 {
        rows[index].ranges[rows[index].ranges.count - 1] = last.lowerBound...key
      } else {
        rows[index].ranges.append(key...key)
      }
    }
  }
}

extension ToManyLayout.JoinSide {
  fileprivate var orderedRows: SaveStatement.OrderedRows? {
    orderColumn.map { SaveStatement.OrderedRows(table: table, owner: ownColumn, member: otherColumn, order: $0) }
  }

  fileprivate var inverseOrderedRows: SaveStatement.OrderedRows? {
    inverseOrderColumn.map { SaveStatement.OrderedRows(table: table, owner: otherColumn, member: ownColumn, order: $0) }
  }
}

extension ToManyLayout.KeySide {
  fileprivate var orderedRows: SaveStatement.OrderedRows? {
    orderColumn.map { SaveStatement.OrderedRows(table: table, owner: key, member: "Z_PK", order: $0) }
  }
}

extension ToManyLayout {
  fileprivate func isIn(_ table: Identifier, orderedBy column: Identifier) -> Bool {
    switch storage {
    case .joinTable(let side): side.table == table && [side.orderColumn, side.inverseOrderColumn].contains(column)
    case .key(let side): side.table == table && side.orderColumn == column
    }
  }
}
