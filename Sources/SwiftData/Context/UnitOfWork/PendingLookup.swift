internal import Foundation
internal import StoreRequests

/// Indexes the objects of a unit of work by class, by changed property, and by attribute values.
///
/// So a fetch finds the pending objects that matter to it without a pass over all pending objects. The index is updated
/// when a fetch asks. Objects that have left the unit since then stay in it; what it returns is filtered.
struct PendingLookup {
  private var classes: [Int32: PendingClass] = [:]
  private var inserted = Progress()
  private var changed = Progress()
  private var deleted = Progress()

  /// The number of places of each list that the index has read.
  private struct Progress {
    var generation = 0
    var placeCount = 0
  }

  /// Adds the objects that the unit's lists received since the last call.
  mutating func update(inserted: WorkList, changed: WorkList, deleted: WorkList) {
    guard
      self.inserted.generation == inserted.generation && self.changed.generation == changed.generation
        && self.deleted.generation == deleted.generation
    else {
      self = PendingLookup()
      self.inserted.generation = inserted.generation
      self.changed.generation = changed.generation
      self.deleted.generation = deleted.generation
      return update(inserted: inserted, changed: changed, deleted: deleted)
    }
    for object in inserted.objects(from: self.inserted.placeCount) {
      classes[tag(object), default: .init()].add(inserted: object)
    }
    for object in changed.objects(from: self.changed.placeCount) {
      classes[tag(object), default: .init()].add(changed: object)
    }
    for object in deleted.objects(from: self.deleted.placeCount) {
      classes[tag(object), default: .init()].add(deleted: object)
    }
    self.inserted.placeCount = inserted.placeCount
    self.changed.placeCount = changed.placeCount
    self.deleted.placeCount = deleted.placeCount
  }

  private func tag(_ object: any PersistentModel) -> Int32 { object._$state.entity }

  /// Records that a property of a pending object is about to change.
  ///
  /// - Parameter isFirst: whether the property is equal to its row so far.
  mutating func noteChange(of object: any PersistentModel, at property: Int, isFirst: Bool) {
    guard !classes.isEmpty else { return }
    // An object that the index has not read yet comes with all of its changes.
    let isKnown = object._$state.status == .changed && Int(object._$state.place) < changed.placeCount
    classes[tag(object)]?.noteChange(of: object, at: property, isFirst: isFirst && isKnown)
  }

  /// Records that any value of a pending object may have changed.
  mutating func noteNewValues(of object: any PersistentModel) { classes[tag(object)]?.noteNewValues(of: object) }

  /// The entities that have, or had, pending objects.
  var entities: some Sequence<Int32> { classes.keys }

  /// The new objects of an entity.
  func inserted(_ entity: Int32) -> [any PersistentModel] {
    classes[entity]?.inserted.filter { $0._$state.status == .inserted } ?? []
  }

  /// The objects of an entity that are changed in one of some properties, or at all if `nil`. An object may come several times.
  func changed(_ entity: Int32, at properties: [Int]?) -> [any PersistentModel] {
    classes[entity]?.changed(at: properties).filter { $0._$state.isPending(at: properties) } ?? []
  }

  /// The deleted objects of an entity that have rows.
  func deleted(_ entity: Int32) -> [any PersistentModel] {
    classes[entity]?.deleted.filter { $0._$state.status == .deleted } ?? []
  }

  /// At least the number of objects that ``changed(_:at:)`` and ``deleted(_:)`` return. Cost: constant.
  func rowCount(_ entity: Int32, at properties: [Int]?) -> Int {
    guard let pending = classes[entity] else { return 0 }
    return pending.deleted.count + pending.changedCount(at: properties)
  }

  /// The new and changed objects of an entity with one of some values in an attribute; may include other objects.
  mutating func live(_ entity: Int32, with values: [StoreValue], at property: Int) -> [any PersistentModel] {
    classes[entity]?.candidates(with: values, at: property).filter { object in
      object._$state.status == .inserted || object._$state.status == .changed
    } ?? []
  }
}

extension _ModelState {
  /// Whether the object is changed in one of some properties, or at all if `nil`.
  func isPending(at properties: [Int]?) -> Bool {
    status == .changed && (properties?.contains { isChanged($0) } ?? true)
  }
}

/// The pending objects of one class, without its subclasses.
private struct PendingClass {
  private(set) var inserted: [any PersistentModel] = []
  private(set) var deleted: [any PersistentModel] = []
  private var changed: [any PersistentModel] = []
  private var changedByProperty: [Int: [any PersistentModel]] = [:]
  /// New and changed objects, as far as an index of values reads them.
  private var live: [any PersistentModel] = []
  private var indexes: [Int: ValueIndex] = [:]

  /// Below this number of objects no index is made.
  private static let indexedCount = 16

  mutating func add(inserted object: any PersistentModel) {
    inserted.append(object)
    live.append(object)
  }

  mutating func add(changed object: any PersistentModel) {
    changed.append(object)
    live.append(object)
    for property in object._$state.changedProperties { changedByProperty[property, default: []].append(object) }
  }

  mutating func add(deleted object: any PersistentModel) { deleted.append(object) }

  mutating func noteChange(of object: any PersistentModel, at property: Int, isFirst: Bool) {
    if isFirst { changedByProperty[property, default: []].append(object) }
    indexes[property]?.noteChange(of: object)
  }

  mutating func noteNewValues(of object: any PersistentModel) {
    for property in indexes.keys { indexes[property]?.noteChange(of: object) }
  }

  func changed(at properties: [Int]?) -> [any PersistentModel] {
    guard let properties else { return changed }
    // Nearly always there is one property, whose array need not be copied.
    if properties.count == 1 { return changedByProperty[properties[0]] ?? [] }
    return properties.flatMap { changedByProperty[$0] ?? [] }
  }

  func changedCount(at properties: [Int]?) -> Int {
    properties?.reduce(0) { $0 + (changedByProperty[$1]?.count ?? 0) } ?? changed.count
  }

  mutating func candidates(with values: [StoreValue], at property: Int) -> [any PersistentModel] {
    guard live.count >= Self.indexedCount else { return live }
    return indexes[property, default: ValueIndex(property)].candidates(live, with: values)
  }
}
