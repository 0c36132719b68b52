internal import Foundation
internal import StoreRequests

extension ContextCore {
  /// Schedules the update of the objects of a class that a predicate selects, or updates them at once in memory.
  func update<Model: PersistentModel>(
    _ type: Model.Type, where predicate: Predicate<Model>?, includeSubclasses: Bool, _ update: ModelUpdate<Model>
  ) throws {
    guard !update.assignments.isEmpty else { return }
    let descriptor = FetchDescriptor<Model>(predicate: predicate)
    try schedule(descriptor, includeSubclasses: includeSubclasses) { selection, binding, scope in
      let store = store(binding.tag)
      let kinds = store.kinds(of: binding.tag)
      guard includeSubclasses || kinds.allSatisfy({ store.binding(EntityTag.entity($0))?.tag == $0 }),
        let assignments = try assignments(update, binding),
        scope.addReads(assignments.map(\.value) + assignments.compactMap(\.requirement), from: binding.tag, self)
      else { return nil }
      scope.addWrites(includeSubclasses ? kinds : [binding.tag])
      return .update(selection, assignments)
    } apply: { core, isWanted in
      let note = ObjectUpdate(update, predicate) { core.attribute(at: $0, of: Model.self)?.index }
      var changes: [(object: Model, setters: [() -> Void])] = []
      for object in try core.select(descriptor, keepingValues: true)
      where isWanted(object) && (includeSubclasses || Swift.type(of: object) == Model.self) {
        let entityName = core.binding(of: object)?.name ?? "\(Model.self)"
        changes.append((object, try update.assignments.map { try $0.prepare(object, entityName) }))
      }
      // All values are computed before the first object changes, so an error changes nothing.
      for (object, setters) in changes { core.change(object, by: note) { for set in setters { set() } } }
    }
  }

  /// The assignments of an update for the store; `nil` if objects must be changed instead.
  private func assignments<Model: PersistentModel>(
    _ update: ModelUpdate<Model>, _ binding: EntityBinding
  ) throws -> [BatchAssignment]? {
    let store = store(binding.tag)
    var translation = PredicateTranslation(resolver: StoreResolver(store: store))
    var result: [BatchAssignment] = []
    for assignment in update.assignments {
      guard let property = attribute(at: assignment.property, of: Model.self),
        !binding.derived.contains(property.index),
        let entity = store.engine.entities.entity(named: binding.name),
        case .attribute(let attribute)? = entity.property(named: property.persistentName)
      else { return nil }
      let hasRules = binding.rules.contains { $0.property == property.index }
      if let set = assignment.constant {
        guard let values = try values(set, property, binding, hasRules: hasRules, Model.self),
          values.count == attribute.leaves.count
        else { return nil }
        result += zip(attribute.leaves, values).map { leaf, value in
          BatchAssignment(
            attribute: property.persistentName, element: Array(leaf.path.dropFirst()), value: .constant(value))
        }
      } else {
        guard !hasRules, attribute.leaves.count == 1 else { return nil }
        do {
          guard let lowered = try assignment.lower?(&translation) else { return nil }
          let requirement = lowered.requirement.constantTruth == true ? nil : lowered.requirement
          result.append(
            BatchAssignment(attribute: property.persistentName, value: lowered.result, requirement: requirement))
        } catch is UnsupportedExpression {
          return nil
        }
      }
    }
    return result
  }

  /// The stored attribute that a key path leads to; `nil` for anything else.
  private func attribute(
    at keyPath: AnyKeyPath, of type: any PersistentModel.Type
  ) -> ModelClass.Property? {
    guard let path = try? ModelClass.of(type).path(of: keyPath), path.end == .property, path.properties.count == 1,
      let property = path.properties.first, property.relationshipType == nil, !property.isTransient,
      ModelClass.of(type).byKeyPathProperty(keyPath) != nil
    else { return nil }
    return property
  }

  /// The columns of a value as a save writes them; `nil` if the value breaks a rule.
  private func values<Model: PersistentModel>(
    _ set: (Model) -> Void, _ property: ModelClass.Property, _ binding: EntityBinding, hasRules: Bool,
    _ type: Model.Type
  ) throws -> [StoreValue]? {
    let object = Materialization.makeBlank(type)
    set(object)
    if hasRules, let rules = binding.rules.first(where: { $0.property == property.index })?.rules,
      !rules.broken(by: object[keyPath: property.keyPath]).isEmpty
    {
      return nil
    }
    let sink = ValueSink(keepsAllDigits: store(binding.tag).engine.capabilities.contains(.decimals))
    var writer = _RowWriter(RowBinder(sink, startingAt: 1))
    // The save of an object phrases the error of a value that cannot be stored.
    guard (try? object._$write(property.index, into: &writer)) != nil else { return nil }
    return sink.values
  }
}
