import SQLite

/// What becomes of one insertion.
struct PlannedInsertion {
  let object: ObjectKey
  let entity: EntityLayout
  /// `Z_OPT` after the save.
  let version: Int64
  let action: Action

  enum Action {
    case insert
    /// The row exists, or an earlier insertion of the same save makes it: it takes this one's values. `isCounted` where
    /// something else in this save already counts as the change of the row.
    case overwrite(isCounted: Bool)
  }
}

extension SaveTransaction {
  /// Gives every insertion its key, and tells its source, before any row is bound.
  ///
  /// Insertions whose unique values include a relationship come last, when the keys they refer to are known.
  mutating func planInsertions() throws {
    guard !changes.insertions.isEmpty else { return }
    var planned = [PlannedInsertion?](repeating: nil, count: changes.insertions.count)
    var uniqueness = UniquenessResolver(connection: connection, layout: layout, changes: changes)
    var later: [Int] = []
    var entity: EntityLayout?
    for (index, insertion) in changes.insertions.enumerated() {
      if entity?.number != Int(insertion.entity) {
        let next = try layout.existingEntity(insertion.entity)
        guard !next.isAbstract else { throw SaveError.abstractEntity(next.name) }
        entity = next
      }
      guard let entity else { continue }
      if try uniqueness.dependsOnKeys(insertion, entity) {
        later.append(index)
      } else {
        planned[index] = try plan(insertion, entity, &uniqueness, givenKey: givenKeys?[index])
      }
    }
    for index in later {
      let insertion = changes.insertions[index]
      planned[index] = try plan(
        insertion, layout.existingEntity(insertion.entity), &uniqueness, givenKey: givenKeys?[index])
    }
    plan = planned.compactMap { $0 }
    result.inserted.reserveCapacity(plan.count)
    for (index, insertion) in plan.enumerated() {
      result.inserted.append((insertion.object, insertion.version))
      if case .overwrite = insertion.action { result.merged.append((index, insertion.object)) }
    }
  }

  private mutating func plan(
    _ insertion: ChangeSet.Insertion, _ entity: EntityLayout, _ uniqueness: inout UniquenessResolver, givenKey: Int64?
  ) throws -> PlannedInsertion {
    if let match = try uniqueness.match(insertion, entity) {
      insertion.source.assign(match.object, wasMerged: true)
      return PlannedInsertion(
        object: match.object, entity: entity, version: match.version, action: .overwrite(isCounted: match.isCounted))
    }
    let key = try givenKey ?? keys.next(entity.rootNumber, table: entity.table, entityName: entity.name)
    let object = ObjectKey(entity: insertion.entity, key: key)
    insertion.source.assign(object, wasMerged: false)
    uniqueness.willInsert(object)
    return PlannedInsertion(object: object, entity: entity, version: 1, action: .insert)
  }

  mutating func insertRows() throws {
    // Insertions of one shape follow one another: what they have in common is looked up when the shape changes.
    var columns: [ColumnSelection]?
    var entity: Int32?
    var prepared: (write: WriteStatement, statement: Statement)?
    for (insertion, planned) in zip(changes.insertions, plan) {
      if case .overwrite(let isCounted) = planned.action {
        try overwrite(planned, insertion, isCounted: isCounted)
        continue
      }
      if entity != insertion.entity || columns != insertion.columns || prepared == nil {
        entity = insertion.entity
        columns = insertion.columns
        prepared = try statement(.insert, planned.entity, insertion.columns)
      }
      guard let (write, statement) = prepared else { continue }
      try statement.bind(planned.object.key, at: write.keyIndex)
      try bind(insertion.source, insertion.columns, to: statement, width: write.width, entity: planned.entity)
      try self.write(statement, entity: planned.entity)
      if !write.orderedKeys.isEmpty { unordered.add(write.orderedKeys, key: planned.object.key) }
      if givenKeys != nil { try recordOutOfTurn(planned) }
    }
  }

  /// A key that others chose may lie before those that this save hands out, which are recorded together at its end.
  private mutating func recordOutOfTurn(_ planned: PlannedInsertion) throws {
    let key = planned.object.key
    if let allocated = keys.allocated(planned.entity.rootNumber), allocated.contains(key) { return }
    try history.inserted(key...key, into: planned.entity.table, keys: &keys)
  }

  /// Writes an insertion over the row that has the same unique values.
  private mutating func overwrite(_ planned: PlannedInsertion, _ insertion: ChangeSet.Insertion, isCounted: Bool) throws
  {
    let (write, statement) = try self.statement(
      .update(bumpsVersion: !isCounted, checksVersion: false), planned.entity, insertion.columns)
    try statement.bind(planned.object.key, at: write.keyIndex)
    try bind(insertion.source, insertion.columns, to: statement, width: write.width, entity: planned.entity)
    try self.write(statement, entity: planned.entity)
    if !write.orderedKeys.isEmpty { unordered.add(write.orderedKeys, key: planned.object.key) }
    guard !isCounted else { return }
    try history.updated(
      planned.object, of: planned.entity, properties: insertion.columns.map(\.propertyName), keys: &keys)
  }
}
