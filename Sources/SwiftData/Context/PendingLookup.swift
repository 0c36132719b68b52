internal import Foundation
internal import StoreRequests

/// Indexes the objects of a unit of work by class, and the new and changed objects by attribute values.
///
/// So a fetch finds the pending objects that matter to it without a pass over all pending objects. The index is updated
/// when a fetch asks. Objects that have left the unit since then stay in it, and its readers skip them.
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
      classes[tag(object), default: .init()].add(object)
    }
    for object in changed.objects(from: self.changed.placeCount) { classes[tag(object), default: .init()].add(object) }
    for object in deleted.objects(from: self.deleted.placeCount) {
      classes[tag(object), default: .init()].withRows.append(object)
    }
    self.inserted.placeCount = inserted.placeCount
    self.changed.placeCount = changed.placeCount
    self.deleted.placeCount = deleted.placeCount
  }

  private func tag(_ object: any PersistentModel) -> Int32 { object._$state.entity }

  /// Records that a property of a pending object is about to change for the first time.
  mutating func noteChange(of object: any PersistentModel, at property: Int) {
    guard !classes.isEmpty else { return }
    classes[tag(object)]?.noteChange(of: object, at: property)
  }

  /// The entities that have, or had, pending objects.
  var entities: some Sequence<Int32> { classes.keys }

  /// The new and changed objects of an entity.
  func live(_ entity: Int32) -> [any PersistentModel] { classes[entity]?.live.filter(isLive) ?? [] }

  /// The changed and deleted objects of an entity, and some that were.
  func withRows(_ entity: Int32) -> [any PersistentModel] { classes[entity]?.withRows ?? [] }

  /// The new and changed objects of an entity with a value in an attribute; may include other objects.
  mutating func live(_ entity: Int32, with value: StoreValue, at property: Int) -> [any PersistentModel] {
    classes[entity]?.candidates(with: value, at: property).filter(isLive) ?? []
  }
}

/// Whether an object is new or changed.
private func isLive(_ object: any PersistentModel) -> Bool {
  switch object._$state.status {
  case .inserted, .changed: true
  case .detached, .fault, .clean, .deleted, .orphaned: false
  }
}

/// The pending objects of one class, without its subclasses.
private struct PendingClass {
  private(set) var live: [any PersistentModel] = []
  var withRows: [any PersistentModel] = []
  private var indexes: [Int: ValueIndex] = [:]

  /// Below this number of objects no index is made.
  private static let indexedCount = 16

  mutating func add(_ object: any PersistentModel) {
    live.append(object)
    if object._$state.key != 0 { withRows.append(object) }
  }

  mutating func noteChange(of object: any PersistentModel, at property: Int) {
    guard !indexes.isEmpty else { return }
    indexes[property]?.changing.append(object)
  }

  mutating func candidates(with value: StoreValue, at property: Int) -> [any PersistentModel] {
    guard live.count >= Self.indexedCount else { return live }
    indexes[property, default: ValueIndex()].take(live, property)
    return indexes[property]?.candidates(live, with: value) ?? live
  }
}

/// The objects of a class by the value of one attribute.
private struct ValueIndex {
  /// Objects whose value is unknown, or may have changed since it was indexed.
  var changing: [any PersistentModel] = []
  private var placesByValue: [StoreValue: [Int]] = [:]
  private var count = 0

  /// Indexes the objects added since the last call.
  mutating func take(_ objects: [any PersistentModel], _ property: Int) {
    for place in count..<objects.count {
      let object = objects[place]
      // A property that was changed once may change again without notice.
      let value = object._$state.isChanged(property) ? nil : object.indexedValue(at: property)
      if let value { placesByValue[value, default: []].append(place) } else { changing.append(object) }
    }
    count = objects.count
  }

  func candidates(_ objects: [any PersistentModel], with value: StoreValue) -> [any PersistentModel] {
    (placesByValue[value] ?? []).map { objects[$0] } + changing
  }
}

extension PersistentModel {
  /// The value of an attribute that is equal exactly if its column is equal; `nil` for other values and for no value.
  func indexedValue(at property: Int) -> StoreValue? {
    var reader = IndexedValueReader()
    _$visit(property, &reader)
    return reader.value
  }
}

/// Reads an attribute that is equal exactly if its column is equal.
private struct IndexedValueReader: _PropertyVisitor {
  private(set) var value: StoreValue?

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {
    guard let content = storage.value.flatMap({ unwrap($0) }), !(content is Decimal) else { return }
    value = storeValue(content)
  }

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {}
}
