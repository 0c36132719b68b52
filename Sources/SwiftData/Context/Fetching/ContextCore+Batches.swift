internal import Foundation
internal import StoreRequests

extension ContextCore {
  /// Passes the objects of a descriptor to a closure in batches of a given size, in the descriptor's order.
  ///
  /// The set of objects and their order are fixed at the beginning: one query is read step by step, so that a save between two
  /// batches adds no object. Cost: that query; after such a save, one more query for 512 objects, since the rows of the first query
  /// may be outdated.
  ///
  /// Memory may have to decide about rows by the values of objects, which the closure may change. Then all keys are collected first: 24
  /// bytes for each object. The objects are read again by key: one query for each batch.
  func forEachBatch<Model: PersistentModel>(
    of descriptor: FetchDescriptor<Model>, size: Int, _ body: ([Model]) throws -> Void
  ) throws {
    try prepareToFetch()
    let bindings = try container.existingBindings(of: Model.self)
    container.activity.count(.fetches)
    let activity = container.activity
    let body = { (objects: [Model]) in
      activity.count(.fetchedObjects, objects.count)
      try body(objects)
    }
    if bindings.count > 1 {
      // Batches of several stores would have to be merged; objects in no order and without limits need no merge.
      guard descriptor.sortBy.isEmpty, descriptor.fetchLimit == nil, descriptor.fetchOffset == nil else {
        return try batches(of: fetch(descriptor, fromAll: bindings), size, body)
      }
    }
    for binding in bindings { try forEachBatch(of: descriptor, binding, size: size, body) }
  }

  private func batches<Model: PersistentModel>(
    of objects: [Model], _ size: Int, _ body: ([Model]) throws -> Void
  ) throws {
    for start in stride(from: 0, to: objects.count, by: size) { try body(Array(objects[start...].prefix(size))) }
  }

  private func forEachBatch<Model: PersistentModel>(
    of descriptor: FetchDescriptor<Model>, _ binding: EntityBinding, size: Int, _ body: ([Model]) throws -> Void
  ) throws {
    let store = store(binding.tag)
    let plan = try FetchPlan(descriptor, resolver: StoreResolver(store: store))
    if plan.sortsInMemory || wouldEvaluateUnsavedValues(plan, store) {
      return try batches(of: fetch(descriptor, binding), size, body)
    }
    var request = plan.request
    var decided: Set<ObjectKey> = []
    var merge: OrderedMerge<Model>?
    if let pending = pendingObjects(plan, binding, seesEveryChange: false) {
      let decisions = try pending.decide { try load($0, binding, store, properties: nil) }
      request = pending.request(besides: decisions)
      decided = pending.rows(of: decisions)
      merge = OrderedMerge(decisions.wanted, isBefore: pending.isBefore)
    }
    let isCut = merge != nil || plan.filtersInMemory
    var slice = BatchSlice(offset: isCut ? descriptor.fetchOffset : nil, limit: isCut ? descriptor.fetchLimit : nil)
    let batches = try RowBatches<Model>(request, binding, self, besides: decided, properties: plan.propertiesToLoad)
    func pass(_ objects: [Model]) throws {
      try prefetch(plan.prefetchedRelationships, of: objects, binding)
      try body(objects)
    }
    func passNext(_ pass: ([Model]) throws -> Void) throws -> Bool {
      guard !slice.isFull, var objects = try batches.next(size) else { return false }
      if plan.filtersInMemory { objects = try objects.filter(plan.isWanted) }
      try pass(slice.taking(merge?.merged(objects) ?? objects))
      return true
    }
    func passAll(_ pass: ([Model]) throws -> Void) throws {
      // The sweep comes after the batch has let go of its objects.
      while try passNext(pass) { sweepIfDue() }
      if let merge { try pass(slice.taking(Array(merge.rest))) }
    }
    guard plan.filtersInMemory || (merge != nil && !descriptor.sortBy.isEmpty) else { return try passAll(pass) }
    var chosen = ChosenRows<Model>(store)
    try passAll { chosen.append($0) }
    while let objects = try chosen.next(size, self, properties: plan.propertiesToLoad) {
      try pass(objects)
      sweepIfDue()
    }
  }
}

/// Objects that are fixed before any of them is passed: the keys of rows, and the objects without rows.
private struct ChosenRows<Model: PersistentModel> {
  private let store: OpenStore
  /// A key of `nil` stands for the next object without a row.
  private var keys: [ObjectKey?] = []
  private var unsaved: [Model] = []
  private var passed = (keys: 0, unsaved: 0)

  init(_ store: OpenStore) { self.store = store }

  mutating func append(_ objects: [Model]) {
    for object in objects {
      let key = object._$state.rowKey
      keys.append(key)
      if key == nil { unsaved.append(object) }
    }
  }

