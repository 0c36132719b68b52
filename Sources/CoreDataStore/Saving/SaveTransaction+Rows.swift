import SQLite

extension SaveTransaction {
  /// Removes rows, the pairs they are in, and the virtual keys that lead to them; foreign keys to them are the caller's.
  mutating func deleteRows() throws {
    for deletion in changes.deletions {
      let entity = try layout.existingEntity(deletion.object.entity)
      let actual = try version(of: deletion.object.key, entity)
      if let expected = deletion.version, actual != expected {
        try addConflict(deletion.object, entity, expected: expected)
        continue
      }
      // Somebody else has deleted it, and recorded that.
      if actual == nil { continue }
      try history.willDelete(deletion.object, of: entity, keys: &keys)
      try run(SaveStatement.delete(entity), deletion.object.key)
      for case .toMany(let relationship) in entity.properties {
        switch relationship.storage {
        case .joinTable(let side):
          for sql in SaveStatement.deletePairs(side) { try run(sql, deletion.object.key) }
        case .key(let side) where side.isVirtual:
          try run(SaveStatement.clearVirtualKeys(side), deletion.object.key)
        case .key: break
        }
      }
    }
  }

  mutating func updateRows() throws {
    result.updatedVersions = [Int64](repeating: 0, count: changes.updates.count)
    let overwritten = overwrittenProperties()
    // Rows that take one another's unique values are in each other's way only until all are written.
    var blocked: [Int] = []
    for index in changes.updates.indices {
      do { try updateRow(index, overwritten) } catch SaveError.notUnique { blocked.append(index) }
    }
    for index in blocked { try freeUniqueValues(of: changes.updates[index]) }
    for index in blocked { try updateRow(index, overwritten) }
  }

  /// What insertions that become one with updated rows will write over them: it is part of the one change that is recorded.
  private func overwrittenProperties() -> [ObjectKey: [String]] {
    var properties: [ObjectKey: [String]] = [:]
    for (insertion, planned) in zip(changes.insertions, plan) {
      guard case .overwrite(isCounted: true) = planned.action else { continue }
      properties[planned.object, default: []] += insertion.columns.map(\.propertyName)
    }
    return properties
  }

  private mutating func updateRow(_ index: Int, _ overwritten: [ObjectKey: [String]]) throws {
    let update = changes.updates[index]
    let entity = try layout.existingEntity(update.object.entity)
    let (write, statement) = try self.statement(
      .update(bumpsVersion: true, checksVersion: update.version != nil), entity, update.columns)
    try statement.bind(update.object.key, at: write.keyIndex)
    if let version = update.version { try statement.bind(version, at: write.versionIndex) }
    try bind(update.source, update.columns, to: statement, width: write.width, entity: entity)
    try self.write(statement, entity: entity)
    guard connection.changes > 0 else { return try addConflict(update.object, entity, expected: update.version) }
    if !write.orderedKeys.isEmpty { unordered.add(write.orderedKeys, key: update.object.key) }
    let properties = update.changedProperties + (overwritten[update.object] ?? [])
    try history.updated(update.object, of: entity, properties: properties, keys: &keys)
    let version = try update.version.map { $0 &+ 1 } ?? self.version(of: update.object.key, entity) ?? 0
    // Only a damaged store gets so far, where SQLite would go on with a rounded number.
    guard version > Int64.min, version < Int64.max else { throw SaveError.outOfVersions(entity: entity.name) }
    result.updatedVersions[index] = version
  }

  /// Takes the unique values that a row is about to change out of it, so that another row can have them.
  private func freeUniqueValues(of update: ChangeSet.Update) throws {
    let entity = try layout.existingEntity(update.object.entity)
    let columns = UniquenessConstraint.columns(of: entity, among: update.columns, in: layout)
    if !columns.isEmpty { try run(SaveStatement.clear(columns, of: entity), update.object.key) }
  }

  private mutating func addConflict(_ object: ObjectKey, _ entity: EntityLayout, expected: Int64?) throws {
    conflicts.append(
      SaveError.Conflict(
        entityName: entity.name, object: object, expectedVersion: expected,
        actualVersion: try version(of: object.key, entity)))
  }
}
