import SQLite
import StoreRequests

extension SaveTransaction {
  /// Deletes rows, the pairs that contain them, and the virtual keys that refer to them.
  ///
  /// The caller clears the foreign keys that refer to deleted rows.
  mutating func deleteRows() throws {
    var shape: DeletionShape?
    for deletion in changes.deletions {
      if shape?.entity.number != Int(deletion.object.entity) {
        shape = try DeletionShape(layout.existingEntity(deletion.object.entity), connection)
      }
      guard let shape else { continue }
      let entity = shape.entity
      let actual = try version(of: deletion.object.key, shape.version)
      if let expected = deletion.version, actual != expected {
        try addConflict(deletion.object, entity, expected: expected)
        continue
      }
      // Another context or process has deleted the row and recorded the deletion.
      if actual == nil { continue }
      try history.willDelete(deletion.object, of: entity)
      try shape.delete.bind(deletion.object.key, at: 1)
      try shape.delete.run()
      try checkIsWritten(entity)
      for change in shape.changes { try run(change, deletion.object.key, of: entity) }
    }
  }

  /// What the deletions of one entity's rows share.
  private struct DeletionShape {
    let entity: EntityLayout
    let version: Statement
    let delete: Statement
    /// The changes of pairs and virtual keys, each with the deleted row's key.
    let changes: [RowChange]

    init(_ entity: EntityLayout, _ connection: Connection) throws {
      self.entity = entity
      version = try connection.statement(SaveStatement.version(entity))
      delete = try connection.statement(SaveStatement.delete(entity))
      changes = entity.properties.flatMap { property -> [RowChange] in
        guard case .toMany(let relationship) = property else { return [] }
        return switch relationship.storage {
        case .joinTable(let side): SaveStatement.deletePairs(side)
        case .key(let side): side.isVirtual ? [SaveStatement.clearVirtualKeys(side)] : []
        }
      }
    }
  }

  mutating func updateRows() throws {
    result.updatedVersions = [Int64](repeating: 0, count: changes.updates.count)
    var clashes: [SaveError.Clash] = []
    for index in changes.updates.indices {
      let update = changes.updates[index]
      do {
        try writeRow(before: changes.updates[(index + 1)...], changes.insertions.indices) { try $0.updateRow(index) }
      } catch SaveError.notUnique(let entity, let properties, _) {
        clashes.append(SaveError.Clash(entityName: entity, properties: properties, row: .update(update.object)))
        // The rows after it may take the values that this one would have given up.
        try freeUniqueValues(of: update.object, update.columns)
      }
    }
    // A row in conflict has kept its unique values, so other rows may clash with it only for now.
    if conflicts.isEmpty { try SaveError.refuse(clashes) }
  }

  /// Writes a row, and resolves clashes of its unique values with rows that this save overwrites later.
  ///
  /// After a clash the save clears the unique values of such rows and writes the row again. It first clears rows in
  /// this part of the save, then rows in later parts.
  mutating func writeRow(
    before updates: ArraySlice<ChangeSet.Update>, _ insertions: Range<Int>, _ write: (inout Self) throws -> Void
  ) throws {
    do {
      try write(&self)
    } catch SaveError.notUnique where !isUnwrittenFree {
      isUnwrittenFree = true
      files.undone()
      for update in updates { try freeUniqueValues(of: update.object, update.columns) }
      for index in insertions {
        guard case .overwrite = plan[index].action else { continue }
        try freeUniqueValues(of: plan[index].object, changes.insertions[index].columns)
      }
      try writeRow(before: updates, insertions, write)
    } catch let error as SaveError {
      guard case .notUnique = error, let freeLaterParts else { throw error }
      self.freeLaterParts = nil
      files.undone()
      try freeLaterParts { try freeUniqueValues(of: $0, $1, SaveStatement.free) }
      try write(&self)
    }
  }

  private func freeUniqueValues(
    of object: ObjectKey, _ selections: [ColumnSelection],
    _ statement: ([Identifier], EntityLayout) -> String = SaveStatement.clear
  ) throws {
    let entity = try layout.existingEntity(object.entity)
    let columns = UniquenessConstraint.columns(of: entity, among: selections, in: layout)
    if !columns.isEmpty { try run(statement(columns, entity), object.key) }
  }

