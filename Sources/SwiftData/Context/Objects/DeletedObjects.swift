internal import StoreRequests

/// Objects whose rows are gone, by row, held weakly.
struct DeletedObjects {
  private var objects: [Row: Entry] = [:]
  private var sweepThreshold = 256
  /// Missing rows for which ``ContextCore/noteMissingRow(of:ofDestinationOf:at:)`` has logged a warning.
  var reportedRows: Set<ObjectKey> = []

  struct Row: Hashable {
    let table: Int
    let key: Int64
  }

  private struct Entry {
    weak var object: (any PersistentModel)?
  }

  /// The deleted object that had a row. Other deleted objects find it here through their relationships.
  func object(of row: Row) -> (any PersistentModel)? { objects[row]?.object }

  mutating func add(_ object: any PersistentModel, of row: Row) {
    objects[row] = Entry(object: object)
    guard objects.count > sweepThreshold else { return }
    objects = objects.filter { $0.value.object != nil }
    sweepThreshold = max(256, 2 * objects.count)
  }
}

extension ContextCore {
  /// Lets objects that are about to lose their rows find each other afterwards, since deleted objects keep their values.
  ///
  /// They do not hold each other, because relationships in both directions would make reference cycles.
  func keepLinks(among objects: [any PersistentModel]) {
    guard objects.count > 1 else { return }
    let going = Set(objects.map { ObjectIdentifier($0) })
    for object in objects {
      guard let binding = binding(of: object) else { continue }
      for property in binding.relationships where binding.properties[property].relationship?.isToMany == false {
        var reader = LinkReader()
        object._$visit(property, &reader)
        guard case .key(let key) = reader.content,
          let destination = registered(EntityTag.make(entity: key.entity, besides: object._$state.entity), key.key),
          going.contains(ObjectIdentifier(destination)), let table = self.binding(of: destination)?.table
        else { continue }
        deletedObjects.add(destination, of: .init(table: table, key: key.key))
      }
    }
  }
}
