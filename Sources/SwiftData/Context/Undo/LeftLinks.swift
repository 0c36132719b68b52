internal import StoreRequests

/// Notes for the actions that delete objects which links lead to the objects, although no delete rule clears them.
///
/// Such a link reads as nil once the deletion is saved. The undo of the deletion gives it its object back.
struct LeftLinks {
  private let core: ContextCore
  /// The actions since the last save that have deleted such objects, by the objects.
  private var unsaved: [ObjectIdentifier: (object: any PersistentModel, record: UndoRecord)] = [:]
  /// The objects whose deletion is saved, by the deleted row. The actions hold them.
  private var saved: [DeletedObjects.Row: SavedDeletion] = [:]

  private struct SavedDeletion {
    weak var object: (any PersistentModel)?
    weak var record: UndoRecord?
  }

  init(_ core: ContextCore) { self.core = core }

  /// Adds the deletions of an action that has ended.
  mutating func addDeletions(of record: UndoRecord) {
    for entry in record.objects where entry.wasPresent {
      unsaved[ObjectIdentifier(entry.object)] = (entry.object, record)
    }
  }

  /// Forgets the deletions that no save has written.
  mutating func rollBack() { unsaved = [:] }

  mutating func removeAll() { (unsaved, saved) = ([:], [:]) }

  /// Notes the links of all registered objects to the objects whose deletion was saved now. Until then they lead to the objects.
  mutating func noteSave() {
    guard !unsaved.isEmpty else { return }
    let deleted = unsaved.values.filter { $0.object._$state.status == .orphaned }
    for (object, record) in deleted {
      if let row = core.row(of: object) { saved[row] = SavedDeletion(object: object, record: record) }
    }
    for link in core.linksLeft(by: deleted.map(\.object)) {
      unsaved[ObjectIdentifier(link.destination)]?.record.add(
        link.owner, link.property, .deletedDestination(link.destination))
    }
    unsaved = [:]
  }

  /// Notes the link that a property is before an action changes it.
  func noteChange(of object: any PersistentModel, at property: Int, from value: UndoRecord.Value) {
    guard !unsaved.isEmpty, case .key(let key) = value,
      let destination = core.registered(
        EntityTag.make(entity: key.entity, besides: object._$state.entity), key.key)
    else { return }
    unsaved[ObjectIdentifier(destination)]?.record.add(object, property, .deletedDestination(destination))
  }

  /// The object of a row has come back.
  mutating func remove(_ row: DeletedObjects.Row) { saved[row] = nil }

  /// Notes the links of an object that comes back before their destinations do.
  func noteLinks(of object: any PersistentModel) {
    guard !saved.isEmpty, let binding = core.binding(of: object) else { return }
    for property in binding.relationships where binding.properties[property].relationship?.isToMany == false {
      guard let destination = core.linked(object, property).first, destination._$state.status == .orphaned,
        let row = core.row(of: destination)
      else { continue }
      noteLink(of: object, at: property, to: row)
    }
  }

  /// Notes a link to a row.
  ///
  /// - Returns: whether the deletion of the row can be undone.
  @discardableResult
  func noteLink(of object: any PersistentModel, at property: Int, to row: DeletedObjects.Row) -> Bool {
    guard let deletion = saved[row], let destination = deletion.object, let record = deletion.record else {
      return false
    }
    record.add(object, property, .deletedDestination(destination))
    return true
  }
}
