internal import Synchronization

/// The model classes by entity name, with which snapshots are decoded.
///
/// While a custom store runs, these are the classes of its container. A program may decode snapshots at other times, too; then
/// the containers opened last decide.
enum SnapshotClasses {
  @TaskLocal static var current: [String: ModelClass]?
  private static let opened = Mutex<[String: ModelClass]>([:])

  static func model(of entityName: String) -> ModelClass? {
    current?[entityName] ?? opened.withLock { $0[entityName] }
  }

  static func register(_ classes: [String: ModelClass]) {
    opened.withLock { $0.merge(classes) { _, new in new } }
  }
}
