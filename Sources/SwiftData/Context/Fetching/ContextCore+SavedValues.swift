// Fetches that ignore unsaved changes, and that memory evaluates: objects in memory have unsaved values.
extension ContextCore {
  /// Whether a fetch that ignores unsaved changes may evaluate objects that have some.
  func wouldEvaluateUnsavedValues<Model: PersistentModel>(_ plan: FetchPlan<Model>, _ store: OpenStore) -> Bool {
    guard !plan.descriptor.includePendingChanges, !unit.isEmpty else { return false }
    return plan.filtersInMemory || plan.sortsInMemory || store.descriptorEngine != nil
  }

  /// Fetches as a context without changes does, and returns this context's objects in that order.
  ///
  /// Cost: one more query for the objects that this context has not loaded.
  /// - Parameter fetch: fetches in the context without changes.
  func fetchSaved<Model: PersistentModel>(_ fetch: (ContextCore) throws -> [Model]) throws -> [Model] {
    let reader = ContextCore(container)
    defer { reader.close() }
    let identifiers = try fetch(reader).map(\.persistentModelID)
    return try objects(identifiers[...], as: Model.self)
  }
}
