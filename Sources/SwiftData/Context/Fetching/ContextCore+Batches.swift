internal import Foundation
internal import StoreRequests

extension ContextCore {
  /// Passes the objects of a descriptor to a closure in batches of a given size, in the descriptor's order.
  ///
  /// The set of objects is fixed at the beginning: one query is read step by step, so that a save between two batches adds no
  /// object. Cost: that query; after such a save, one more query for 512 objects, since the rows of the first query may be outdated.
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
      let part = slice.taking(objects)
      try prefetch(plan.prefetchedRelationships, of: part, binding)
      try body(part)
    }
    func passNext() throws -> Bool {
      guard !slice.isFull, var objects = try batches.next(size) else { return false }
      if plan.filtersInMemory { objects = try objects.filter(plan.isWanted) }
      try pass(merge?.merged(objects) ?? objects)
      return true
    }
    // The sweep comes after the batch has let go of its objects.
    while try passNext() { sweepIfDue() }
    if let merge { try pass(Array(merge.rest)) }
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
