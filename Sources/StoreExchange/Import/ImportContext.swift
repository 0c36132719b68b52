import CoreDataStore
import ErrorReporting
import ManagedModel
import SQLite
import StoreRequests

/// Resolves the references of a file to objects of the file or of the store.
struct ImportContext {
  let state: StoreTransaction
  let spool: ImportIndex
  var layout: StoreLayout { state.layout }
  let storeIdentifier: String

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

  private func target(label: String) throws -> Target? {
    if let entry = try spool.entry(label: label) { return Target(object: entry.object, isNew: entry.isNew) }
    return try existing(label).map { Target(object: $0, isNew: false) }
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
