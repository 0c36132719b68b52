import ManagedModel
import PostgreSQL
import StoreRequests

extension SaveTransaction {
  /// Gives every insertion its key and tells its source, before the save binds a row.
  ///
  /// Insertions whose unique values include a relationship come last, when the keys that they refer to are known.
  mutating func planInsertions() throws {
    guard !changes.insertions.isEmpty else { return }
    var counts: [Int: Int] = [:]
    for insertion in changes.insertions {
      let entity = try layout.existingEntity(insertion.entity)
      guard !entity.description.isAbstract else { throw SaveError.abstractEntity(entity.name) }
      counts[entity.hierarchy, default: 0] += 1
    }
    var uniqueness = try UniquenessResolver(
      changes, connection: connection, layout: layout, strategy: strategy)
    var fresh: [Int: ArraySlice<Int64>] = [:]
    var former = try freeFormerKeys()
    var planned = [PlannedInsertion?](repeating: nil, count: changes.insertions.count)
    var later: [Int] = []
    func plan(_ index: Int) throws {
      let insertion = changes.insertions[index]
      let entity = try layout.existingEntity(insertion.entity)
      if let match = try uniqueness.match(index, entity) {
        insertion.source.assign(match.object, wasMerged: true)
        planned[index] = PlannedInsertion(
          merging: match.object, version: match.version, isCounted: match.isCounted, changes.duplicates)
        return
      }
      let key: Int64
      if let own = insertion.formerKey, former[entity.hierarchy]?.remove(own) != nil {
        key = own
      } else {
        if fresh[entity.hierarchy]?.isEmpty ?? true {
          fresh[entity.hierarchy] = try keys.take(
            max(1, counts[entity.hierarchy] ?? 1), hierarchy: entity.hierarchy, over: connection)[...]
        }
        guard let next = fresh[entity.hierarchy]?.popFirst() else { return }
        key = next
      }
      counts[entity.hierarchy, default: 1] -= 1
      let object = ObjectKey(entity: insertion.entity, key: key)
      insertion.source.assign(object, wasMerged: false)
      uniqueness.willInsert(object)
      planned[index] = PlannedInsertion(object: object, version: 1, action: .insert)
    }
    var clashes: [SaveError.Clash] = []
    for index in changes.insertions.indices {
      if uniqueness.dependsOnKeys(index) {
        later.append(index)
      } else {
        try SaveError.noting(index, in: &clashes) { try plan(index) }
      }
    }
    // The rows that the others lead to have no keys after a clash.
    try SaveError.refuse(clashes)
    for index in later { try SaveError.noting(index, in: &clashes) { try plan(index) } }
    try SaveError.refuse(clashes)
    self.plan = planned.compactMap(\.self)
    result.note(self.plan)
    overwrites = Overwrites(self.plan, changes.insertions)
  }

  /// The former keys that insertions want and may reuse, by hierarchy: the sequence has handed them out, and no row has them.
  ///
  /// Cost: a statement for each table with such insertions.
  private func freeFormerKeys() throws -> [Int: Set<Int64>] {
    var wanted: [Int: [Int64]] = [:]
    for insertion in changes.insertions {
      guard let key = insertion.formerKey else { continue }
      wanted[try layout.existingEntity(insertion.entity).hierarchy, default: []].append(key)
    }
    var free: [Int: Set<Int64>] = [:]
    for (hierarchy, keys) in wanted.sorted(by: { $0.key < $1.key }) {
      let table = layout.tables[hierarchy]
      let rows = try connection.run(
        "SELECT s.k FROM unnest($1::bigint[]) s(k) "
          + "WHERE s.k BETWEEN 1 AND pg_sequence_last_value(\(table.keySequence)) "
          + "AND NOT EXISTS (SELECT FROM \(table.sql) t WHERE t.\(TableLayout.key) = s.k)",
        [.integers(keys.sorted())])
      free[hierarchy] = Set((0..<rows.rowCount).map { rows.integer($0, 0) })
    }
    return free
  }

  mutating func insertRows() throws {
    for planned in plan { if planned.isWritten { writtenRows.insert(planned.object) } }
    for part in try partsOfInsertions() { try insertRows(part) }
    try overwriteRows()
  }

  private mutating func insertRows(_ indexes: [Int]) throws {
    var groups = RowGroups(layout, count: indexes.count) { [plan, changes] place in
      let index = indexes[place]
      guard case .insert = plan[index].action else { return nil }
      let insertion = changes.insertions[index]
      return .init(
        key: plan[index].object.key, shape: RowShape(entity: insertion.entity, columns: insertion.columns),
        source: insertion.source)
    }
    var next = try groups.next()
    while let group = next {
      noteUnordered(group.rows, placesOfInsertions(group.indexes.map { indexes[$0] }))
      next = try group.rows.insert(over: connection) { try groups.next() }
    }
  }

  /// The places of insertions in the change set, whose updates come first.
  private func placesOfInsertions(_ indexes: [Int]) -> [Int] { indexes.map { changes.updates.count + $0 } }

  /// Writes the values of insertions over the rows that have the same unique values; the last insertion of a row decides about
  /// each property.
  private mutating func overwriteRows() throws {
    // A row's change is counted by the first insertion that overwrites it.
    try overwriteRows(areCounted: false)
    try overwriteRows(areCounted: true)
  }

  private mutating func overwriteRows(areCounted: Bool) throws {
    // Sends the rows in the order of their keys, which makes deadlocks between two saves less likely.
    let order = plan.indices.filter { plan[$0].overwrites(isCounted: areCounted) }
      .sorted { plan[$0].object.key < plan[$1].object.key }
    var groups = RowGroups(layout, count: order.count) { [plan, changes, overwrites, strategy] place in
      let index = order[place]
      let (object, insertion) = (plan[index].object, changes.insertions[index])
      let columns = overwrites.lastingColumns(of: insertion, index)
      if columns.isEmpty, areCounted { return nil }
      return .init(
        key: object.key, version: strategy.locksOverwritten ? nil : plan[index].version - (areCounted ? 0 : 1),
        shape: RowShape(entity: object.entity, columns: columns), isCounted: areCounted, source: insertion.source)
    }
    var next = try groups.next()
    while let group = next {
      let versions: [Int64: Int64]
      (versions, next) = try update(group, places: placesOfInsertions(group.indexes.map { order[$0] })) {
        try groups.next()
      }
      let missing = group.rows.keyList.filter { versions[$0] == nil }
      guard strategy.locksOverwritten || missing.isEmpty else { throw OverwrittenRowChanged() }
      // The rows are locked; a row may be missing only because this save, or a trigger of the database, has deleted it.
      let entity = group.rows.entity
      for key in missing {
        addConflict(ObjectKey(entity: entity.number, key: key), entity, expected: nil, actual: nil)
      }
      guard conflicts.isEmpty else { throw SaveError.conflicts(conflicts) }
    }
  }
}

/// Somebody else has changed or deleted a row since the save found that an insertion overwrites it.
struct OverwrittenRowChanged: Error {}

extension PlannedInsertion {
  fileprivate var isWritten: Bool { if case .keep = action { false } else { true } }
  fileprivate func overwrites(isCounted: Bool) -> Bool {
    if case .overwrite(isCounted) = action { true } else { false }
  }
}
