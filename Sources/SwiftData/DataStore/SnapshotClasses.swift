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

  /// The names of the entities of a class and of its subclasses.
  static func entityNames(of type: any PersistentModel.Type) -> Set<String> {
    let own = ModelClass.of(type).entityName
    let classes = current ?? opened.withLock { $0 }
    return Set([own] + classes.filter { $0.value.entityLineage.contains(own) }.keys)
  }

  static func register(_ classes: [String: ModelClass]) {
    opened.withLock { $0.merge(classes) { _, new in new } }
  }
}

extension ModelClass {
  /// The entity names of the class and its superclasses.
  fileprivate var entityLineage: [String] { [entityName] + (superclass?.entityLineage ?? []) }
}
