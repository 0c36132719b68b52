extension RecordedPart {
  /// The reason why a part cannot be made again.
  package enum Obstacle: Error, Sendable, Hashable {
    case batches
    case changedEntity(String)
    case invalid
  }

  /// The part as changes of the store as it is now.
  ///
  /// Nothing of the record is trusted: the save checks every value against the type of its column.
  /// - Throws: ``Obstacle``
  package func changes(in table: EntityTable) throws -> ChangeSet {
    guard hasBatches == 0 else { throw Obstacle.batches }
    var changes = ChangeSet()
    (changes.author, changes.contextName, changes.duplicates) = (author, contextName, .fail)
    let known = try entities.map { entity in
      guard let found = table.entity(named: entity.name), found.shape == entity.shape else {
        throw Obstacle.changedEntity(entity.name)
      }
      return found
    }
    let rows = insertions.map { _ in StoreValuesRow() }
    func entity(of object: Object) throws -> StoreEntity {
      guard let place = Int(exactly: object.entity), known.indices.contains(place) else { throw Obstacle.invalid }
      return known[place]
    }
    func key(_ object: Object) throws -> ObjectKey {
      guard object.insertion == nil else { throw Obstacle.invalid }
      return ObjectKey(entity: try entity(of: object).number, key: object.key)
    }
    func insertion(_ object: Object) throws -> Int? {
      guard let place = object.insertion else { return nil }
      guard let place = Int(exactly: place), rows.indices.contains(place) else { throw Obstacle.invalid }
      return place
    }
    func reference(_ object: Object) throws -> ChangeSet.Reference {
      try insertion(object).map { .inserted($0) } ?? .existing(try key(object))
    }
    /// Fills a row; returns its columns.
    func fill(_ row: StoreValuesRow, _ recorded: Row) throws -> [ColumnSelection] {
      let own = try entity(of: recorded.object)
      return try recorded.columns.map { column in
        switch (own.property(named: column.name), column.values, column.object) {
        case (.attribute(let attribute), let values?, nil) where values.count == attribute.leaves.count:
          row.contents[column.name] = .values(values)
        case (.toOne(let relationship), nil, let object):
          if let object {
            let isRight = table.isKind(try entity(of: object).number, of: relationship.destinationNumber)
            guard isRight else { throw Obstacle.invalid }
          }
          row.contents[column.name] =
            try object.map { object in
              if let place = try insertion(object) { return .row(rows[place]) }
              return .object(try key(object))
            } ?? .object(nil)
        default: throw Obstacle.invalid
        }
        return ColumnSelection(entityName: own.name, propertyName: column.name)
      }
    }
    for (row, recorded) in zip(rows, insertions) {
      changes.insertions.append(
        .init(entity: try entity(of: recorded.object).number, columns: try fill(row, recorded), source: row))
    }
    for recorded in updates {
      let row = StoreValuesRow()
      let columns = try fill(row, recorded)
      guard let version = recorded.object.version else { throw Obstacle.invalid }
      changes.updates.append(
        .init(
          object: try key(recorded.object), version: version, columns: columns,
          changedProperties: recorded.changedProperties, source: row))
    }
    changes.deletions = try deletions.map { .init(object: try key($0), version: $0.version) }
    changes.relationshipChanges = try links.map { link in
      .init(
        owner: try reference(link.owner), relationship: link.relationship, added: try link.added.map(reference),
        removed: try link.removed.map(reference), order: try link.order?.map(reference))
    }
    return changes
  }
}
