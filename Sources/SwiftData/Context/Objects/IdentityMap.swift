/// The objects of a context that have rows, one object per row, by table and key.
///
/// The map holds objects strongly and releases them in sweeps. A sweep runs when the number of objects has doubled
/// since the last sweep; it releases every clean object that only the map holds. This costs no side table per object,
/// and an object may be released on any thread (CONTRIBUTING.md).
final class IdentityMap {
  private let tables: [KeyTable]
  private var sweepThreshold = IdentityMap.floor

  /// Below this number of objects no sweep runs.
  private static let floor = 4096

  private let container: ContainerCore

  init(_ container: ContainerCore) {
    self.container = container
    tables = (0..<container.tableCount).map { _ in KeyTable() }
  }

  /// The objects of one table.
  func table(_ table: Int) -> KeyTable { tables[table] }

  /// The object with a key, without a look-up of its class.
  func object(_ table: Int, _ key: Int64) -> AnyObject? { tables[table][key] }

  func insert(_ object: any PersistentModel, table: Int, key: Int64) { tables[table].insert(object, for: key) }

  func remove(table: Int, key: Int64) { tables[table].remove(key) }

  /// Releases all objects of a closed context. Relationships still find objects that somebody else holds.
  func retire() {
    let hasRelationships = container.stores.contains { $0.ownBindings.contains { !$0.relationships.isEmpty } }
    for table in tables { hasRelationships ? table.retire() : table.removeAll() }
  }

  var count: Int { tables.reduce(0) { $0 + $1.count } }

  var isDueForSweep: Bool { count > sweepThreshold }

  /// Calls a closure for every object.
  func forEach(_ body: (any PersistentModel) -> Void) {
    var cast = ModelCast(container)
    for table in tables {
      for object in table.objects { if let model = cast.model(object) { body(model) } }
    }
  }

  /// Calls a closure for every object that can have a to-many relationship; only such objects may hold other objects.
  func forEachOwner(_ body: (any PersistentModel) -> Void) {
    var cast = ModelCast(container)
    for table in container.tablesOfOwners {
      for object in tables[table].objects { if let model = cast.model(object) { body(model) } }
    }
  }

  /// Releases the objects that only the map holds and that meet the condition.
  func sweep(where mayGo: (any PersistentModel) -> Bool) {
    var cast = ModelCast(container)
    for table in tables { table.sweep { cast.model($0).map(mayGo) ?? false } }
    sweepThreshold = max(IdentityMap.floor, 2 * count)
  }
}

/// Casts many objects, most of them of the previous object's class; a dynamic cast of each would cost more than the rest.
private struct ModelCast {
  private let container: ContainerCore
  private var last: (type: ObjectIdentifier, binding: EntityBinding)?

  init(_ container: ContainerCore) { self.container = container }

  mutating func model(_ object: AnyObject) -> (any PersistentModel)? {
    let type = ObjectIdentifier(Swift.type(of: object))
    if let last, last.type == type { return last.binding.model(object) }
    guard let model = object as? any PersistentModel else { return nil }
    if let binding = container.binding(of: Swift.type(of: model)) { last = (type, binding) }
    return model
  }
}
