internal import Foundation
internal import StoreRequests

/// Answers the requests of a ``DataStore`` with snapshots of the objects of a container, for stores whose engine the framework asks
/// directly. Each request costs a context.
package final class ContainerSnapshots: @unchecked Sendable {  // immutable
  package let container: ModelContainer
  /// The name of the store, for messages.
  private let name: String

  package init(_ container: ModelContainer, name: String) {
    self.container = container
    self.name = name
  }

  /// The identifier of the container's first store.
  package var identifier: String { container.core.stores.first?.engine.identifier ?? "" }
}

extension ContainerSnapshots {
  /// Deletes all objects.
  package func erase() throws { try container.erase() }

  /// The objects that a descriptor selects, and those of the relationships to prefetch.
  package func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let context = context(for: request.editingState)
    let objects = try context.fetch(request.descriptor)
    var fetched: [DefaultSnapshot] = []
    var related: [PersistentIdentifier: DefaultSnapshot] = [:]
    // A snapshot without the values that could not be read would delete them when it is saved.
    try context.core.reportingReadFailures {
      fetched = objects.map { snapshot(of: $0) }
      if let binding = context.core.container.binding(of: T.self), let store = context.core.container.stores.first {
        let plan = try FetchPlan(request.descriptor, resolver: StoreResolver(store: store))
        for path in plan.prefetchedRelationships {
          collect(path[...], of: objects, binding, context.core, into: &related)
        }
      }
    }
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: fetched, relatedSnapshots: related)
  }

  /// Takes snapshots of the objects along a path of relationships.
  private func collect(
    _ path: ArraySlice<String>, of objects: [any PersistentModel], _ binding: EntityBinding, _ core: ContextCore,
    into related: inout [PersistentIdentifier: DefaultSnapshot]
  ) {
    guard let name = path.first, let property = binding.index(of: name),
      let relationship = binding.properties[property].relationship,
      let destination = core.binding(relationship.destination)
    else { return }
    let members = objects.flatMap { core.targets(of: $0, at: property) }
    for member in members where related[member.persistentModelID] == nil {
      related[member.persistentModelID] = snapshot(of: member)
    }
    collect(path.dropFirst(), of: members, destination, core, into: &related)
  }

  /// The number of objects that a descriptor selects; loads no objects.
  package func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try context(for: request.editingState).fetchCount(request.descriptor)
  }

  /// The identifiers of the objects that a descriptor selects; loads no objects.
  package func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try context(for: request.editingState).fetchIdentifiers(request.descriptor)
  }

  /// The objects of these identifiers.
  package func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    let core = context(for: editingState).core
    let objects = try core.exclusiveUse.during("fetching snapshots") {
      try persistentIdentifiers.compactMap { identifier -> (any PersistentModel)? in
        guard let row = core.container.row(of: identifier), let binding = core.binding(row.tag) else { return nil }
        return try core.load([.init(entity: EntityTag.entity(row.tag), key: row.key)], of: binding).first
      }
    }
    var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]
    try core.reportingReadFailures {
      for object in objects { snapshots[object.persistentModelID] = snapshot(of: object) }
    }
    return snapshots
  }

  /// Writes the changes in one transaction.
  ///
  /// - Throws: ``SwiftDataError``, also for a changed object that the store does not have.
  package func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let context = context(for: request.editingState)
    var inserted: [PersistentIdentifier: any PersistentModel] = [:]
    for snapshot in request.inserted {
      guard let model = container.schema.classes[snapshot.persistentIdentifier.entityName] else {
        throw SwiftDataError(
          .unknownSchema,
          "The store \(name) has no entity \(snapshot.persistentIdentifier.entityName), of which a snapshot is to be inserted."
        )
      }
      let object = Materialization.makeBlank(model.type)
      inserted[snapshot.persistentIdentifier] = object
      context.insert(object)
    }
    func stored(_ identifier: PersistentIdentifier) throws -> (any PersistentModel)? {
      let object = context.model(for: identifier)
      return try object.modelContext === context && context.core.exists(object) ? object : nil
    }
    func object(_ identifier: PersistentIdentifier) throws -> any PersistentModel {
      if let object = try inserted[identifier] ?? stored(identifier) { return object }
      throw SwiftDataError(.saveConflict, "The store \(name) does not have \(identifier): fetch again.")
    }
    try context.core.reportingReadFailures {
      for snapshot in request.inserted + request.updated {
        try assign(snapshot, to: object(snapshot.persistentIdentifier)) { try object($0) }
      }
    }
    for snapshot in request.deleted {
      func delete<Model: PersistentModel>(_ model: Model) { context.delete(model) }
      // Another program may have deleted the object.
      if let object = try stored(snapshot.persistentIdentifier) { delete(object) }
    }
    let saved = try context.core.save()
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: inserted.mapValues(\.persistentModelID),
      historyToken: HistoryPositions(saved, container.core).token)
  }

  /// Gives an object the values of a snapshot; values that are equal already are not assigned.
  private func assign(
    _ snapshot: DefaultSnapshot, to object: any PersistentModel,
    _ related: (PersistentIdentifier) throws -> any PersistentModel
  ) throws {
    func assign<Model: PersistentModel>(_ object: Model) throws {
      var none: [PersistentIdentifier: any BackingData] = [:]
      let own = DefaultSnapshot(from: object.persistentBackingData, relatedBackingDatas: &none)
      for property in ModelClass.of(type(of: object)).properties where !property.isTransient && !property.isDerived {
        let value = snapshot.values[property.name]
        guard !areEqual(value, own.values[property.name]) || object._$state.key == 0 else { continue }
        let newValue: Any?
        switch value {
        case let identifiers as [PersistentIdentifier] where property.isToMany: newValue = try identifiers.map(related)
        case let identifier as PersistentIdentifier where property.isToOne: newValue = try related(identifier)
        default:
          newValue = try property.value(ofCoded: value)
        }
        if let newValue {
          object.assign(newValue, at: property.index, notifying: nil)
        } else if let optional = property.valueType as? any OptionalType.Type {
          object.assign(optional.emptyValue, at: property.index, notifying: nil)
        } else if property.isToMany {
          object.assign([any PersistentModel](), at: property.index, notifying: nil)
        }
      }
    }
    try assign(object)
  }

  private func areEqual(_ left: (any Codable)?, _ right: (any Codable)?) -> Bool {
    func equal<Value: Equatable>(_ left: Value) -> Bool { (right as? Value) == left }
    if left == nil, right == nil { return true }
    return (left as? any Equatable).map { equal($0) } ?? false
  }

  /// Deletes the objects that a predicate selects, with their delete rules.
  package func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    let context = context(for: request.editingState)
    try context.delete(model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
    try context.save()
  }

  private func context(for state: EditingState) -> ModelContext {
    let context = ModelContext(container, isolation: nil)
    context.core.editingState = state
    return context
  }

  private func snapshot(of object: any PersistentModel) -> DefaultSnapshot {
    func take<Model: PersistentModel>(_ object: Model) -> DefaultSnapshot {
      var related: [PersistentIdentifier: any BackingData] = [:]
      return DefaultSnapshot(from: object.persistentBackingData, relatedBackingDatas: &related)
    }
    return take(object)
  }
}

extension ModelClass.Property {
  /// The value of a property whose coded form a snapshot has.
  fileprivate func value(ofCoded value: (any Codable)?) throws -> Any? {
    guard let option = attribute?.options.first(where: \.isOpaque), option != .codable else { return value }
    func read<Value>(_ type: Value.Type) -> Any? { OpaqueValue(option).read(type, from: value as? Data) }
    return read(valueType)
  }
}

extension ContextCore {
  /// Whether an object has a row in its store.
  fileprivate func exists(_ object: any PersistentModel) throws -> Bool {
    guard let key = object._$state.rowKey else { return false }
    return try store(object._$state.entity).reporting { try $0.hasRow(key) }
  }
}