  /// The next objects; fewer than given if rows are gone; `nil` at the end.
  mutating func next(_ count: Int, _ core: ContextCore, properties: [String]?) throws -> [Model]? {
    guard passed.keys < keys.count else { return nil }
    let part = keys[passed.keys...].prefix(count)
    passed.keys += part.count
    let identifiers = part.map { key in key.flatMap { store.identifier(of: $0) } }
    let loaded = try core.objects(identifiers.compactMap(\.self)[...], as: Model.self, properties: properties)
    return withExtendedLifetime(loaded) {
      zip(part, identifiers).compactMap { key, identifier in
        guard key == nil else {
          return identifier.flatMap { core.registeredModel(for: $0) }.flatMap { downcast($0, to: Model.self) }
        }
        passed.unsaved += 1
        return unsaved[passed.unsaved - 1]
      }
    }
  }
}

/// Applies an offset and a limit to objects that arrive in batches.
private struct BatchSlice {
  private var skipped: Int
  private var rest: Int

  init(offset: Int?, limit: Int?) {
    skipped = max(0, offset ?? 0)
    rest = limit.flatMap { $0 >= 0 ? $0 : nil } ?? .max
  }

  var isFull: Bool { rest == 0 }

  mutating func taking<Model>(_ objects: [Model]) -> [Model] {
    if skipped == 0, rest == .max { return objects }
    let kept = objects.dropFirst(skipped).prefix(rest)
    skipped -= min(skipped, objects.count)
    rest -= kept.count
    return Array(kept)
  }
}

/// The objects of a request's rows, in batches.
///
/// One query is read step by step. Its rows become objects, as long as the context has seen no newer state of the stores;
/// afterwards only their keys count, and the objects are loaded by key. A store that cannot be changed while one of its
/// queries is read returns all keys first.
final class RowBatches<Model: PersistentModel> {
  private let core: ContextCore
  private let binding: EntityBinding
  private let store: OpenStore
  private let decided: Set<ObjectKey>
  private let properties: [String]?
  private let plan: RowPlan?
  private let rows: (any ObjectRows)?
  private let stateNumber: Int
  private let readsAtOnce: Bool
  /// Whether all rows are read.
  private(set) var isAtEnd = false
  /// All keys of a store that cannot be changed while one of its queries is read.
  private var keys: ArraySlice<ObjectKey> = []

  /// - Parameters:
  ///   - decided: rows to skip.
  ///   - properties: the stored names of the needed properties; all of them if `nil`.
  ///   - readsAtOnce: whether the rows are few, and are read at once.
  init(
    _ request: FetchRequest, _ binding: EntityBinding, _ core: ContextCore, besides decided: Set<ObjectKey> = [],
    properties: [String]?, readsAtOnce: Bool = false
  ) throws {
    let store = core.store(binding.tag)
    let plan = store.rowPlan(binding, properties: properties)
    var request = request
    if let plan { request.columns = plan.columns }
    self.core = core
    self.binding = binding
    self.store = store
    self.decided = decided
    self.properties = properties
    self.plan = plan
    self.readsAtOnce = readsAtOnce
    stateNumber = core.stateNumber
    rows = try store.reporting { [request] in
      if readsAtOnce { return try $0.fetch(request) }
      return $0.capabilities.contains(.readWhileSaving) ? try $0.stream(request) : nil
    }
    if rows == nil { keys = try store.reporting { [request] in try $0.keys(request) }[...] }
  }

  deinit { rows?.close() }

  /// The next objects, at most as many as given, fewer if rows are skipped; `nil` at the end.
  func next(_ count: Int) throws -> [Model]? {
    guard !isAtEnd else { return nil }
    guard let rows, let plan, core.stateNumber == stateNumber else { return try nextByKeys(count) }
    var result = RowObjects(of: Model.self, wantsKeys: plan.hasRelationships || properties != nil)
    isAtEnd = try store.reporting { _ in
      try !RowMaterializer(rows, plan, store, core, mayBeOlder: !readsAtOnce).forEach(first: count) {
        object, binding, key in
        if !decided.isEmpty, let row = binding.model(object)?._$state.rowKey, decided.contains(row) { return }
        result.append(object, key)
      }
    }
    core.remember(result.keys, of: binding)
    return result.models(of: Model.self)
  }

  private func nextByKeys(_ count: Int) throws -> [Model]? {
    var batch: [PersistentIdentifier] = []
    while batch.count < count, let key = try nextKey() {
      guard key.key != 0, !decided.contains(key), let identifier = store.identifier(of: key) else { continue }
      batch.append(identifier)
    }
    guard !batch.isEmpty else { return nil }
    return try core.objects(batch[...], as: Model.self, properties: properties)
  }

  private func nextKey() throws -> ObjectKey? {
    guard let rows else { return keys.popFirst() }
    return try store.reporting { _ in try rows.next() ? rows.object : nil }
  }
}
