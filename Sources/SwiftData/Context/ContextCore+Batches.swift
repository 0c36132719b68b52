internal import CoreDataStore
internal import Foundation

extension ContextCore {
  /// Passes the objects of a descriptor to a closure in batches of a given size, in the descriptor's order.
  ///
  /// The set of objects is fixed at the beginning: one query returns the keys of the rows and is read step by step. So
  /// a save between two batches neither removes nor adds an object. Cost: that query, and one query for 512 objects.
  func forEachBatch<Model: PersistentModel>(
    of descriptor: FetchDescriptor<Model>, size: Int, _ body: ([Model]) throws -> Void
  ) throws {
    try prepareToFetch()
    let binding = try container.existingBinding(of: Model.self)
    let store = store(binding.tag)
    let plan = try FetchPlan(descriptor, resolver: StoreResolver(store: store))
    if plan.sortsInMemory {
      let objects = try fetch(descriptor)
      for start in stride(from: 0, to: objects.count, by: size) { try body(Array(objects[start...].prefix(size))) }
      return
    }
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
  private let cursor: RowCursor?
  /// All keys of a store in memory, which cannot be changed while one of its queries is read.
  private var keys: ArraySlice<ObjectKey> = []

  /// - Parameter decided: rows to skip.
  init(_ request: FetchRequest, _ store: OpenStore, besides decided: Set<ObjectKey>) throws {
    self.store = store
    self.decided = decided
    cursor = try store.reporting { $0.url == nil ? nil : try $0.fetch(request) }
    if cursor == nil { keys = try store.reporting { try $0.keys(request) }[...] }
  }

  /// The next identifiers; `nil` at the end.
  mutating func next(_ count: Int) throws -> ArraySlice<PersistentIdentifier>? {
    var batch: [PersistentIdentifier] = []
    while batch.count < count, let key = try nextKey() {
      guard key.key != 0, !decided.contains(key), let reference = store.reference(key.entity) else { continue }
      batch.append(PersistentIdentifier(reference, key: key.key))
    }
    return batch.isEmpty ? nil : batch[...]
  }

  private mutating func nextKey() throws -> ObjectKey? {
    guard let cursor else { return keys.popFirst() }
    return try store.reporting { _ in try cursor.next() ? cursor.object : nil }
  }
}
