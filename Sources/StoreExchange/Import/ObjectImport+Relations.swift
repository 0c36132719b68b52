import CoreDataStore
import ManagedModel
import StoreRequests

extension ObjectImport {
  /// The third reading: writes to-many relationships, their order, and the other sides in objects of the store.
  func relate(_ record: ImportRecord, _ part: inout ImportPart, _ context: ImportContext) throws {
    guard let entry = try context.index.entry(line: record.line) else { return }
    for (name, field) in record.fields {
      switch field {
      case .attribute: break
      case .toOne(let relationship, let reference, _):
        try relateBack(relationship, reference, of: entry, name, &part, context)
      case .toMany(let relationship, let references, _):
        let destination = try entities.existingEntity(relationship.destinationName)
        let targets = try references.map { try context.target($0, of: destination, name) }
        try relate(relationship, targets, of: entry, &part, context)
      }
    }
  }

  private func relate(
    _ relationship: StoreRelationship, _ targets: [ImportContext.Target], of owner: ImportIndex.Entry,
    _ part: inout ImportPart, _ context: ImportContext
  ) throws {
    guard !targets.isEmpty || !owner.isNew else { return }
    let wanted = Set(targets.map(\.object.key))
    var former: Set<Int64> = []
    if !owner.isNew {
      former = Set(try context.members(relationship, of: owner.object, part))
    }
    let removed = former.subtracting(wanted).sorted()
    let name = relationship.description.name
    let members = targets.map { ChangeSet.Reference.existing($0.object) }
    let order = relationship.description.isOrdered && !targets.isEmpty ? members : nil
    let gone = removed.map {
      ChangeSet.Reference.existing(ObjectKey(entity: relationship.destinationNumber, key: $0))
    }
    let added = targets.filter { !former.contains($0.object.key) }
    try changeMembers(relationship, added, removed, of: owner, &part, context)
    if let key = relationship.keyProperty, !relationship.hasOwnersWithoutProperty {
      for target in targets where !target.isNew {
        try setKey(key, of: target.object, to: owner.object, line: owner.line, &part, context)
      }
      for row in removed {
        let member = ObjectKey(entity: relationship.destinationNumber, key: row)
        guard let object = try context.state.row(member) else { continue }
        try setKey(key, of: object, to: nil, line: owner.line, &part, context)
      }
      guard order != nil else { return }
      part.changes.relationshipChanges.append(
        ChangeSet.RelationshipChange(owner: .existing(owner.object), relationship: name, order: order))
    } else {
      part.changes.relationshipChanges.append(
        ChangeSet.RelationshipChange(
          owner: .existing(owner.object), relationship: name, added: members, removed: gone, order: order))
    }
  }

  /// Writes the other side of a one-to-one relationship if the file does not state it.
  private func relateBack(
    _ relationship: StoreRelationship, _ reference: ImportRecord.Reference?, of entry: ImportIndex.Entry,
    _ name: String, _ part: inout ImportPart, _ context: ImportContext
  ) throws {
    guard let inverse = relationship.inverse, inverse.maximumCount == 1 else { return }
    let destination = try entities.existingEntity(relationship.destinationName)
    guard case .toOne(let inverse)? = destination.property(named: inverse.name), let back = inverse.keyProperty,
      let key = relationship.keyProperty
    else { return }
    let target = try reference.map { try context.target($0, of: destination, name) }
    if !entry.isNew {
      let former = try context.keys(of: destination, with: entry.object.key, of: back, part)
      for row in former where row != target?.object.key {
        guard let object = try context.state.row(ObjectKey(entity: destination.number, key: row)) else {
          continue
        }
        try setKey(back, of: object, to: nil, line: entry.line, &part, context)
      }
    }
    guard let target, !target.isNew else { return }
    // Clears the relationship of its former owner.
    let entity = try entities.existingEntity(entry.object.entity)
    let others = try context.keys(of: entity, with: target.object.key, of: key, part)
    for row in others where row != entry.object.key {
      guard let object = try context.state.row(ObjectKey(entity: entry.object.entity, key: row)) else { continue }
      try setKey(key, of: object, to: nil, line: entry.line, &part, context)
    }
    try setKey(key, of: entry.object, to: target.object, line: entry.line, &part, context)
    try setKey(back, of: target.object, to: entry.object, line: entry.line, &part, context)
  }

  /// Writes the key of an existing object, unless it has it already.
  private func setKey(
    _ relationship: ColumnSelection, of object: ObjectKey, to value: ObjectKey?, line: Int,
    _ part: inout ImportPart, _ context: ImportContext
  ) throws {
    let entity = try entities.existingEntity(object.entity)
    let property = relationship.propertyName
    let place = ImportPart.KeyPlace(relationship: relationship, key: object.key)
    let former = try part.foreignKeys[place] ?? context.state.key(of: relationship, in: object)
    guard former != value?.key else { return }
    if value == nil { try noteEmptied(property, of: object, in: entity, line: line, context) }
    part.foreignKeys.updateValue(value?.key, forKey: place)
    let row = StoreValuesRow(isChecked: false)
    row.contents[property] = .object(value)
    part.changes.updates.append(
      ChangeSet.Update(
        object: object, version: nil,
        columns: [ColumnSelection(entityName: entity.name, propertyName: property)], changedProperties: [property],
        source: row))
  }
}
