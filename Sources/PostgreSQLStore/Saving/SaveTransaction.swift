import ManagedModel
import PostgreSQL
import StoreRequests

/// Writes a change set, inside a transaction that the caller begins and ends.
///
/// Rows of one shape are written by one statement, whose parameters are arrays of the columns' values. The order is fixed: keys,
/// updates, insertions, pairs and orders, deletions, the other keys of one-to-one relationships. Foreign keys and unique values are
/// checked at the end, so that rows may refer to one another and exchange values. Deletions come late, since the server then deletes
/// rows and clears keys that still refer to the deleted rows. Batch changes come first, and concern no row of the other changes.
struct SaveTransaction {
  let connection: Connection
  let layout: StoreLayout
  let changes: ChangeSet
  let keys: KeyBlocks
  let strategy: SaveStrategy
  var plan: [PlannedInsertion] = []
  var overwrites = Overwrites()
  var conflicts: [SaveError.Conflict] = []
  var result = SaveResult()
  /// The rows whose version this save has set already.
  var writtenRows: Set<ObjectKey> = []
  /// The properties of each row that the save changed so that one-to-one relationships agree.
  var relinked: [ObjectKey: [String]] = [:]
  var history: HistoryWriter
  /// The rows of the save's batch changes; `nil` if it has none.
  private var batches: BatchWriter?
  /// The rows that are deleted, and there before, with the values that history keeps of them.
  private var deletedRows: [(object: ObjectKey, tombstone: String?)] = []
  /// Rows whose ordered foreign key was written, by table and column.
  var unordered: [OrderedColumn: UnorderedKeys] = [:]

  /// A foreign key with an order column beside it.
  struct OrderedColumn: Hashable {
    let hierarchy: Int
    let key: Identifier
    let order: Identifier
  }

  init(
    _ changes: ChangeSet, connection: Connection, layout: StoreLayout, keys: KeyBlocks, strategy: SaveStrategy
  ) {
    self.changes = changes
    self.connection = connection
    self.layout = layout
    self.keys = keys
    self.strategy = strategy
    history = HistoryWriter(layout)
  }

  /// - Throws: ``SaveError``, ``QueryError``, ``PostgreSQLError``, ``OverwrittenRowChanged``, or an error of a source; the caller then
  ///   rolls back.
  ///
  /// - Returns: `nil` if the store has another state than that for which the changes are meant, and nothing may be written.
  mutating func run(_ state: StoreState) throws -> (result: SaveResult, transaction: RecordedTransaction)? {
    if let lock = strategy.lock {
      try connection.runWithNext(AdvisoryLock.ofSaves(in: layout.schema, isExclusive: lock == .exclusive))
    }
    try writeBatches()
    try planInsertions()
    try lockRows()
    let updates = try partsOfUpdates()
    prepareUpdates()
    try updateRows(updates.before)
    guard conflicts.isEmpty else { throw SaveError.conflicts(conflicts) }
    try insertRows()
    try updateRows(updates.after)
    guard conflicts.isEmpty else { throw SaveError.conflicts(conflicts) }
    try writeRelationships()
    try appendUnordered()
    try deleteRows()
    try alignPartners()
    result.affected = try DerivedRows(connection: connection, layout: layout).take()
    recordChanges()
    guard
      let transaction = try history.record(
        state, author: changes.author, contextName: changes.contextName, over: connection)
    else { return nil }
    result.transaction = transaction.number
    return (result, transaction)
  }

  /// Carries out the batch changes.
  private mutating func writeBatches() throws {
    guard !changes.batches.isEmpty else { return }
    var writer = BatchWriter(connection, layout)
    for batch in changes.batches {
      switch batch {
      case .delete(let selection): try writer.delete(selection)
      case .update(let selection, let assignments): try writer.update(selection, assignments)
      case .empty(let names): try writer.empty(names)
      }
    }
    (result.batchDeleted, result.batchUpdated) = writer.result
    batches = writer
  }

  /// Notes insertions, updates and deletions for the history, each object once.
  private mutating func recordChanges() {
    let batchUpdated = Set(result.batchUpdated)
    for (object, names) in relinked where batchUpdated.contains(object) { batches?.add(names, to: object) }
    batches?.record(&history)
    for planned in plan { if case .insert = planned.action { history.add(.insert, planned.object) } }
    let inserted = Set(plan.compactMap { if case .insert = $0.action { $0.object } else { nil } })
    var updated: Set<ObjectKey> = []
    func add(_ object: ObjectKey, _ properties: [String]) {
      guard updated.insert(object).inserted else { return }
      var names = properties
      for name in (overwrites.ofRows[object] ?? []) + (relinked[object] ?? []) where !names.contains(name) {
        names.append(name)
      }
      history.add(.update, object, properties: names)
    }
    for update in changes.updates { add(update.object, update.changedProperties) }
    for planned in plan {
      if case .overwrite = planned.action, !inserted.contains(planned.object) { add(planned.object, []) }
    }
    for object in result.moved + result.relinked
    where !inserted.contains(object) && !batchUpdated.contains(object) { add(object, []) }
    for (object, tombstone) in deletedRows { history.add(.delete, object, tombstone: tombstone) }
  }

