internal import StoreRequests

/// The unsaved changes of objects before a policy settled their conflicts.
///
/// A policy drops changes in favour of stored values. If the save fails all the same, nothing was saved, and the changes come back.
final class ChangesBeforeSettling {
  private(set) var objects: [ChangesOfObject] = []
  private var places: [ObjectIdentifier: Int] = [:]
  /// The objects whose rows somebody else has changed.
  private(set) var conflicting = ObjectList()

  /// Keeps the changes of an object, unless an earlier attempt of the save has kept them.
  func keep(_ object: any PersistentModel, _ binding: EntityBinding) {
    guard places[ObjectIdentifier(object)] == nil else { return }
    places[ObjectIdentifier(object)] = objects.count
    objects.append(ChangesOfObject(object, binding))
  }

  /// Keeps the changes of an object in conflict.
  func keepConflicting(_ object: any PersistentModel, _ binding: EntityBinding) {
    keep(object, binding)
    conflicting.append(object)
  }

  /// Forgets the objects of stores that have saved their changes.
  func forget(_ isSaved: (any PersistentModel) -> Bool) {
    objects.removeAll { isSaved($0.object) }
    places = [:]
    for (place, changes) in objects.enumerated() { places[ObjectIdentifier(changes.object)] = place }
    conflicting = ObjectList(conflicting.filter { !isSaved($0) })
  }

  func removeAll() { forget { _ in true } }
}

/// What a context knows of an object's unsaved changes.
struct ChangesOfObject {
  let object: any PersistentModel
  let status: ModelStatus
  private let version: Int64
  /// The attributes and to-one relationships that the context has changed. Members of the others follow from the links.
  let storages: [(property: Int, storage: any _PropertyStorage)]
  private let changedMask: UInt64
  private let changedBeyondMask: Set<Int>
  private let originals: [Int: any _PropertyStorage]
  private let links: [Int: LinkChanges]
  private let given: GivenLinks
  private let updates: [ObjectUpdate]
  private let assignedUnread: [Int: String]

  init(_ object: any PersistentModel, _ binding: EntityBinding) {
    self.object = object
    status = object._$state.status
    version = object._$state.version
    // A new object has no row, so no property of it is marked as changed.
    let properties = status == .inserted ? binding.relationships : object._$state.changedProperties
    storages = properties.filter { !binding.toMany.contains($0) }.compactMap { property in
      var keeper = StorageKeeper()
      object._$visit(property, &keeper)
      return keeper.storage.map { (property, $0) }
    }
    let extras = object._$state.extras
    changedMask = extras?.changedMask ?? 0
    changedBeyondMask = extras?.changedBeyondMask ?? []
    originals = extras?.originals ?? [:]
    links = extras?.links ?? [:]
    given = extras?.given ?? GivenLinks()
    updates = extras?.updates ?? []
    assignedUnread = extras?.assignedUnread ?? [:]
  }

  /// Whether the object is in the same phase of its life, or in one that settling a conflict leads to.
  var canComeBack: Bool {
    switch (status, object._$state.status) {
    case (.changed, .clean), (.changed, .fault), (.changed, .changed): true
    case (.inserted, .inserted), (.deleted, .deleted): true
    default: false
    }
  }

  /// Marks the properties as changed that were changed before.
  func putBackMarks() {
    if object._$state.status == .fault { object._$state.isUnread = true }
    object._$state.status = status
    object._$state.version = version
    let extras = object._$state.needExtras()
    extras.changedMask = changedMask
    extras.changedBeyondMask = changedBeyondMask
    extras.originals = originals
    extras.links = links
    extras.given = given
    extras.updates = updates
    extras.assignedUnread = assignedUnread
  }
}

extension ContextCore {
  /// Brings back the changes that policies have dropped, after the save has failed. It records no undo action.
  ///
  /// Objects in conflict take over the values that the context did not change, and conflict again in the next save.
  func bringBack(_ before: ChangesBeforeSettling) {
    guard !before.objects.isEmpty else { return }
    withoutUndo {
      for changes in before.objects { bringBack(changes) }
      adoptValues(of: before.conflicting.filter { $0._$state.status == .changed })
      refreshStaleInverses()
    }
    before.removeAll()
  }

  private func bringBack(_ changes: ChangesOfObject) {
    let object = changes.object
    guard isHere(object), let binding = binding(of: object) else { return }
    if [.clean, .fault].contains(changes.status), object._$state.status == .changed {
      // Only the dropped changes of another object have changed it.
      restore(object)
      return aliases.touch(object)
    }
    guard changes.canComeBack else { return }
    let former = linkedRows(of: object, binding)
    let storages = Dictionary(
      changes.storages.map { ($0.property, $0.storage) }, uniquingKeysWith: { first, _ in first })
    let originals = object._$state.extras?.originals ?? [:]
    for property in Set(storages.keys).union(object._$state.changedProperties).sorted() {
      guard let storage = storages[property] ?? originals[property] else { continue }
      changeStream.send(.willChange(object, property: property))
      var putter = StoragePutter(storage: storage)
      notifying(object, at: property) { $0._$visit(property, &putter) }
    }
    changes.putBackMarks()
    if changes.status == .changed { unit.changed.append(object) }
    if changes.status != .deleted { for property in binding.toMany { emptyMembers(of: object, at: property) } }
    noteMoves(of: object, binding, from: former)
    noteOwners(of: object, binding)
    aliases.touch(object)
    unit.lookup.noteNewValues(of: object)
  }
}
