internal import Foundation
internal import StoreRequests

extension ContextCore {
  /// Passes the objects of a descriptor to a closure in batches of a given size, in the descriptor's order.
  ///
  /// The set of objects is fixed at the beginning: one query returns the keys of the rows and is read step by step. So
  /// a save between two batches neither removes nor adds an object. Cost: that query, and one query for 512 objects.
  func forEachBatch<Model: PersistentModel>(
    of descriptor: FetchDescriptor<Model>, size: Int, _ body: ([Model]) throws -> Void
  ) throws {
    try prepareToFetch()
    let bindings = try container.existingBindings(of: Model.self)
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
    if plan.sortsInMemory { return try batches(of: fetch(descriptor, binding), size, body) }
    var request = plan.request
    var decided: Set<ObjectKey> = []
    var merge: OrderedMerge<Model>?
    if let pending = pendingObjects(plan, binding) {
      let decisions = try pending.decide { try load($0, binding, store, properties: nil) }
      request = pending.request(besides: decisions)
      decided = pending.rows(of: decisions)
      merge = OrderedMerge(decisions.wanted, isBefore: pending.isBefore)
    }
    let isCut = merge != nil || plan.filtersInMemory
    var slice = BatchSlice(offset: isCut ? descriptor.fetchOffset : nil, limit: isCut ? descriptor.fetchLimit : nil)
    var keys = try KeyBatches(request, store, besides: decided)
    while !slice.isFull, let batch = try keys.next(size) {
      var objects = try objects(batch, as: Model.self, properties: plan.propertiesToLoad)
      if plan.filtersInMemory { objects = try objects.filter(plan.isWanted) }
      try body(slice.taking(merge?.merged(objects) ?? objects))
    }
    if let merge { try body(slice.taking(Array(merge.rest))) }
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
    let kept = objects.dropFirst(skipped).prefix(rest)
    skipped -= min(skipped, objects.count)
    rest -= kept.count
    return Array(kept)
  }
}

/// The identifiers of a request's rows, in batches.
private struct KeyBatches {
  private let store: OpenStore
  private let decided: Set<ObjectKey>
  private let cursor: (any ObjectRows)?
  /// All keys of a store that cannot be changed while one of its queries is read.
  private var keys: ArraySlice<ObjectKey> = []

  /// - Parameter decided: rows to skip.
  init(_ request: FetchRequest, _ store: OpenStore, besides decided: Set<ObjectKey>) throws {
    self.store = store
    self.decided = decided
    cursor = try store.reporting { $0.capabilities.contains(.readWhileSaving) ? try $0.fetch(request) : nil }
    if cursor == nil { keys = try store.reporting { try $0.keys(request) }[...] }
  }

  /// The next identifiers; `nil` at the end.
  mutating func next(_ count: Int) throws -> ArraySlice<PersistentIdentifier>? {
    var batch: [PersistentIdentifier] = []
    while batch.count < count, let key = try nextKey() {
      guard key.key != 0, !decided.contains(key), let identifier = store.identifier(of: key) else { continue }
      batch.append(identifier)
    }
    return batch.isEmpty ? nil : batch[...]
  }

  private mutating func nextKey() throws -> ObjectKey? {
    guard let cursor else { return keys.popFirst() }
    return try store.reporting { _ in try cursor.next() ? cursor.object : nil }
  }
}
