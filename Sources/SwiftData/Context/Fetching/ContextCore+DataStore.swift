internal import StoreRequests

// Fetches from a store that takes whole descriptors.
//
// Unsaved objects that may matter are merged in memory with all objects of the class, as for any engine that does not filter.
extension ContextCore {
  /// The objects of a custom store; `nil` if the store takes no descriptors, or unsaved objects matter.
  func fetchByDescriptor<Model: PersistentModel>(
    _ plan: FetchPlan<Model>, _ binding: EntityBinding, _ store: OpenStore
  ) throws -> [Model]? {
    guard let engine = store.descriptorEngine, pendingObjects(plan, binding) == nil,
      let rowPlan = store.rowPlan(binding, properties: nil)
    else { return nil }
    var objects: [Model] = []
    var answer: DescriptorRows?
    try store.reporting { _ in
      let rows = try engine.fetch(plan.descriptor, columns: rowPlan.columns, for: editingState)
      answer = rows
      try RowMaterializer(rows.rows, rowPlan, store, self).forEach { object, binding, _ in
        if let model = binding.model(object).flatMap({ downcast($0, to: Model.self) }) { objects.append(model) }
      }
    }
    if let answer, answer.filtersInMemory || answer.sortsInMemory {
      if answer.filtersInMemory { objects = try objects.filter(plan.isWanted) }
      objects = plan.slice(answer.sortsInMemory ? plan.sorted(objects) : objects)
    }
    // What one of the objects leads to is requested for all of them.
    remember(objects.map { $0._$state.key }, of: binding)
    return objects
  }

  /// The number of objects in a custom store; `nil` if they must be fetched to be counted.
  func countByDescriptor<Model: PersistentModel>(
    _ plan: FetchPlan<Model>, _ binding: EntityBinding, _ store: OpenStore
  ) throws -> Int? {
    guard let engine = store.descriptorEngine, pendingObjects(plan, binding) == nil else { return nil }
    return try store.reporting { _ in try engine.count(plan.descriptor, for: editingState) }
  }

  /// The identifiers of objects in a custom store; `nil` if they must be fetched.
  func identifiersByDescriptor<Model: PersistentModel>(
    _ plan: FetchPlan<Model>, _ binding: EntityBinding, _ store: OpenStore
  ) throws -> [PersistentIdentifier]? {
    guard let engine = store.descriptorEngine, pendingObjects(plan, binding) == nil else { return nil }
    return try store.reporting { _ in try engine.keys(plan.descriptor, for: editingState) }?
      .compactMap { store.identifier(of: $0) }
  }

  /// Notifies the custom stores of the end of the context.
  func leaveStores() {
    for store in container.stores { store.descriptorEngine?.contextDidEnd(editingState) }
  }
}
