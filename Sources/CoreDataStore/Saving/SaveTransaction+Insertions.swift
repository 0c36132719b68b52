import SQLite
import StoreRequests

extension SaveTransaction {
  /// Gives every insertion its key and tells its source, before the save binds a row.
  ///
  /// Insertions whose unique values include a relationship come last, when the keys that they refer to are known.
  mutating func planInsertions() throws {
    guard !changes.insertions.isEmpty else { return }
    var planned = [PlannedInsertion?](repeating: nil, count: changes.insertions.count)
    var uniqueness = UniquenessResolver(connection: connection, layout: layout, changes: changes)
    var later: [Int] = []
    var clashes: [SaveError.Clash] = []
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
        planned[index] = try SaveError.noting(index, in: &clashes) {
          try plan(insertion, entity, &uniqueness, givenKey: givenKeys?[index])
        }
      }
    }
    // After a clash, the rows to which the remaining insertions refer have no keys.
    try SaveError.refuse(clashes)
    for index in later {
      let insertion = changes.insertions[index]
      planned[index] = try SaveError.noting(index, in: &clashes) {
        try plan(insertion, layout.existingEntity(insertion.entity), &uniqueness, givenKey: givenKeys?[index])
      }
    }
    try SaveError.refuse(clashes)
    plan = planned.compactMap { $0 }
    result.note(plan)
    overwrites = Overwrites(plan, changes.insertions)
  }

  private mutating func plan(
    _ insertion: ChangeSet.Insertion, _ entity: EntityLayout, _ uniqueness: inout UniquenessResolver, givenKey: Int64?
  ) throws -> PlannedInsertion {
    if let match = try uniqueness.match(insertion, entity, changes.duplicates) {
      insertion.source.assign(match.object, wasMerged: true)
      return PlannedInsertion(
        merging: match.object, version: match.version, isCounted: match.isCounted, changes.duplicates)
    }
    let key =
      try givenKey ?? formerKey(of: insertion, entity)
      ?? keys.next(entity.rootNumber, table: entity.table, entityName: entity.name)
    let object = ObjectKey(entity: insertion.entity, key: key)
    insertion.source.assign(object, wasMerged: false)
    uniqueness.willInsert(object)
    return PlannedInsertion(object: object, version: 1, action: .insert)
  }

  /// The key of the object's deleted row; `nil` if there is none, or if the new row cannot have it.
  private mutating func formerKey(of insertion: ChangeSet.Insertion, _ entity: EntityLayout) throws -> Int64? {
    guard let key = insertion.formerKey, try version(of: key, entity) == nil,
      try keys.take(key, entity.rootNumber, table: entity.table, entityName: entity.name)
    else { return nil }
    return key
  }

  mutating func insertRows() throws {
    let later = try tablesToIndexLater()
    guard !later.isEmpty else { return try insertRows(plan.indices) }
    // Rows of one entity stand together, or nearly so.
    var first = 0
    while first < plan.count {
      let isLater = later[changes.insertions[first].entity] != nil
      let end = plan.indices.dropFirst(first).first { (later[changes.insertions[$0].entity] != nil) != isLater }
      if isLater { try connection.enableTriggers(false) }
      defer { if isLater { try? connection.enableTriggers(true) } }
      try insertRows(first..<(end ?? plan.count))
      first = end ?? plan.count
    }
    var done: Set<Identifier> = []
    for (number, rows) in later.sorted(by: { $0.key < $1.key })
    where done.insert(try layout.existingEntity(number).table).inserted { try index(rows) }
  }

  private mutating func insertRows(_ indices: Range<Int>) throws {
    var shape: InsertionShape?
    for index in indices {
      do {
        try writeRow(before: [], (index + 1)..<plan.count) { try $0.insertRow(index, &shape) }
      } catch SaveError.notUnique(let entity, let properties, _) {
        try SaveError.refuse([.init(entityName: entity, properties: properties, row: .insertion(index))])
      }
    }
  }

  /// The shape that successive insertions share, with its statement.
  ///
  /// The save looks up the statement only when the shape changes.
  private struct InsertionShape {
    let entity: EntityLayout
    let columns: [ColumnSelection]
    let write: WriteStatement
    let statement: Statement
  }

  private mutating func insertRow(_ index: Int, _ shape: inout InsertionShape?) throws {
    let insertion = changes.insertions[index]
    let planned = plan[index]
    if case .keep = planned.action { return }
    let columns = overwrites.lastingColumns(of: insertion, index)
    if case .overwrite(let isCounted) = planned.action {
      return try overwrite(planned, insertion, columns, isCounted: isCounted)
    }
    if shape?.entity.number != Int(insertion.entity) || shape?.columns != columns {
      let entity = try layout.existingEntity(insertion.entity)
      let (write, statement) = try statement(.insert, entity, columns)
      shape = InsertionShape(entity: entity, columns: columns, write: write, statement: statement)
    }
    guard let shape else { return }
    try shape.statement.bind(planned.object.key, at: shape.write.keyIndex)
    try bind(insertion.source, columns, to: shape.statement, width: shape.write.width, entity: shape.entity)
    try write(shape.statement, entity: shape.entity)
    try checkIsWritten(shape.entity)
    if !shape.write.orderedKeys.isEmpty { unordered.add(shape.write.orderedKeys, key: planned.object.key) }
    if givenKeys != nil || insertion.formerKey != nil { try recordOutOfTurn(planned, shape.entity) }
  }

  /// Records an insertion whose key the caller chose, or which a deleted row had.
  ///
  /// Such a key may lie outside the range of keys that this save hands out. The save records that range at its end.
  private mutating func recordOutOfTurn(_ planned: PlannedInsertion, _ entity: EntityLayout) throws {
    let key = planned.object.key
    if let allocated = keys.allocated(entity.rootNumber), allocated.contains(key) { return }
    try history.inserted(key...key, into: entity.table, keys: &keys)
    insertedOutOfTurn.insert(planned.object)
  }

  /// Writes an insertion's values over the row that has the same unique values.
  private mutating func overwrite(
    _ planned: PlannedInsertion, _ insertion: ChangeSet.Insertion, _ columns: [ColumnSelection], isCounted: Bool
  ) throws {
    let entity = try layout.existingEntity(insertion.entity)
    let (write, statement) = try self.statement(
      .update(bumpsVersion: !isCounted, checksVersion: false), entity, columns)
    try statement.bind(planned.object.key, at: write.keyIndex)
    try bind(insertion.source, columns, to: statement, width: write.width, entity: entity)
    let destinations = try destinationEntities(of: planned.object, entity, write.entityColumns)
    try self.write(statement, entity: entity)
    try checkIsWritten(entity)
    if !write.orderedKeys.isEmpty { unordered.add(write.orderedKeys, key: planned.object.key) }
    if !isCounted {
      updatedRows.insert(planned.object)
      history.updated(planned.object, of: entity, properties: overwrites.ofRows[planned.object] ?? [])
    }
    try recordDestinationEntities(of: planned.object, entity, write.entityColumns, before: destinations)
  }
}
