import PostgreSQL
import StoreRequests

// The server names the constraint that a save violates, and not the rows.
extension ServerStore {
  /// The error of a violated uniqueness constraint with the updated rows that violate one; the error as it is if they cannot be found,
  /// because other programs have changed rows since. Cost: a query for each update of unique values.
  func namingClashes(_ error: any Error, _ changes: ChangeSet) -> any Error {
    guard case SaveError.notUnique(let entity, let properties, _) = error, !changes.updates.isEmpty, !pool.isLending,
      let clashes = try? pool.reading({ connection in
        var updates = changes
        updates.insertions = []
        updates.duplicates = .fail
        var resolver = try UniquenessResolver(updates, connection: connection, layout: layout)
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
    var wanted: [(update: ObjectKey, entity: String, constraint: UniqueConstraint, values: UniqueValues)] = []
    for update in changes.updates where !update.columns.isEmpty {
      let entity = try layout.existingEntity(update.object.entity)
      let changed = Set(update.columns.map(\.propertyName))
      for constraint in constraints(of: entity) where !changed.isDisjoint(with: constraint.properties) {
        guard let (values, _) = try newValues(of: update, entity, constraint) else { continue }
        wanted.append((update.object, entity.name, constraint, values))
      }
    }
    for (_, group) in Dictionary(grouping: wanted, by: \.constraint.name) {
      if let constraint = group.first?.constraint { try findStored(constraint, group.map(\.values)) }
    }
    var seen: Set<UniqueValues> = []
    return wanted.compactMap { update, entity, constraint, values in
      let isTaken = stored(values, constraint).map { $0.object != update } ?? false
      guard !seen.insert(values).inserted || isTaken else { return nil }
      return SaveError.Clash(entityName: entity, properties: constraint.properties, row: .update(update))
    }
  }
}
