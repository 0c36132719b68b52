import SQLite
import StoreRequests

/// The plan for one insertion: its key, its version and its action.
struct PlannedInsertion {
  let object: ObjectKey
  let entity: EntityLayout
  /// `Z_OPT` after the save.
  let version: Int64
  let action: Action

  enum Action {
    case insert
    /// The insertion overwrites a row that exists, or that an earlier insertion of the same save makes.
    ///
    /// `isCounted` tells that another change of this save already counts as the row's change.
    case overwrite(isCounted: Bool)
    /// The insertion writes nothing: a row that has its unique values stands for it.
    case keep
  }
}

/// The properties that insertions write over rows that exist, or that earlier insertions made.
///
/// So the save writes each property of a row once, with the last value. Earlier values cannot clash with other rows.
struct Overwrites {
  /// All properties that insertions write over a row.
  private(set) var ofRows: [ObjectKey: [String]] = [:]
  /// The properties that later insertions write over an insertion's row, by the insertion's index.
  private(set) var ofInsertions: [Int: [String]] = [:]

  init() {}

  init(_ plan: [PlannedInsertion], _ insertions: [ChangeSet.Insertion]) {
    for (index, planned) in plan.enumerated().reversed() {
      if let later = ofRows[planned.object] { ofInsertions[index] = later }
      guard case .overwrite = planned.action else { continue }
      let known = ofRows[planned.object] ?? []
      ofRows[planned.object] =
        known + insertions[index].columns.map(\.propertyName).filter { !known.contains($0) }
    }
  }

  /// Returns the columns of an insertion that no later insertion overwrites.
  func lastingColumns(of insertion: ChangeSet.Insertion, _ index: Int) -> [ColumnSelection] {
    guard let later = ofInsertions[index] else { return insertion.columns }
    return insertion.columns.filter { !later.contains($0.propertyName) }
  }
}

extension SaveTransaction {
  /// Gives every insertion its key and tells its source, before the save binds a row.
  ///
  /// Insertions whose unique values include a relationship come last, when the keys that they refer to are known.
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
      switch insertion.action {
      case .insert: break
      case .overwrite, .keep: result.merged.append((index, insertion.object))
      }
    }
    overwrites = Overwrites(plan, changes.insertions)
  }

  private mutating func plan(
    _ insertion: ChangeSet.Insertion, _ entity: EntityLayout, _ uniqueness: inout UniquenessResolver, givenKey: Int64?
  ) throws -> PlannedInsertion {
    if let match = try uniqueness.match(insertion, entity, changes.duplicates) {
      insertion.source.assign(match.object, wasMerged: true)
      if changes.duplicates == .keep {
        // A match tells the version that the row would have after a change by the insertion.
        let version = match.isCounted ? match.version : match.version - 1
        return PlannedInsertion(object: match.object, entity: entity, version: version, action: .keep)
      }
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
    var shape: InsertionShape?
    for index in plan.indices {
      try writeRow(before: [], (index + 1)..<plan.count) { try $0.insertRow(index, &shape) }
    }
  }

  /// The shape that successive insertions share, with its statement.
  ///
  /// The save looks up the statement only when the shape changes.
  private struct InsertionShape {
    let entity: Int32
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
    if shape?.entity != insertion.entity || shape?.columns != columns {
      let (write, statement) = try statement(.insert, planned.entity, columns)
      shape = InsertionShape(entity: insertion.entity, columns: columns, write: write, statement: statement)
    }
    guard let shape else { return }
    try shape.statement.bind(planned.object.key, at: shape.write.keyIndex)
    try bind(insertion.source, columns, to: shape.statement, width: shape.write.width, entity: planned.entity)
    try write(shape.statement, entity: planned.entity)
    if !shape.write.orderedKeys.isEmpty { unordered.add(shape.write.orderedKeys, key: planned.object.key) }
    if givenKeys != nil { try recordOutOfTurn(planned) }
  }

  /// Records an insertion whose key the caller chose.
  ///
  /// Such a key may lie outside the range of keys that this save hands out. The save records that range at its end.
  private mutating func recordOutOfTurn(_ planned: PlannedInsertion) throws {
    let key = planned.object.key
    if let allocated = keys.allocated(planned.entity.rootNumber), allocated.contains(key) { return }
    try history.inserted(key...key, into: planned.entity.table, keys: &keys)
    insertedOutOfTurn.insert(planned.object)
  }

  /// Writes an insertion's values over the row that has the same unique values.
  private mutating func overwrite(
    _ planned: PlannedInsertion, _ insertion: ChangeSet.Insertion, _ columns: [ColumnSelection], isCounted: Bool
  ) throws {
    let (write, statement) = try self.statement(
      .update(bumpsVersion: !isCounted, checksVersion: false), planned.entity, columns)
    try statement.bind(planned.object.key, at: write.keyIndex)
    try bind(insertion.source, columns, to: statement, width: write.width, entity: planned.entity)
    let destinations = try destinationEntities(of: planned.object, planned.entity, columns)
    try self.write(statement, entity: planned.entity)
    if !write.orderedKeys.isEmpty { unordered.add(write.orderedKeys, key: planned.object.key) }
    if !isCounted {
      updatedRows.insert(planned.object)
      history.updated(planned.object, of: planned.entity, properties: overwrites.ofRows[planned.object] ?? [])
    }
    try recordDestinationEntities(of: planned.object, planned.entity, columns, before: destinations)
  }
}
