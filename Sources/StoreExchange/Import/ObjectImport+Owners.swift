import CoreDataStore
import ManagedModel
import StoreRequests

/// Changes of objects that a line relates to its own object, although they have no line: the other sides of
/// relationships.
extension ObjectImport {
  /// The former and the new object at the other end of a to-one relationship that a line sets.
  func changeOwners(
    _ relationship: StoreRelationship, _ target: ImportContext.Target?, of entry: ImportIndex.Entry,
    _ part: inout ImportPart, _ context: ImportContext
  ) throws {
    guard let inverse = relationship.inverse, inverse.isToMany, let key = relationship.keyProperty else { return }
    let former = entry.isNew ? nil : try context.key(of: key, in: entry.object, part)
    guard former != target?.object.key else { return }
    if let target { try change(inverse.name, of: target, line: entry.line, &part, context) }
    if let former {
      try changeFormer(
        inverse.name, ObjectKey(entity: relationship.destinationNumber, key: former), line: entry.line, &part,
        context)
    }
  }

  /// The objects that a to-many relationship gains and loses, and their former owners.
  func changeMembers(
    _ relationship: StoreRelationship, _ added: [ImportContext.Target], _ removed: [Int64], of owner: ImportIndex.Entry,
    _ part: inout ImportPart, _ context: ImportContext
  ) throws {
    for target in added { try note(target.object, line: owner.line, context) }
    let lost = removed.map { ObjectKey(entity: relationship.destinationNumber, key: $0) }
    if let key = relationship.keyProperty {
      for object in lost { try note(object, line: owner.line, context) }
      for target in added where !target.isNew {
        let former = try context.key(of: key, in: target.object, part)
        guard let former, former != owner.object.key else { continue }
        try changeFormer(
          relationship.description.name, ObjectKey(entity: owner.object.entity, key: former), line: owner.line, &part,
          context)
      }
    } else if let inverse = relationship.inverse {
      for target in added { try change(inverse.name, of: target, line: owner.line, &part, context) }
      for object in lost { try changeFormer(inverse.name, object, line: owner.line, &part, context) }
    }
  }

  private func change(
    _ property: String, of target: ImportContext.Target, line: Int, _ part: inout ImportPart, _ context: ImportContext
  ) throws {
    try note(target.object, line: line, context)
    if !target.isNew { part.change(property, of: target.object) }
  }

  private func changeFormer(
    _ property: String, _ object: ObjectKey, line: Int, _ part: inout ImportPart, _ context: ImportContext
  ) throws {
    // A key in a real store may refer to no row.
    guard let object = try context.state.row(object) else { return }
    try note(object, line: line, context)
    part.change(property, of: object)
  }
}

extension ImportPart {
  /// Records that an object has changed although none of its columns is written.
  fileprivate mutating func change(_ property: String, of object: ObjectKey) {
    guard touched.insert(Touch(object: object, property: property)).inserted else { return }
    changes.updates.append(
      ChangeSet.Update(
        object: object, version: nil, columns: [], changedProperties: [property], source: StoreValuesRow()))
  }
}
