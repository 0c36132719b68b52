import SQLite

extension SaveTransaction {
  /// Writes the pairs of a many-to-many relationship, the keys of an inverse-less to-many one, and the order of either.
  mutating func apply(_ change: ChangeSet.RelationshipChange) throws {
    let owner = try object(change.owner)
    let entity = try layout.existingEntity(owner.entity)
    let relationship = try layout.toMany(change.relationship, of: entity)
    let added = try change.added.map { try object($0).key }
    let removed = try change.removed.map { try object($0).key }
    let order = try change.order?.map { try object($0).key }
    switch relationship.storage {
    case .joinTable(let side):
      for key in removed {
        try run(SaveStatement.deletePair(side), owner.key, key)
        if side.isReflexive { try run(SaveStatement.deletePair(side), key, owner.key) }
      }
      for key in added {
        try addPair(side, owner.key, key)
        if side.isReflexive { try addPair(side, key, owner.key) }
      }
      if let rows = side.orderedRows, let order { try reorder(rows, owner: owner.key, order) }
    case .key(let side):
      if side.isVirtual {
        for key in removed { try run(SaveStatement.clearVirtualKey(side), owner.key, key) }
        for key in added { try run(SaveStatement.setVirtualKey(side), owner.key, key) }
      }
      guard let rows = side.orderedRows else { return }
      if let order { try reorder(rows, owner: owner.key, order) }
      if side.isVirtual {
        for key in added { try appendUnordered(rows, key...key) }
      }
    }
  }

  /// A pair, last among the objects of either side whose relationship is ordered; nothing if it exists.
  private func addPair(_ side: ToManyLayout.JoinSide, _ own: Int64, _ other: Int64) throws {
    let statement = try connection.statement(SaveStatement.insertPair(side))
    try statement.bind(own, at: 1)
    try statement.bind(other, at: 2)
    if let rows = side.orderedRows { try statement.bind(nextOrder(rows, owner: own), at: 3) }
    if let rows = side.inverseOrderedRows { try statement.bind(nextOrder(rows, owner: other), at: 4) }
    try statement.run()
  }

  // MARK: Order

  /// Brings an owner's objects into a wanted order, changing as few rows as the gaps allow (CD-3.4).
  ///
  /// Objects that are not listed, which somebody else may have added, follow in the order they had.
  private func reorder(_ rows: SaveStatement.OrderedRows, owner: Int64, _ wanted: [Int64]) throws {
    var current: [Int64: Int64?] = [:]
    var present: [Int64] = []
    let all = try connection.statement(rows.all)
    try all.bind(owner, at: 1)
    while try all.step() {
      present.append(all.integer(0))
      current[all.integer(0)] = all.isNull(1) ? .some(nil) : all.integer(1)
    }
    all.reset()
    var seen: Set<Int64> = []
    let sequence = (wanted.filter { current[$0] != nil } + present).filter { seen.insert($0).inserted }
    let values = OrderKeys.assign(sequence.map { current[$0] ?? nil })
    let set = try connection.statement(rows.set)
    for (member, value) in zip(sequence, values) where current[member] != .some(.some(value)) {
      try set.bind(value, at: 1)
      try set.bind(owner, at: 2)
      try set.bind(member, at: 3)
      try set.run()
    }
  }

  private func nextOrder(_ rows: SaveStatement.OrderedRows, owner: Int64) throws -> Int64 {
    let statement = try connection.statement(rows.maximum)
    defer { statement.reset() }
    try statement.bind(owner, at: 1)
    guard try statement.step(), !statement.isNull(0) else { return OrderKeys.first }
    return max(statement.integer(0), OrderKeys.first - OrderKeys.step) + OrderKeys.step
  }

  /// Gives rows whose key was written a place after the owner's others, where nothing said which.
  func appendUnordered() throws {
    for (key, ranges) in unordered.rows {
      let rows = SaveStatement.OrderedRows(table: key.table, owner: key.key, member: "Z_PK", order: key.order)
      for range in ranges { try appendUnordered(rows, range) }
    }
  }

  private func appendUnordered(_ rows: SaveStatement.OrderedRows, _ range: ClosedRange<Int64>) throws {
    var found: [(owner: Int64, member: Int64)] = []
    let find = try connection.statement(rows.unordered)
    try find.bind(range.lowerBound, at: 1)
    try find.bind(range.upperBound, at: 2)
    while try find.step() { found.append((find.integer(0), find.integer(1))) }
    find.reset()
    let set = try connection.statement(rows.set)
    var last: (owner: Int64, value: Int64)?
    for (owner, member) in found {
      let value =
        try last.flatMap { $0.owner == owner ? $0.value + OrderKeys.step : nil } ?? nextOrder(rows, owner: owner)
      try set.bind(value, at: 1)
      try set.bind(owner, at: 2)
      try set.bind(member, at: 3)
      try set.run()
      last = (owner, value)
    }
  }
}

/// Rows whose ordered foreign key was written, as ranges of keys, in the order of the first write.
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
