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
    var uniqueness = try UniquenessResolver(changes, connection: connection, layout: layout)
    var fresh: [Int: ArraySlice<Int64>] = [:]
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
      if fresh[entity.hierarchy]?.isEmpty ?? true {
        fresh[entity.hierarchy] = try keys.take(
          max(1, counts[entity.hierarchy] ?? 1), hierarchy: entity.hierarchy, over: connection)[...]
      }
      guard let key = fresh[entity.hierarchy]?.popFirst() else { return }
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

  /// Rows are gathered for the next statement while the server runs the one before.
  mutating func insertRows() throws {
    for planned in plan { if planned.isWritten { writtenRows.insert(planned.object) } }
    var groups = InsertedGroups(plan, changes, layout)
    var next = try groups.next()
    while let group = next {
      for (ordered, _) in orderedColumns(of: group) { unordered[ordered, default: []] += group.keyList }
      next = try group.insert(over: connection) { try groups.next() }
    }
    try overwriteRows()
  }

  /// Writes the values of insertions over the rows that have the same unique values; the last insertion of a row decides about
  /// each property.
  private mutating func overwriteRows() throws {
    var groups = OverwrittenGroups(plan, changes, overwrites, layout)
    var next = try groups.next()
    while let (group, isCounted) = next {
      let statement = updateStatement(group, bumpsVersion: !isCounted)
      let answer = try connection.run(statement.sql, statement.parameters) { try groups.next() }
      next = answer.value
      let versions = Self.versions(answer.result)
      // The rows are locked; a row may be missing only because this save, or a trigger of the database, has deleted it.
      for key in group.keyList where versions[key] == nil {
        addConflict(ObjectKey(entity: group.entity.number, key: key), group.entity, expected: nil, actual: nil)
      }
      guard conflicts.isEmpty else { throw SaveError.conflicts(conflicts) }
    }
  }
}

extension PlannedInsertion {
  fileprivate var isWritten: Bool { if case .keep = action { false } else { true } }
}

/// The rows of insertions that make new rows, a group a statement.
private struct InsertedGroups {
  private let plan: [PlannedInsertion]
  private let changes: ChangeSet
  private let layout: StoreLayout
  private var groups: [RowShape: RowGroup] = [:]
  /// The shapes in the order of their first rows.
  private var shapes: [RowShape] = []
  private var index = 0

  init(_ plan: [PlannedInsertion], _ changes: ChangeSet, _ layout: StoreLayout) {
    (self.plan, self.changes, self.layout) = (plan, changes, layout)
  }

  /// A full group, or one of the last; `nil` at the end.
  mutating func next() throws -> RowGroup? {
    while index < plan.count {
      let (planned, insertion) = (plan[index], changes.insertions[index])
      index += 1
      guard case .insert = planned.action else { continue }
      let shape = RowShape(entity: insertion.entity, columns: insertion.columns)
      let group: RowGroup
      if let known = groups[shape] {
        group = known
      } else {
        group = try RowGroup(shape, in: layout)
        groups[shape] = group
        shapes.append(shape)
      }
      try group.add(planned.object.key, insertion.source)
      guard group.isFull else { continue }
      groups[shape] = nil
      shapes.removeAll { $0 == shape }
      return group
    }
    return shapes.isEmpty ? nil : groups.removeValue(forKey: shapes.removeFirst())
  }
}

/// The rows of insertions that overwrite rows, a group a statement.
private struct OverwrittenGroups {
  /// `isCounted` tells that another change of this save already counts as the row's change.
  private struct Kind: Hashable {
    let isCounted: Bool
    let shape: RowShape
  }

  private let plan: [PlannedInsertion]
  private let changes: ChangeSet
  private let overwrites: Overwrites
  private let layout: StoreLayout
  private var groups: [Kind: RowGroup] = [:]
  /// The kinds in the order of their first rows.
  private var kinds: [Kind] = []
  private var index = 0

  init(_ plan: [PlannedInsertion], _ changes: ChangeSet, _ overwrites: Overwrites, _ layout: StoreLayout) {
    (self.plan, self.changes, self.overwrites, self.layout) = (plan, changes, overwrites, layout)
  }

  /// A full group, or one of the last; `nil` at the end.
  mutating func next() throws -> (group: RowGroup, isCounted: Bool)? {
    while index < plan.count {
      let (planned, insertion) = (plan[index], changes.insertions[index])
      index += 1
      guard case .overwrite(let isCounted) = planned.action else { continue }
      let columns = overwrites.lastingColumns(of: insertion, index - 1)
      if columns.isEmpty, isCounted { continue }
      let kind = Kind(isCounted: isCounted, shape: RowShape(entity: planned.object.entity, columns: columns))
      let group: RowGroup
      if let known = groups[kind] {
        group = known
      } else {
        group = try RowGroup(kind.shape, in: layout)
        groups[kind] = group
        kinds.append(kind)
      }
      try group.add(planned.object.key, insertion.source)
      guard group.isFull else { continue }
      groups[kind] = nil
      kinds.removeAll { $0 == kind }
      return (group, isCounted)
    }
    guard !kinds.isEmpty else { return nil }
    let kind = kinds.removeFirst()
    return groups.removeValue(forKey: kind).map { ($0, kind.isCounted) }
  }
}