  /// The row that a reference names: an existing row, or a row that this save inserts.
  func object(_ reference: ChangeSet.Reference) throws -> ObjectKey {
    switch reference {
    case .existing(let object): return object
    case .inserted(let index):
      guard plan.indices.contains(index) else { throw SaveError.invalidReference(index: index, count: plan.count) }
      return plan[index].object
    }
  }

  // MARK: Deletions

  /// The keys of the rows to delete, by hierarchy.
  func deletedKeys() throws -> [Int: [Int64]] { try keys(of: changes.deletions.lazy.map(\.object)) }

  /// The keys of the rows to update, by hierarchy.
  private func updatedKeys() throws -> [Int: [Int64]] { try keys(of: changes.updates.lazy.map(\.object)) }

  private func keys(of objects: some Sequence<ObjectKey>) throws -> [Int: [Int64]] {
    var byHierarchy: [Int: [Int64]] = [:]
    for object in objects {
      byHierarchy[try layout.existingEntity(object.entity).hierarchy, default: []].append(object.key)
    }
    return byHierarchy
  }

  private func byTable(_ keys: [Int: [Int64]]) -> [(table: TableLayout, keys: [Int64])] {
    keys.sorted { $0.key < $1.key }.map { (layout.tables[$0.key], $0.value.sorted()) }
  }

  /// Locks rows in the order of their tables and keys.
  ///
  /// - Returns: the versions of the rows that are there, by hierarchy and key.
  private func lock(deleted: [Int: [Int64]], updated: [Int: [Int64]]) throws -> [Int: [Int64: Int64]] {
    var versions: [Int: [Int64: Int64]] = [:]
    for (table, keys) in byTable(deleted.merging(updated) { $0 + $1 }) {
      // Other saves check their foreign keys at the commit, while they hold the store's row. A stronger lock of an updated row would
      // make them wait for this save, and this save waits for the store's row.
      let lock = updated[table.root.hierarchy] == nil ? "UPDATE" : "NO KEY UPDATE"
      let rows = try connection.run(
        "SELECT \(TableLayout.key), \(TableLayout.version) FROM \(table.sql) WHERE \(TableLayout.key) = ANY ($1) "
          + "ORDER BY \(TableLayout.key) FOR \(lock)", [.integers(keys)])
      for row in 0..<rows.rowCount {
        versions[table.root.hierarchy, default: [:]][rows.integer(row, 0)] = rows.integer(row, 1)
      }
    }
    return versions
  }

  /// Keeps others from changing the rows to delete and to update, and compares the versions of the rows to delete.
  private mutating func lockRows() throws {
    let deleted = try deletedKeys()
    let updated = strategy.updateLocks == .none || updateLocksItsRows ? [:] : try updatedKeys()
    let versions = try lock(deleted: deleted, updated: updated)
    var present: [ObjectKey] = []
    for deletion in changes.deletions {
      let entity = try layout.existingEntity(deletion.object.entity)
      let actual = versions[entity.hierarchy]?[deletion.object.key]
      // A row that somebody else has deleted is deleted.
      if let expected = deletion.version, expected != actual {
        addConflict(deletion.object, entity, expected: expected, actual: actual)
      } else if actual != nil {
        present.append(deletion.object)
      }
    }
    let tombstones = try Tombstone.texts(of: present, over: connection, layout)
    deletedRows = present.map { ($0, tombstones[$0]) }
  }

