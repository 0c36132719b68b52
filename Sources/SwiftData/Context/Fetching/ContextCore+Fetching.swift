internal import Foundation
internal import StoreRequests

extension ContextCore {
  /// Merges the saves of other contexts and applies the delete rules, so that a fetch sees no stale values or deleted
  /// objects.
  ///
  /// - Throws: the store's error if the delete rules cannot read the affected objects.
  func prepareToFetch() throws {
    adoptOthersSaves()
    try prepareToSelect()
  }

  private func prepareToSelect(keepingValues: Bool = false) throws {
    synchronizeAliases()
    try decideDeletions(keepingValues: keepingValues)
    if !unit.batches.isEmpty {
      try expandBatches()
      try decideDeletions(keepingValues: keepingValues)
    }
  }

  func fetch<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [Model] {
    adoptOthersSaves()
    return try select(descriptor)
  }

  /// Fetches without merging the saves of other contexts first.
  ///
  /// - Parameter keepingValues: see ``decideDeletions(keepingValues:)``.
  func select<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, keepingValues: Bool = false
  ) throws -> [Model] {
    try prepareToSelect(keepingValues: keepingValues)
    sweepIfDue()
    let bindings = try container.existingBindings(of: Model.self)
    let objects =
      bindings.count == 1 ? try fetch(descriptor, bindings[0]) : try fetch(descriptor, fromAll: bindings)
    container.activity.count(.fetches)
    container.activity.count(.fetchedObjects, objects.count)
    return objects
  }

  /// Fetches the objects of one store.
  func fetch<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ binding: EntityBinding
  ) throws -> [Model] {
    let store = store(binding.tag)
    let plan = try FetchPlan(descriptor, resolver: StoreResolver(store: store))
    if wouldEvaluateUnsavedValues(plan, store) {
      let objects = try fetchSaved { try $0.fetch(descriptor, binding) }
      try prefetch(plan.prefetchedRelationships, of: objects, binding)
      return objects
    }
    if let objects = try fetchByDescriptor(plan, binding, store) {
      try prefetch(plan.prefetchedRelationships, of: objects, binding)
      return objects
    }
    let properties = plan.propertiesToSort ?? plan.propertiesToLoad
    var objects: [Model]
    if let pending = pendingObjects(plan, binding, seesEveryChange: false) {
      objects = try pending.merged { request, isWhole in
        try load(request, binding, store, properties: isWhole ? nil : properties)
      }
    } else {
      objects =
        try fetchFirst(plan, binding)
        ?? plan.finish(load(plan.request, binding, store, properties: properties))
    }
    if plan.propertiesToSort != nil { try complete(&objects, binding, properties: plan.propertiesToLoad) }
    try prefetch(plan.prefetchedRelationships, of: objects, binding)
    return objects
  }

  /// Loads the remaining properties of partly loaded objects, and removes objects whose rows are gone by now. Cost: one query.
  private func complete<Model: PersistentModel>(
    _ objects: inout [Model], _ binding: EntityBinding, properties: [String]?
  ) throws {
    let keys = objects.compactMap { $0._$state.status == .fault ? $0._$state.rowKey : nil }
    guard !keys.isEmpty else { return }
    let loaded = Set(try load(keys, of: binding, properties: properties).map { ObjectIdentifier($0) })
    objects.removeAll { $0._$state.status == .fault && !loaded.contains(ObjectIdentifier($0)) }
    remember(keys.map(\.key), of: binding)
  }

  /// The unsaved objects that affect a fetch; `nil` if there are none or the fetch ignores them.
  ///
  /// - Parameters:
  ///   - values: the values that are read of the rows, also through to-one relationships.
  ///   - seesEveryChange: whether the fetch returns more than objects, so that each changed property matters.
  func pendingObjects<Model: PersistentModel>(
    _ plan: FetchPlan<Model>, _ binding: EntityBinding, reading values: [FetchExpression] = [],
    seesEveryChange: Bool = true
  ) -> PendingObjects<Model>? {
    guard plan.descriptor.includePendingChanges, !unit.isEmpty else { return nil }
    return PendingObjects(plan, reading: values, self, binding, seesEveryChange: seesEveryChange)
  }

  func fetchCount<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Int {
    try prepareToFetch()
    let bindings = try container.existingBindings(of: Model.self)
    container.activity.count(.fetches)
    return bindings.count == 1 ? try fetchCount(descriptor, bindings[0]) : try fetchCount(descriptor, inAll: bindings)
  }

  /// Counts the objects of one store.
  func fetchCount<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ binding: EntityBinding
  ) throws -> Int {
    let store = store(binding.tag)
    let plan = try FetchPlan(descriptor, resolver: StoreResolver(store: store))
    if let count = try countByDescriptor(plan, binding, store) { return count }
    if dividesRows(plan, binding) { return try countOfDividedRows(plan, binding, store) }
    // A fetch skips rows with key 0, so they are not counted; see `reportKeyZero(_:)`.
    let keyZero = ObjectKey(entity: EntityTag.entity(binding.tag), key: 0)
    guard !plan.filtersInMemory, try !store.reporting({ try $0.hasRow(keyZero) }) else {
      return try fetch(descriptor, binding).count
    }
    func count(_ request: FetchRequest) throws -> Int { try store.reporting { try $0.count(request) } }
    if let pending = pendingObjects(plan, binding, seesEveryChange: false) {
      guard plan.capabilities.contains(.filter) else { return try fetch(descriptor, binding).count }
      return try pending.count(count, { request in try store.reporting { try $0.keys(request) } }) {
        try load($0, binding, store, properties: nil)
      }
    }
    let count = try count(plan.request)
    return plan.sortsInMemory ? plan.sliceCount(count) : count
  }

  func fetchIdentifiers<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [PersistentIdentifier] {
    try prepareToFetch()
    let bindings = try container.existingBindings(of: Model.self)
    container.activity.count(.fetches)
    return bindings.count == 1
      ? try fetchIdentifiers(descriptor, bindings[0]) : try fetchIdentifiers(descriptor, inAll: bindings)
  }

  /// Fetches the identifiers of the objects of one store.
  func fetchIdentifiers<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ binding: EntityBinding
  ) throws -> [PersistentIdentifier] {
    let store = store(binding.tag)
    let plan = try FetchPlan(descriptor, resolver: StoreResolver(store: store))
    if let identifiers = try identifiersByDescriptor(plan, binding, store) { return identifiers }
    let seesPending = pendingObjects(plan, binding) != nil
    if seesPending, !descriptor.sortBy.isEmpty {
      throw SwiftDataError(
        .sortingPendingChangesWithIdentifiers,
        "Identifiers of \(binding.name) cannot be sorted while the context has unsaved changes: save first, or fetch the objects."
      )
    }
    if plan.filtersInMemory || plan.sortsInMemory {
      return try fetch(descriptor, binding).map(\.persistentModelID)
    }
    if seesPending, let pending = pendingObjects(plan, binding, seesEveryChange: false) {
      guard pending.canDivide else { return try fetch(descriptor, binding).map(\.persistentModelID) }
      return try identifiers(pending, plan, binding, store)
    }
    return try store.reporting { try $0.keys(plan.request) }.compactMap { key in
      key.key == 0 ? nil : store.identifier(of: key)
    }
  }

  /// The identifiers of the rows that the store decides, with those of the objects that memory adds. The descriptor has no order.
  private func identifiers<Model: PersistentModel>(
    _ pending: PendingObjects<Model>, _ plan: FetchPlan<Model>, _ binding: EntityBinding, _ store: OpenStore
  ) throws -> [PersistentIdentifier] {
    let (request, wanted) = try pending.division { try load($0, binding, store, properties: nil) }
    let rows = try store.reporting { try $0.keys(request) }.compactMap { key in
      key.key == 0 ? nil : store.identifier(of: key).map { (key: key, identifier: $0) }
    }
    let places = pending.placesByKey(of: wanted, among: rows.map(\.key))
    return plan.slice(places.merged(wanted.map(\.persistentModelID), into: rows.map(\.identifier)))
  }

  /// The stored names of the properties that a descriptor needs; all of them if `nil`.
  func propertiesToLoad<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [String]? {
    guard !descriptor.propertiesToFetch.isEmpty else { return nil }
    guard let binding = try container.existingBindings(of: Model.self).first else { return nil }
    let store = store(binding.tag)
    return try FetchPlan(descriptor, resolver: StoreResolver(store: store)).propertiesToLoad
  }

  /// The objects of those identifiers whose rows exist, in order. Cost: one query for those that are not loaded.
  ///
  /// - Parameter properties: the stored names of the needed properties; all of them if `nil`.
  func objects<Model: PersistentModel>(
    _ identifiers: ArraySlice<PersistentIdentifier>, as type: Model.Type, properties: [String]? = nil
  ) throws -> [Model] {
    var missing: [Int32: [ObjectKey]] = [:]
    for identifier in identifiers {
      guard let row = container.row(of: identifier) else { continue }
      if let object = registered(row.tag, row.key), object._$state.status != .fault { continue }
      missing[row.tag, default: []].append(ObjectKey(entity: EntityTag.entity(row.tag), key: row.key))
    }
    var held: [any PersistentModel] = []
    for (tag, keys) in missing.sorted(by: { $0.key < $1.key }) {
      guard let binding = binding(tag) else { continue }
      held += try load(keys, of: binding, properties: properties)
      remember(keys.map(\.key), of: binding)
    }
    return withExtendedLifetime(held) {
      identifiers.compactMap { registeredModel(for: $0).flatMap { downcast($0, to: Model.self) } }
    }
  }

  /// Runs a request and returns the objects of its rows.
  ///
  /// - Parameter properties: the stored names of the needed properties; all of them if `nil`.
  func load<Model: PersistentModel>(
    _ request: FetchRequest, _ binding: EntityBinding, _ store: OpenStore, properties: [String]?
  ) throws -> [Model] {
    guard let plan = store.rowPlan(binding, properties: properties) else { return [] }
    var request = request
    request.columns = plan.columns
    var result = RowObjects(of: Model.self, wantsKeys: plan.hasRelationships || properties != nil)
    try store.reporting { engine in
      let rows = try engine.fetch(request)
      try RowMaterializer(rows, plan, store, self).forEach { object, _, key in result.append(object, key) }
    }
    remember(result.keys, of: binding)
    return result.models(of: Model.self)
  }

  func prefetch<Model: PersistentModel>(
    _ paths: [[String]], of objects: [Model], _ binding: EntityBinding
  ) throws {
    for path in paths { try prefetch(path[...], of: objects, binding) }
  }

  /// Loads the destinations of a path's first relationship, then follows the rest of the path from them.
  private func prefetch(
    _ path: ArraySlice<String>, of objects: [any PersistentModel], _ binding: EntityBinding
  ) throws {
    guard let name = path.first, let property = binding.properties.firstIndex(where: { $0.name == name }),
      let relationship = binding.properties[property].relationship
    else { return }
    let owners = objects.filter { $0._$state.key != 0 && $0._$state.status != .deleted }
    if relationship.isToMany {
      let unloaded = owners.filter { if case .unknown = content(of: property, in: $0) { true } else { false } }
      if !unloaded.isEmpty { try loadMembers(of: unloaded, first: nil, at: property, relationship, binding) }
    } else {
      try prefetchDestinations(of: owners, at: property, relationship)
    }
    let rest = path.dropFirst()
    guard !rest.isEmpty, let destination = self.binding(relationship.destination) else { return }
    let reached = owners.flatMap { owner -> [any PersistentModel] in
      switch content(of: property, in: owner) {
      case .unknown: []
      case .objects(let objects): objects
      case .key(let key):
        [registered(EntityTag.make(entity: key.entity, besides: owner._$state.entity), key.key)].compactMap(\.self)
      }
    }
    var known: Set<ObjectIdentifier> = []
    try prefetch(rest, of: reached.filter { known.insert(ObjectIdentifier($0)).inserted }, destination)
  }

  private func content(of property: Int, in owner: any PersistentModel) -> LinkContent {
    var reader = LinkReader()
    owner._$visit(property, &reader)
    return reader.content
  }

  private func prefetchDestinations(
    of owners: [any PersistentModel], at property: Int, _ relationship: RelationshipBinding
  ) throws {
    var keys: Set<ObjectKey> = []
    for owner in owners {
      guard case .key(let key) = content(of: property, in: owner) else { continue }
      let known = registered(EntityTag.make(entity: key.entity, besides: owner._$state.entity), key.key)
      if known == nil || known?._$state.status == .fault { keys.insert(key) }
    }
    guard !keys.isEmpty, let destination = binding(relationship.destination) else { return }
    try load(keys.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }, of: destination)
  }
}

extension FetchPlan {
  /// The number of objects that remain after the offset and the limit.
  func sliceCount(_ count: Int) -> Int {
    let rest = max(0, count - max(0, descriptor.fetchOffset ?? 0))
    guard let limit = descriptor.fetchLimit, limit >= 0 else { return rest }
    return min(rest, limit)
  }
}
