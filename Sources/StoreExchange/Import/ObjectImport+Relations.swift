import CoreDataStore
import ManagedModel
import SQLite
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
        let destination = try layout.destination(of: relationship)
        let targets = try references.map { try context.target($0, of: destination, name) }
        try relate(relationship, targets, of: entry, &part, context)
      }
    }
  }

  private func relate(
    _ relationship: ToManyLayout, _ targets: [ImportContext.Target], of owner: ImportIndex.Entry,
    _ part: inout ImportPart, _ context: ImportContext
  ) throws {
    guard !targets.isEmpty || !owner.isNew else { return }
    let wanted = Set(targets.map(\.object.key))
    var former: Set<Int64> = []
    if !owner.isNew {
      former = Set(try context.members(relationship, of: owner.object.key, part))
    }
    let removed = former.subtracting(wanted).sorted()
    let name = relationship.description.name
    let members = targets.map { ChangeSet.Reference.existing($0.object) }
    let order = relationship.description.isOrdered && !targets.isEmpty ? members : nil
    let gone = removed.map {
      ChangeSet.Reference.existing(ObjectKey(entity: Int32(relationship.destinationNumber), key: $0))
    }
    let added = targets.filter { !former.contains($0.object.key) }
    try changeMembers(relationship, added, removed, of: owner, &part, context)
    if case .key(let side) = relationship.storage, !side.isVirtual {
      for target in targets where !target.isNew {
        try setInverse(relationship, side, of: target.object, to: owner.object, &part, context)
      }
      for key in removed {
        let member = ObjectKey(entity: Int32(relationship.destinationNumber), key: key)
        guard let object = try context.state.row(member) else { continue }
        try setInverse(relationship, side, of: object, to: nil, &part, context)
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

  /// Writes the key of an existing object, unless it has it already.
  private func setInverse(
    _ relationship: ToManyLayout, _ side: ToManyLayout.KeySide, of object: ObjectKey, to owner: ObjectKey?,
    _ part: inout ImportPart, _ context: ImportContext
  ) throws {
    guard let inverse = relationship.inverse else { return }
    try setKey(inverse.description.name, side.key, of: object, to: owner, &part, context)
  }

  /// Writes the other side of a one-to-one relationship if the file does not state it.
  private func relateBack(
    _ relationship: ToOneLayout, _ reference: ImportRecord.Reference?, of entry: ImportIndex.Entry, _ name: String,
    _ part: inout ImportPart, _ context: ImportContext
  ) throws {
    guard let inverse = relationship.inverse, inverse.description.maximumCount == 1 else { return }
    let destination = try layout.destination(of: relationship)
    guard case .toOne(let back)? = destination.property(named: inverse.description.name) else { return }
    let target = try reference.map { try context.target($0, of: destination, name) }
    if !entry.isNew {
      let former = try context.keys(of: destination, with: entry.object.key, in: back.key, part)
      for key in former where key != target?.object.key {
        guard let object = try context.state.row(ObjectKey(entity: Int32(destination.number), key: key)) else {
          continue
        }
        try setKey(inverse.description.name, back.key, of: object, to: nil, &part, context)
      }
    }
    guard let target, !target.isNew else { return }
    // Clears the relationship of its former owner.
    let entity = try layout.existingEntity(entry.object.entity)
    let others = try context.keys(of: entity, with: target.object.key, in: relationship.key, part)
    for key in others where key != entry.object.key {
      guard let object = try context.state.row(ObjectKey(entity: entry.object.entity, key: key)) else { continue }
      try setKey(name, relationship.key, of: object, to: nil, &part, context)
    }
    try setKey(name, relationship.key, of: entry.object, to: target.object, &part, context)
    try setKey(inverse.description.name, back.key, of: target.object, to: entry.object, &part, context)
  }

  private func setKey(
    _ property: String, _ column: Identifier, of object: ObjectKey, to value: ObjectKey?, _ part: inout ImportPart,
    _ context: ImportContext
  ) throws {
    let entity = try layout.existingEntity(object.entity)
    let place = ImportPart.KeyPlace(table: entity.table, column: column, key: object.key)
    let former = try part.foreignKeys[place] ?? context.state.key(in: column, of: object)
    guard former != value?.key else { return }
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
