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

  mutating func insertRows() throws {
    var groups: [RowShape: RowGroup] = [:]
    var shapes: [RowShape] = []
    for (index, planned) in plan.enumerated() {
      guard case .insert = planned.action else { continue }
      let insertion = changes.insertions[index]
      let shape = RowShape(entity: insertion.entity, columns: insertion.columns)
      if groups[shape] == nil {
        groups[shape] = try RowGroup(shape, in: layout)
        shapes.append(shape)
      }
      guard let group = groups[shape] else { continue }
      try group.add(planned.object.key, insertion.source)
      writtenRows.insert(planned.object)
      if group.isFull {
        try insert(group)
        groups[shape] = try RowGroup(shape, in: layout)
      }
    }
    for shape in shapes { if let group = groups[shape], !group.keyList.isEmpty { try insert(group) } }
    try overwriteRows()
  }

  private mutating func insert(_ group: RowGroup) throws {
    try group.insert(over: connection)
    for (ordered, _) in orderedColumns(of: group) { unordered[ordered, default: []] += group.keyList }
  }

  /// Writes the values of insertions over the rows that have the same unique values; the last insertion of a row decides about
  /// each property.
  private mutating func overwriteRows() throws {
    var groups: [Bool: [RowShape: RowGroup]] = [:]
    var order: [(isCounted: Bool, shape: RowShape)] = []
    for (index, planned) in plan.enumerated() {
      guard case .overwrite(let isCounted) = planned.action else { continue }
      let insertion = changes.insertions[index]
      let columns = overwrites.lastingColumns(of: insertion, index)
      writtenRows.insert(planned.object)
      if columns.isEmpty, isCounted { continue }
      let shape = RowShape(entity: planned.object.entity, columns: columns)
      if groups[isCounted]?[shape] == nil {
        groups[isCounted, default: [:]][shape] = try RowGroup(shape, in: layout)
        order.append((isCounted, shape))
      }
      guard let group = groups[isCounted]?[shape] else { continue }
      try group.add(planned.object.key, insertion.source)
      if group.isFull {
        try overwrite(group, isCounted: isCounted)
        groups[isCounted]?[shape] = try RowGroup(shape, in: layout)
      }
    }
    for (isCounted, shape) in order {
      if let group = groups[isCounted]?[shape], !group.keyList.isEmpty { try overwrite(group, isCounted: isCounted) }
    }
  }

  private mutating func overwrite(_ group: RowGroup, isCounted: Bool) throws {
    let versions = try update(group, bumpsVersion: !isCounted)
    // The rows are locked; a row may be missing only because this save, or a trigger of the database, has deleted it.
    for key in group.keyList where versions[key] == nil {
      addConflict(ObjectKey(entity: group.entity.number, key: key), group.entity, expected: nil, actual: nil)
    }
    guard conflicts.isEmpty else { throw SaveError.conflicts(conflicts) }
  }
}
