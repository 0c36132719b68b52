import CoreDataStore
import ErrorReporting
import ManagedModel
import SQLite
import StoreRequests

/// Resolves the references of a file to objects of the file or of the store.
final class ImportContext {
  let state: StoreTransaction
  let index: ImportIndex
  var layout: StoreLayout { state.layout }
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
  func target(_ reference: ImportRecord.Reference, of destination: EntityLayout, _ name: String) throws -> Target {
    guard let target = try target(label: reference.label) else {
      throw ImportFault(
        "relationship \(quoted(name)) leads to \(quoted(reference.label)), which is neither in the file nor in the store",
        "add the object, or leave it out of the relationship", at: reference.offset)
    }
    guard destination.includes(Int(target.object.entity)) else {
      let entity = layout.entity(numbered: Int(target.object.entity))?.name ?? ""
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

  /// The key in a column of a row; `nil` for `NULL`, or if the row does not exist.
  func key(in column: Identifier, of object: ObjectKey, _ part: ImportPart) throws -> Int64? {
    let table = try layout.existingEntity(object.entity).table
    if let key = part.foreignKeys[.init(table: table, column: column, key: object.key)] { return key }
    let key = try state.key(in: column, of: object)
    return isFreed ? key.map { $0 < 0 ? 0 &- $0 : $0 } : key
  }

  /// The rows of an entity's table with a key in a column.
  func keys(of entity: EntityLayout, with key: Int64, in column: Identifier, _ part: ImportPart) throws -> [Int64] {
    var keys = try state.keys(of: entity, with: key, in: column)
    if isFreed { keys += try state.keys(of: entity, with: 0 &- key, in: column) }
    return part.corrected(keys, with: key, in: column, of: entity.table)
  }

  /// The members of an owner.
  func members(_ relationship: ToManyLayout, of owner: Int64, _ part: ImportPart) throws -> [Int64] {
    let members = try state.members(of: relationship)
    var keys = try state.objects(members, of: owner).map(\.key)
    guard case .key(let side) = relationship.storage else { return keys }
    if isFreed { keys += try state.objects(members, of: 0 &- owner).map(\.key) }
    return part.corrected(keys, with: owner, in: side.key, of: side.table)
  }

  /// The row of an identifier; `nil` if the store lacks it.
  func existing(_ label: String) throws -> ObjectKey? {
    guard let (name, store) = ObjectName.parse(label), store == nil || store == storeIdentifier,
      let entity = layout.entity(named: name.entity)
    else { return nil }
    guard let row = try state.row(ObjectKey(entity: Int32(entity.number), key: name.key)),
      entity.includes(Int(row.entity))
    else { return nil }
    return row
  }
}