  private mutating func updateRow(_ index: Int) throws {
    let update = changes.updates[index]
    let entity = try layout.existingEntity(update.object.entity)
    let overwritten = overwrites.ofRows[update.object] ?? []
    let columns =
      overwritten.isEmpty ? update.columns : update.columns.filter { !overwritten.contains($0.propertyName) }
    // Several parts of a save may update one row: its version still grows once.
    let isFirst = givenKeys == nil || !updatedRows.contains(update.object)
    let properties = overwritten.isEmpty ? update.changedProperties : update.changedProperties + overwritten
    guard isFirst || !columns.isEmpty else { return history.updated(update.object, of: entity, properties: properties) }
    let (write, statement) = try self.statement(
      .update(bumpsVersion: isFirst, checksVersion: update.version != nil), entity, columns)
    try statement.bind(update.object.key, at: write.keyIndex)
    if let version = update.version { try statement.bind(version, at: write.versionIndex) }
    try bind(update.source, columns, to: statement, width: write.width, entity: entity)
    let destinations = try destinationEntities(of: update.object, entity, write.entityColumns)
    try self.write(statement, entity: entity)
    guard connection.changes > 0 else {
      let actual = try self.version(of: update.object.key, entity)
      // The row is as expected, and yet the statement did not write it.
      if let actual, actual == update.version ?? actual, try hasNumber(update.object.key, entity) {
        throw SaveError.ignored(entity: entity.name)
      }
      return try addConflict(update.object, entity, expected: update.version)
    }
    // The save notes the update only now, because it repeats an update that clashed.
    updatedRows.insert(update.object)
    if !write.orderedKeys.isEmpty { unordered.add(write.orderedKeys, key: update.object.key) }
    // History records one change of the row: it includes the values that insertions write over the updated row.
    history.updated(update.object, of: entity, properties: properties)
    try recordDestinationEntities(of: update.object, entity, write.entityColumns, before: destinations)
    let version = try update.version.map { $0 &+ 1 } ?? self.version(of: update.object.key, entity) ?? 0
    // Only a damaged store has such a version. SQLite would continue with a rounded number.
    guard version > Int64.min, version < Int64.max else { throw DamagedCounter.outOfVersions(entity: entity.name) }
    result.updatedVersions[index] = version
  }

  /// Whether `Z_OPT` of a row is a number. A text, which only a damaged store has, reads as 0, and equals no version.
  private func hasNumber(_ key: Int64, _ entity: EntityLayout) throws -> Bool {
    let statement = try connection.statement(SaveStatement.version(entity))
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    return try statement.step() && [.integer, .real].contains(statement.type(0))
  }

  /// Returns the entity of each written foreign key of a row, for the keys that have an entity column (CD-7).
  ///
  /// The list is empty if the save records no history.
  func destinationEntities(
    of object: ObjectKey, _ entity: EntityLayout, _ columns: [WriteStatement.EntityColumn]
  ) throws -> [(relationship: String, number: Int64?)] {
    guard history.isRecording, !columns.isEmpty else { return [] }
    let statement = try connection.statement(SaveStatement.read(columns.map(\.name), of: entity))
    defer { statement.reset() }
    try statement.bind(object.key, at: 1)
    guard try statement.step() else { return [] }
    return columns.indices.map {
      (columns[$0].relationship, statement.isNull($0) ? nil : statement.integer($0))
    }
  }

  /// Sets the bits of a row's entity columns that the update changed.
  ///
  /// An entity column changes if the key refers to an object of another entity than before, if the key becomes
  /// `NULL`, or if it was `NULL` before.
  mutating func recordDestinationEntities(
    of object: ObjectKey, _ entity: EntityLayout, _ columns: [WriteStatement.EntityColumn],
    before: [(relationship: String, number: Int64?)]
  ) throws {
    guard !before.isEmpty, history.isUpdated(object) else { return }
    let after = try destinationEntities(of: object, entity, columns)
    let changed = zip(before, after).filter { $0.number != $1.number }.map { $0.0.relationship }
    if !changed.isEmpty {
      history.updated(object, of: entity, slots: changed.map { .entityColumn($0) })
    }
  }

  private mutating func addConflict(_ object: ObjectKey, _ entity: EntityLayout, expected: Int64?) throws {
    conflicts.append(
      SaveError.Conflict(
        entityName: entity.name, object: object, expectedVersion: expected,
        actualVersion: try version(of: object.key, entity)))
  }
}
