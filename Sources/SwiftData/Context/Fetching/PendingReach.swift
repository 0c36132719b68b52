internal import StoreRequests

/// The rows from which a path of a request leads to a deleted object, or to a changed property of an object.
struct PendingReach {
  /// A condition on the rows that memory has to decide about; `nil` if there are none.
  ///
  /// Terms of the predicate without such a path must hold as well: the store decides them for every row.
  private(set) var touching: FetchExpression?
  /// Conditions on rows that the predicate cannot select: their path leads to a changed object, which does not have the
  /// required value.
  private(set) var excluded: [FetchExpression] = []

  /// - Parameter values: what is read of the rows besides the order and the predicate.
  init(_ request: FetchRequest, reading values: [FetchExpression], _ core: ContextCore, _ binding: EntityBinding) {
    var touching = conditions(request.sortTerms.map(\.expression) + values, core, binding)
    var others: [FetchExpression] = []
    for term in request.predicate?.conjuncts ?? [] {
      let excludedCount = excluded.count
      let conditions = conditions([term], requiring: term.attributeEquality, core, binding)
      touching += conditions
      if conditions.isEmpty, excluded.count == excludedCount { others.append(term) }
    }
    if !touching.isEmpty { self.touching = .conjunction([.disjunction(touching)] + others) }
  }

  /// The conditions on rows that lead to a pending object by the paths of expressions.
  ///
  /// - Parameter equality: the only expression, if it requires that an attribute equals a constant.
  private mutating func conditions(
    _ expressions: [FetchExpression], requiring equality: FetchExpression.AttributeEquality? = nil,
    _ core: ContextCore, _ binding: EntityBinding
  ) -> [FetchExpression] {
    let places = RequestPlaces(expressions)
    return places.others.compactMap { place in
      let entity = places.entity(at: place, from: binding.tag, core)
      var objects = core.pendingObjects(of: entity, besides: binding.tag, reading: places.properties[place] ?? [])
      if let equality, equality.path == place {
        let start = objects.partition { core.isChanged($0, unlike: equality) }
        let keys = objects[start...].compactMap { $0._$state.rowKey }
        if !keys.isEmpty { excluded.append(.objectMembership(place, keys)) }
        objects.removeSubrange(start...)
      }
      let keys = objects.compactMap { $0._$state.rowKey }
      return keys.isEmpty ? nil : places.condition(thatAnyOf: keys, standsAt: place)
    }
  }
}

extension ContextCore {
  /// The objects of an entity that are deleted, or changed in one of some properties, in this context; of any entity if `nil`.
  fileprivate func pendingObjects(
    of entity: Int32?, besides other: Int32, reading names: Set<String>
  ) -> [any PersistentModel] {
    let entities =
      entity.map { pendingEntities(of: $0) }
      ?? unit.lookup.entities.filter { EntityTag.store($0) == EntityTag.store(other) }
    return entities.flatMap { entity in
      // An outdated object differs from its row in other properties too.
      let properties = unit.hasOutdatedObjects ? nil : names.compactMap { binding(entity)?.index(of: $0) }
      return unit.lookup.deleted(entity) + unit.lookup.changed(entity, at: properties)
    }
  }

  /// Whether an object is changed, and has another value in an attribute than a predicate requires.
  fileprivate func isChanged(_ object: any PersistentModel, unlike equality: FetchExpression.AttributeEquality) -> Bool
  {
    guard object._$state.status == .changed,
      let property = binding(object._$state.entity)?.index(of: equality.name),
      let value = object.indexedValue(at: property)
    else { return false }
    return value != equality.value.numberForm
  }
}

extension FetchExpression {
  /// The conditions that must all hold.
  var conjuncts: [FetchExpression] {
    if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
  }

  /// A condition that an attribute equals a constant, which is not `NULL`.
  struct AttributeEquality {
    let path: FetchPath
    let name: String
    let value: StoreValue
  }

  /// The condition as an equality of an attribute and a constant; `nil` for other conditions.
  var attributeEquality: AttributeEquality? {
    switch self {
    case .comparison(.equal, .attribute(let path, let name, []), .constant(let value)),
      .comparison(.equal, .constant(let value), .attribute(let path, let name, [])):
      value == .null ? nil : AttributeEquality(path: path, name: name, value: value)
    default: nil
    }
  }
}
