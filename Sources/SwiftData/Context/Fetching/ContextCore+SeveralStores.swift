internal import Foundation

// Fetches of a class whose objects are in several stores of the container.
//
// Each store selects and sorts its own objects. The results are merged in memory, so that a sorted fetch with a limit reads at
// most offset and limit from each store.
extension ContextCore {
  func fetch<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, fromAll bindings: [EntityBinding]
  ) throws -> [Model] {
    guard !bindings.isEmpty else { return [] }
    var part = descriptor
    part.fetchOffset = nil
    if let limit = descriptor.fetchLimit, limit >= 0 {
      part.fetchLimit = limit.addingClamped(max(0, descriptor.fetchOffset ?? 0))
    }
    let objects = try bindings.flatMap { try fetch(part, $0) }
    if !descriptor.includePendingChanges, !unit.isEmpty, !descriptor.sortBy.isEmpty {
      // The objects may have unsaved values, by which they must not be sorted.
      return try fetchSaved { try $0.fetch(descriptor, fromAll: bindings) }
    }
    let plan = try plan(descriptor, bindings)
    return plan.slice(plan.sorted(objects))
  }

  func fetchCount<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, inAll bindings: [EntityBinding]
  ) throws -> Int {
    guard !bindings.isEmpty else { return 0 }
    var part = descriptor
    part.fetchOffset = nil
    part.fetchLimit = nil
    let count = try bindings.reduce(0) { try $0 + fetchCount(part, $1) }
    return try plan(descriptor, bindings).sliceCount(count)
  }

  func fetchIdentifiers<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, inAll bindings: [EntityBinding]
  ) throws -> [PersistentIdentifier] {
    guard descriptor.sortBy.isEmpty, descriptor.fetchLimit == nil, descriptor.fetchOffset == nil else {
      return try fetch(descriptor, fromAll: bindings).map(\.persistentModelID)
    }
    return try bindings.flatMap { try fetchIdentifiers(descriptor, $0) }
  }

  private func plan<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ bindings: [EntityBinding]
  ) throws -> FetchPlan<Model> {
    try FetchPlan(descriptor, resolver: StoreResolver(store: store(bindings[0].tag)))
  }
}
