internal import Foundation
internal import StoreRequests

/// The changes that can affect the results of a fetch.
///
/// A changed object of the fetched class affects its own place. An object at the end of a path of the predicate or the order may
/// affect any place, so that the results must be fetched again.
struct ResultDependencies {
  /// The tags of the fetched entity and its subentities.
  private(set) var roots: Set<Int32> = []
  /// The properties that paths read, by tag.
  private var properties: [Int32: Set<Int>] = [:]
  /// The properties of the fetched objects that the predicate and the order read, by tag.
  private var ownProperties: [Int32: Set<Int>] = [:]
  /// Whether the paths are unknown, because memory evaluates a part of the predicate or of the order.
  private(set) var areUnknown = false

  /// No dependencies.
  init() {}

  /// The dependencies of a descriptor on objects of a store.
  ///
  /// - Parameter title: the key path of the section titles.
  init<Model: PersistentModel>(
    of descriptor: FetchDescriptor<Model>, title: PartialKeyPath<Model>?, _ binding: EntityBinding, _ core: ContextCore
  ) {
    let store = core.store(binding.tag)
    let resolver = StoreResolver(store: store)
    let bindings = store.ownBindings
    func kinds(of tag: Int32) -> [EntityBinding] {
      bindings.filter { store.isKind(EntityTag.entity($0.tag), of: EntityTag.entity(tag)) }
    }
    let kinds = kinds(of: binding.tag)
    roots = Set(kinds.map(\.tag))
    // Without relationships nothing but the object itself can be read.
    let readsOthers = kinds.contains { !$0.relationships.isEmpty }
    var expressions: [FetchExpression] = []
    if let predicate = descriptor.predicate {
      guard let lowering = try? PredicateLowering(predicate, resolver: resolver), lowering.remainder.isEmpty else {
        noteAll(of: kinds, andOthers: readsOthers)
        return
      }
      if let condition = lowering.condition { expressions.append(condition) }
    }
    for sort in descriptor.sortBy {
      guard let term = try? SortLowering(sort, resolver: resolver).term else {
        noteAll(of: kinds, andOthers: readsOthers)
        return
      }
      expressions.append(term.expression)
    }
    let places = RequestPlaces(expressions)
    let own = places.properties[FetchPath()] ?? []
    for kind in kinds { ownProperties[kind.tag] = Set(own.compactMap { kind.index(of: $0) }) }
    guard readsOthers else { return }
    if let title, (try? resolver.route(of: title, from: Model.self))?.count != 1 { areUnknown = true }
    for place in places.others {
      guard let entity = places.entity(at: place, from: binding.tag, core) else {
        noteAll(of: kinds, andOthers: true)
        return
      }
      for kind in bindings where store.isKind(EntityTag.entity(kind.tag), of: EntityTag.entity(entity)) {
        properties[kind.tag, default: []].formUnion(
          (places.properties[place] ?? []).compactMap { kind.index(of: $0) })
      }
    }
  }

  private mutating func noteAll(of kinds: [EntityBinding], andOthers readsOthers: Bool) {
    areUnknown = readsOthers
    for kind in kinds { ownProperties[kind.tag] = Set(kind.properties.indices) }
  }

  /// Adds the dependencies on objects of another store that keeps the class, too.
  mutating func formUnion(_ other: ResultDependencies) {
    roots.formUnion(other.roots)
    properties.merge(other.properties) { $0.union($1) }
    ownProperties.merge(other.ownProperties) { $0.union($1) }
    areUnknown = areUnknown || other.areUnknown
  }

  /// Whether changes of other objects matter.
  var hasPaths: Bool { areUnknown || !properties.isEmpty }

  /// Whether a change of an object may change the place of other objects.
  ///
  /// - Parameter property: the changed property; `nil` if any may have changed.
  func reach(_ tag: Int32, _ property: Int?) -> Bool {
    if areUnknown { return true }
    guard let read = properties[tag] else { return false }
    return property.map(read.contains) ?? true
  }

  /// Whether the predicate or the order reads a property for which a row has had no fitting value.
  ///
  /// Such an object has a default, and the store compares what the row has. So memory cannot decide.
  func readMisfits(_ core: ContextCore) -> Bool {
    core.container.stores.contains { store in
      store.misfits.contains {
        ownProperties[$0.tag]?.contains($0.property) == true || reach($0.tag, $0.property)
      }
    }
  }
}
