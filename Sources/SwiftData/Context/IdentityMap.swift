/// One object per row: the objects of a context that have one, by table and key.
///
/// Objects are held strongly and let go in sweeps: when their number has doubled since the last one, every clean object that
/// nobody else holds goes. That costs no side table per object, and releasing an object on any thread is safe (context.md).
struct IdentityMap {
  private var tables: [KeyTable]
  private var sweepThreshold = IdentityMap.floor

  /// Fewer objects than that are never swept.
  private static let floor = 4096

  init(tableCount: Int) { tables = Array(repeating: KeyTable(), count: tableCount) }

  subscript(table: Int, key: Int64) -> (any PersistentModel)? { tables[table][key] as? any PersistentModel }

  /// The object under a key, without finding out its class.
  func object(_ table: Int, _ key: Int64) -> AnyObject? { tables[table][key] }

  mutating func insert(_ object: any PersistentModel, table: Int, key: Int64) { tables[table].insert(object, for: key) }

  mutating func remove(table: Int, key: Int64) { tables[table].remove(key) }

  mutating func removeAll() { tables = Array(repeating: KeyTable(), count: tables.count) }

  var count: Int { tables.reduce(0) { $0 + $1.count } }

  var isDueForSweep: Bool { count > sweepThreshold }

  func forEach(_ body: (any PersistentModel) -> Void) {
    for table in tables { table.forEach { object in if let model = object as? any PersistentModel { body(model) } } }
  }

  /// Lets go of what nobody else holds, as far as the condition allows.
  mutating func sweep(where mayGo: (any PersistentModel) -> Bool) {
    for index in tables.indices { tables[index].sweep { ($0 as? any PersistentModel).map(mayGo) ?? false } }
    sweepThreshold = max(IdentityMap.floor, 2 * count)
  }
}
