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
    let repetition = try Repetition(of: self, in: table)
    var changes = ChangeSet()
    (changes.author, changes.contextName, changes.duplicates) = (author, contextName, .fail)
    changes.insertions = try zip(repetition.rows, insertions).map { row, recorded in
      .init(
        entity: try repetition.entity(of: recorded.object).number, columns: try repetition.fill(row, recorded),
        source: row)
    }
    changes.updates = try updates.map { recorded in
      let row = StoreValuesRow()
      let columns = try repetition.fill(row, recorded)
      guard let version = recorded.object.version else { throw Obstacle.invalid }
      return .init(
        object: try repetition.key(recorded.object), version: version, columns: columns,
        changedProperties: recorded.changedProperties, source: row)
    }
    changes.deletions = try deletions.map { .init(object: try repetition.key($0), version: $0.version) }
    changes.relationshipChanges = try links.map { link in
      .init(
        owner: try repetition.reference(link.owner), relationship: link.relationship,
        added: try link.added.map(repetition.reference), removed: try link.removed.map(repetition.reference),
        order: try link.order?.map(repetition.reference))
    }
    return changes
  }
}

/// The objects of a record as entities, keys and new rows of a store.
private struct Repetition {
  typealias Obstacle = RecordedPart.Obstacle

  let table: EntityTable
  /// The store's entities, at the places of the record's entities.
  private let known: [StoreEntity]
  /// One row for each insertion of the record.
  let rows: [StoreValuesRow]

  init(of part: RecordedPart, in table: EntityTable) throws {
    self.table = table
    known = try part.entities.map { entity in
      guard let found = table.entity(named: entity.name), found.shape == entity.shape else {
        throw Obstacle.changedEntity(entity.name)
      }
      return found
    }
    rows = part.insertions.map { _ in StoreValuesRow() }
  }

  func entity(of object: RecordedPart.Object) throws -> StoreEntity {
    guard let place = Int(exactly: object.entity), known.indices.contains(place) else { throw Obstacle.invalid }
    return known[place]
  }

  /// The key of an object that has a row.
  func key(_ object: RecordedPart.Object) throws -> ObjectKey {
    guard object.insertion == nil else { throw Obstacle.invalid }
    return ObjectKey(entity: try entity(of: object).number, key: object.key)
  }

  func reference(_ object: RecordedPart.Object) throws -> ChangeSet.Reference {
    try insertion(object).map { .inserted($0) } ?? .existing(try key(object))
  }

  /// The place of an object's insertion; `nil` if the object has a row.
  private func insertion(_ object: RecordedPart.Object) throws -> Int? {
    guard let place = object.insertion else { return nil }
    guard let place = Int(exactly: place), rows.indices.contains(place) else { throw Obstacle.invalid }
    return place
  }

  /// Fills a row; returns its columns.
  func fill(_ row: StoreValuesRow, _ recorded: RecordedPart.Row) throws -> [ColumnSelection] {
    let own = try entity(of: recorded.object)
    return try recorded.columns.map { column in
      switch (own.property(named: column.name), column.values, column.object) {
      case (.attribute(let attribute), let values?, nil) where values.count == attribute.leaves.count:
        row.contents[column.name] = .values(values)
      case (.toOne(let relationship), nil, let object):
        row.contents[column.name] = try content(object, of: relationship)
      default: throw Obstacle.invalid
      }
      return ColumnSelection(entityName: own.name, propertyName: column.name)
    }
  }

  private func content(
    _ object: RecordedPart.Object?, of relationship: StoreRelationship
  ) throws -> StoreValuesRow.Content {
    guard let object else { return .object(nil) }
    guard table.isKind(try entity(of: object).number, of: relationship.destinationNumber) else {
      throw Obstacle.invalid
    }
    if let place = try insertion(object) { return .row(rows[place]) }
    return .object(try key(object))
  }
}
