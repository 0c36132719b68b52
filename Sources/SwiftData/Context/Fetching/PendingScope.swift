internal import StoreRequests

/// The unsaved changes of a class that a request can see.
///
/// A changed object has the same result in the store as in memory if the request reads none of its changed properties.
/// Then the store decides about it, as about any row.
struct PendingScope {
  private let core: ContextCore
  private let tag: Int32
  /// The pending entities of the class with the changed properties that matter; all of them if `nil`.
  private let properties: [Int32: [Int]?]

  /// - Parameter seesEveryChange: whether all properties matter, as for a request that reads values instead of objects.
  init(_ request: FetchRequest, _ core: ContextCore, _ binding: EntityBinding, seesEveryChange: Bool) {
    core.unit.lookup.update(
      inserted: core.unit.inserted, changed: core.unit.changed, deleted: core.unit.deleted)
    self.core = core
    tag = binding.tag
    // A full-text search reads what its index has, and an outdated object differs from its row in other properties too.
    let isWhole = seesEveryChange || request.search != nil || core.unit.hasOutdatedObjects
    let places =
      isWhole ? nil : RequestPlaces(request.sortTerms.map(\.expression) + (request.predicate.map { [$0] } ?? []))
    var properties: [Int32: [Int]?] = [:]
    for entity in core.pendingEntities(of: binding.tag) {
      let names = places?.namesAtRoot
      properties.updateValue(names?.compactMap { core.binding(entity)?.index(of: $0) }, forKey: entity)
    }
    self.properties = properties
  }

  /// Whether memory decides about an object instead of the store.
  func isPending(_ object: any PersistentModel) -> Bool {
    switch object._$state.status {
    case .inserted, .deleted, .orphaned: true
    case .changed: properties[object._$state.entity].map { object._$state.isPending(at: $0) } ?? true
    case .clean, .fault, .detached: false
    }
  }

  /// Whether memory decides about a row instead of the store.
  func isPending(_ row: ObjectKey) -> Bool {
    core.registered(EntityTag.make(entity: row.entity, besides: tag), row.key).map { isPending($0) } ?? false
  }

  /// Whether an object is still in the context: the index keeps objects that have left it, and another context may have them now.
  private func isHere(_ object: any PersistentModel) -> Bool { object._$state.owner === core }

  /// New and changed objects that may satisfy a predicate, new ones first, each in the order of arrival.
  func candidates(_ predicate: FetchExpression?) -> [any PersistentModel] {
    let wanted = predicate?.equalities
    return properties.flatMap { entity, properties in
      if let wanted, let binding = core.binding(entity) {
        let places = wanted.compactMap { equality in binding.index(of: equality.name).map { ($0, equality.value) } }
        if places.count == wanted.count {
          var found: [any PersistentModel] = []
          for (property, places) in Dictionary(grouping: places, by: { $0.0 }) {
            found += core.unit.lookup.live(entity, with: places.map { $0.1 }, at: property)
          }
          return found.filter { isHere($0) && isPending($0) }
        }
      }
      return (core.unit.lookup.inserted(entity) + core.unit.lookup.changed(entity, at: properties)).filter(isHere)
    }.inOrderOfArrival
  }

  /// The rows of the class about which memory decides. Cost: a pass over the objects that are deleted, or changed in a property
  /// that the request reads.
  var rows: [ObjectKey] {
    properties.flatMap { entity, properties in
      core.unit.lookup.deleted(entity) + core.unit.lookup.changed(entity, at: properties)
    }.inOrderOfArrival.compactMap { $0._$state.rowKey }
  }

  /// At least the number of ``rows``. Cost: constant.
  var rowCount: Int {
    properties.reduce(0) { $0 + core.unit.lookup.rowCount($1.key, at: $1.value) }
  }
}

extension RequestPlaces {
  /// The stored names of the properties of the fetched row that are read, also as an object of a subclass.
  fileprivate var namesAtRoot: Set<String> {
    properties.reduce(into: []) { names, place in
      if place.key.variable == .root, place.key.steps.isEmpty { names.formUnion(place.value) }
    }
  }
}

extension ContextCore {
  /// The tags of an entity and its subentities that have pending objects.
  func pendingEntities(of entity: Int32) -> [Int32] {
    let store = store(entity)
    return unit.lookup.entities.filter { other in
      EntityTag.store(other) == store.index
        && store.isKind(EntityTag.entity(other), of: EntityTag.entity(entity))
    }
  }
}

extension [any PersistentModel] {
  /// New objects before changed objects, each in the order of arrival, without duplicates.
  fileprivate var inOrderOfArrival: [any PersistentModel] {
    guard count > 1 else { return self }
    var known: Set<ObjectIdentifier> = []
    func rank(_ object: any PersistentModel) -> (Int, Int32) {
      (object._$state.status == .inserted ? 0 : 1, object._$state.place)
    }
    return filter { known.insert(ObjectIdentifier($0)).inserted }.sorted { rank($0) < rank($1) }
  }
}

extension FetchExpression {
  /// Equalities of attributes of the fetched row with constants, one of which the condition requires; `nil` if it requires none.
  fileprivate var equalities: [AttributeEquality]? {
    switch self {
    case .and(let parts): return parts.lazy.compactMap(\.equalities).min { $0.count < $1.count }
    case .or(let parts):
      let alternatives = parts.map(\.equalities)
      return alternatives.contains { $0 == nil } ? nil : alternatives.flatMap { $0 ?? [] }
    case .membership(.attribute(let path, let name, []), let values) where path == FetchPath():
      return values.contains(.null) ? nil : values.map { AttributeEquality(path: path, name: name, value: $0) }
    default: return attributeEquality.flatMap { $0.path == FetchPath() ? [$0] : nil }
    }
  }
}
