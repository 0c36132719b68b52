import CoreDataStore
import ErrorReporting
import ManagedModel
import StoreRequests

/// Resolves the references of a file to objects of the file or of the store.
final class ImportContext {
  let state: StoreTransaction
  let index: ImportIndex
  var entities: EntityTable { state.entities }
  let storeIdentifier: String
  /// Whether unique foreign keys that later lines overwrite are negated; see ``PartialSave/freeLaterParts``.
  var isFreed = false

  init(state: StoreTransaction, index: ImportIndex, storeIdentifier: String) {
    self.state = state
    self.index = index
    self.storeIdentifier = storeIdentifier
  }

  /// The row of a reference.
  struct Target {
    let object: ObjectKey
    /// Whether the import makes the row. Then the file has all of its values.
    let isNew: Bool
  }

  /// - Throws: ``ImportFault`` if the reference leads to no object, or to an object of another entity.
  func target(_ reference: ImportRecord.Reference, of destination: StoreEntity, _ name: String) throws -> Target {
    guard let target = try target(label: reference.label) else {
      throw ImportFault(
        "relationship \(quoted(name)) leads to \(quoted(reference.label)), which is neither in the file nor in the store",
        "add the object, or leave it out of the relationship", at: reference.offset)
    }
    guard destination.kindNumbers.contains(target.object.entity) else {
      let entity = entities.entity(numbered: target.object.entity)?.name ?? ""
      throw ImportFault(
        "relationship \(quoted(name)) leads to objects of entity \(quoted(destination.name)), and"
          + " \(quoted(reference.label)) is of entity \(quoted(entity))",
        "correct the identifier", at: reference.offset)
    }
    return target
  }

  func target(label: String) throws -> Target? {
    if let entry = try index.entry(label: label) { return Target(object: entry.object, isNew: entry.isNew) }
    return try existing(label).map { Target(object: $0, isNew: false) }
  }

  // MARK: Foreign keys as the lines before have left them

  /// The foreign key of a relationship in a row; `nil` for `NULL`, or if the row does not exist.
  func key(of relationship: ColumnSelection, in object: ObjectKey, _ part: ImportPart) throws -> Int64? {
    if let key = part.foreignKeys[.init(relationship: relationship, key: object.key)] { return key }
    let key = try state.key(of: relationship, in: object)
    return isFreed ? key.map { $0 < 0 ? 0 &- $0 : $0 } : key
  }

  /// The rows of an entity's hierarchy with a foreign key of a relationship.
  func keys(
    of entity: StoreEntity, with key: Int64, of relationship: ColumnSelection, _ part: ImportPart
  ) throws -> [Int64] {
    var keys = try state.keys(of: entity, with: key, of: relationship)
    if isFreed { keys += try state.keys(of: entity, with: 0 &- key, of: relationship) }
    return part.corrected(keys, with: key, of: relationship)
  }

  /// The members of an owner.
  func members(_ relationship: StoreRelationship, of owner: ObjectKey, _ part: ImportPart) throws -> [Int64] {
    let entity = try entities.existingEntity(owner.entity)
    let members = try state.members(
      of: ColumnSelection(entityName: entity.name, propertyName: relationship.description.name))
    var keys = try state.objects(members, of: owner.key).map(\.key)
    guard let property = relationship.keyProperty else { return keys }
    if isFreed { keys += try state.objects(members, of: 0 &- owner.key).map(\.key) }
    return part.corrected(keys, with: owner.key, of: property)
  }

  /// The row of an identifier; `nil` if the store lacks it.
  func existing(_ label: String) throws -> ObjectKey? {
    guard let (name, store) = ObjectName.parse(label), store == nil || store == storeIdentifier,
      let entity = entities.entity(named: name.entity)
    else { return nil }
    guard let row = try state.row(ObjectKey(entity: entity.number, key: name.key)),
      entity.kindNumbers.contains(row.entity)
    else { return nil }
    return row
  }
}