  private func deleteRows() throws {
    var deleted = byTable(try deletedKeys())
    if strategy.ordersByReference {
      let order = Self.hierarchiesByReference(layout)
      let places = Dictionary(order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      func place(_ table: TableLayout) -> Int { places[table.root.hierarchy] ?? 0 }
      deleted.sort { place($0.table) > place($1.table) }
    }
    for (table, keys) in deleted {
      _ = try connection.run(
        "DELETE FROM \(table.sql) WHERE \(TableLayout.key) = ANY ($1)", [.integers(keys)])
    }
  }

  // MARK: Updates

  private mutating func prepareUpdates() {
    result.updatedVersions = [Int64](repeating: 0, count: changes.updates.count)
    for update in changes.updates { writtenRows.insert(update.object) }
  }

  /// - Parameter indexes: the updates to write.
  private mutating func updateRows(_ indexes: [Int]) throws {
    var groups = RowGroups(layout, count: indexes.count) { [changes] place in
      let update = changes.updates[indexes[place]]
      return .init(
        key: update.object.key, version: update.version,
        shape: RowShape(entity: update.object.entity, columns: update.columns), source: update.source)
    }
    var locksRows = updateLocksItsRows
    var next = try groups.next()
    if locksRows, let next, next.indexes.count < indexes.count {
      // The values are too many for one statement, so one cannot lock all rows.
      _ = try lock(deleted: [:], updated: updatedKeys())
      locksRows = false
    }
    while let group = next {
      let versions: [Int64: Int64]
      let ownIndexes = group.indexes.map { indexes[$0] }
      (versions, next) = try update(group, places: ownIndexes, locksRows: locksRows) { try groups.next() }
      for index in ownIndexes {
        let update = changes.updates[index]
        if let version = versions[update.object.key] {
          result.updatedVersions[index] = version
        } else {
          let actual = try version(of: update.object.key, group.rows.table)
          addConflict(update.object, group.rows.entity, expected: update.version, actual: actual)
        }
      }
    }
  }

  /// Writes the rows of a group whose versions are as expected, and runs a closure while the server works.
  ///
  /// - Parameters:
  ///   - places: the place of each row in the change set, in whose order rows become members of an owner.
  ///   - locksRows: whether the rows are locked first, in the order of their keys.
  /// - Returns: the new versions by key, and the closure's value.
  mutating func update<Value>(
    _ group: RowGroups.Group, places: [Int], locksRows: Bool = false, while body: () throws -> Value
  ) throws -> (versions: [Int64: Int64], value: Value) {
    let rows = group.rows
    let unnested = rows.unnested(from: 3)
    var sets = zip(rows.written, unnested.values).map { "\($0.name) = \($1)" }
    noteUnordered(rows, places)
    for (ordered, position) in orderedColumns(of: rows) {
      // A changed key loses its place among the former owner's members.
      sets.append(
        "\(ordered.order) = CASE WHEN t.\(ordered.key) IS NOT DISTINCT FROM s.c\(position) THEN t.\(ordered.order) END")
    }
    let version = "\(TableLayout.version) = t.\(TableLayout.version)\(group.isCounted ? "" : " + 1")"
    let list = (["k", "v"] + unnested.names).joined(separator: ", ")
    let arrays = (["$1::bigint[]", "$2::bigint[]"] + unnested.arrays).joined(separator: ", ")
    let (key, table) = (TableLayout.key, rows.table.sql)
    let source = "unnest(\(arrays)) s(\(list))"
    // The update joins only what was locked. A join with the values, too, would compare each with each in a generic plan.
    let locked =
      "WITH s(\(list)) AS (SELECT s.* FROM \(source) JOIN \(table) r ON r.\(key) = s.k ORDER BY s.k FOR NO KEY UPDATE OF r) "
    let (found, value) = try connection.run(
      (locksRows ? locked : "") + "UPDATE \(table) t SET \((sets + [version]).joined(separator: ", ")) "
        + "FROM \(locksRows ? "s" : source) "
        + "WHERE t.\(key) = s.k AND (s.v IS NULL OR t.\(TableLayout.version) = s.v) "
        + "RETURNING t.\(key), t.\(TableLayout.version)",
      [rows.keys.parameter, rows.versions.parameter] + rows.parameters, while: body)
    var versions: [Int64: Int64] = [:]
    versions.reserveCapacity(found.rowCount)
    for row in 0..<found.rowCount { versions[found.integer(row, 0)] = found.integer(row, 1) }
    return (versions, value)
  }

  /// The written foreign keys with an order column beside them, with their positions among the written columns.
  func orderedColumns(of group: RowGroup) -> [(OrderedColumn, Int)] {
    group.columns.compactMap { selection in
      guard case .toOne(let toOne)? = try? layout.property(selection.propertyName, of: group.entity),
        let order = toOne.order, let position = group.written.firstIndex(where: { $0.name == toOne.key.name })
      else { return nil }
      return (OrderedColumn(hierarchy: group.entity.hierarchy, key: toOne.key.name, order: order), position)
    }
  }

  private func version(of key: Int64, _ table: TableLayout) throws -> Int64? {
    let rows = try connection.run(
      "SELECT \(TableLayout.version) FROM \(table.sql) WHERE \(TableLayout.key) = $1", [.integer(key)])
    return rows.rowCount == 0 ? nil : rows.integer(0, 0)
  }

  mutating func addConflict(_ object: ObjectKey, _ entity: StoreEntity, expected: Int64?, actual: Int64?) {
    conflicts.append(
      SaveError.Conflict(entityName: entity.name, object: object, expectedVersion: expected, actualVersion: actual))
  }
}
