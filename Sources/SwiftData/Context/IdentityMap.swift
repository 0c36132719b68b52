/// One object per row: the objects of a context that have one, by table and key.
///
/// Objects are held strongly and let go in sweeps: when their number has doubled since the last one, every clean object that
/// nobody else holds goes. That costs no side table per object, and releasing an object on any thread is safe (CONTRIBUTING.md).
final class IdentityMap {
  private let tables: [KeyTable]
  private var sweepThreshold = IdentityMap.floor

  /// Fewer objects than that are never swept.
  private static let floor = 4096

  private let container: ContainerCore

  init(_ container: ContainerCore) {
    self.container = container
    tables = (0..<container.tableCount).map { _ in KeyTable() }
  }

  /// The objects of one table.
  func table(_ table: Int) -> KeyTable { tables[table] }

  /// The object under a key, without finding out its class.
  func object(_ table: Int, _ key: Int64) -> AnyObject? { tables[table][key] }

  func insert(_ object: any PersistentModel, table: Int, key: Int64) { tables[table].insert(object, for: key) }

  func remove(table: Int, key: Int64) { tables[table].remove(key) }

  func removeAll() { for table in tables { table.removeAll() } }

  var count: Int { tables.reduce(0) { $0 + $1.count } }

  var isDueForSweep: Bool { count > sweepThreshold }

  /// Runs a block for every object.
  func forEach(_ body: (any PersistentModel) -> Void) {
    var cast = ModelCast(container)
    for table in tables {
      for object in table.objects { if let model = cast.model(object) { body(model) } }
    }
  }

  /// Runs a block for every object that can have a to-many relationship; nothing else may hold other objects.
  func forEachOwner(_ body: (any PersistentModel) -> Void) {
    var cast = ModelCast(container)
    for table in container.tablesOfOwners {
      for object in tables[table].objects { if let model = cast.model(object) { body(model) } }
    }
  }

  /// Lets go of what nobody else holds, as far as the condition allows.
  func sweep(where mayGo: (any PersistentModel) -> Bool) {
    var cast = ModelCast(container)
    for table in tables { table.sweep { cast.model($0).map(mayGo) ?? false } }
    sweepThreshold = max(IdentityMap.floor, 2 * count)
  }
}

/// Casts many objects, most of which are of the class of the one before: a dynamic cast of each would cost more than the rest.
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
