import PostgreSQL
import StoreRequests

// The server names the constraint that a save violates, and not the rows.
extension ServerStore {
  /// Adds the updated rows that violate a uniqueness constraint to the server's error. Returns the error unchanged if no
  /// row is found, because other programs have changed rows since. Cost: two queries for each constraint with updated
  /// values.
  func namingClashes(_ error: any Error, _ changes: ChangeSet) -> any Error {
    guard case SaveError.notUnique(let entity, let properties, _) = error, !changes.updates.isEmpty, !pool.isLending,
      let clashes = try? pool.reading({ connection in
        var updates = changes
        updates.insertions = []
        updates.duplicates = .fail
        var resolver = try UniquenessResolver(
          updates, connection: connection, layout: layout,
          strategy: SaveStrategy(locksOverwritten: false, updateLocks: .none, locksUniqueValues: false))
        return try resolver.clashesOfUpdates()
      })
    else { return error }
    return SaveError.notUnique(
      entity: clashes.first?.entityName ?? entity, properties: clashes.first?.properties ?? properties, clashes: clashes
    )
  }
}

extension UniquenessResolver {
  /// The updates after which two rows would have the values of a constraint; of two updates the second one.
  mutating func clashesOfUpdates() throws -> [SaveError.Clash] {
    let wanted = try updatedRows()
    for (_, group) in Dictionary(grouping: wanted, by: \.constraint.name) {
      if let constraint = group.first?.constraint { try findStored(constraint, group.map(\.values)) }
    }
    var seen: Set<UniqueValues> = []
    return wanted.compactMap { row in
      let isTaken = stored(row.values, row.constraint).map { $0.object != row.object } ?? false
      guard !seen.insert(row.values).inserted || isTaken else { return nil }
      return SaveError.Clash(
        entityName: row.entityName, properties: row.constraint.properties, row: .update(row.object))
    }
  }
}
