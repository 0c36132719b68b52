package import ManagedModel

/// The changed links of rows that are kept in place of their duplicates, collected as one part of a save.
package struct RedirectedLinks {
  private var updates: [ObjectKey: Update] = [:]
  private var additions: [ChangeSet.RelationshipChange] = []

  private struct Update {
    /// The members of an ordered relationship keep their order, so the updates have to keep theirs.
    let place: Int
    var values: [String: ObjectKey?] = [:]
    var names: Set<String> = []
  }

  package init() {}

  package var isEmpty: Bool { updates.isEmpty && additions.isEmpty }

  /// Sets the destination of a to-one relationship, or clears it.
  ///
  /// A row that referred to one of its own duplicates would lead to itself. Its reference becomes NULL, unless it is required.
  package mutating func set(_ toOne: RelationshipDescription, of object: ObjectKey, to destination: ObjectKey?) {
    let isCleared = object == destination && toOne.isOptional
    note(toOne.name, of: object)
    updates[object]?.values[toOne.name] = .some(isCleared ? nil : destination)
  }

  /// Records that a property has changed, for the history.
  package mutating func note(_ property: String, of object: ObjectKey) {
    let place = updates.count
    updates[object, default: Update(place: place)].names.insert(property)
  }

  package mutating func add(_ members: [ObjectKey], to relationship: String, of owner: ObjectKey) {
    guard !members.isEmpty else { return }
    note(relationship, of: owner)
    additions.append(
      ChangeSet.RelationshipChange(
        owner: .existing(owner), relationship: relationship, added: members.map { .existing($0) }))
  }

  /// The links as changes of a save, in the order in which they were collected.
  ///
  /// - Parameter name: gives the name of the entity with a number.
  package func changes(naming name: (_ entity: Int32) throws -> String) rethrows -> ChangeSet {
    var changes = ChangeSet()
    changes.updates = try updates.sorted { $0.value.place < $1.value.place }.map {
      object, change in
      let entity = try name(object.entity)
      return ChangeSet.Update(
        object: object, version: nil,
        columns: change.values.keys.sorted().map { ColumnSelection(entityName: entity, propertyName: $0) },
        changedProperties: change.names.sorted(),
        source: StoreValuesRow(change.values.mapValues { .object($0) }))
    }
    changes.relationshipChanges = additions
    return changes
  }
}
