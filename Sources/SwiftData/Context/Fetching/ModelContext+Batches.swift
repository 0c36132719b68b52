internal import Foundation

extension ModelContext {
  /// Fetches objects, and loads them in batches when they are read.
  ///
  /// Cost: one query for the identifiers, and one per batch. Apple: `ModelContext.fetch(_:batchSize:)`.
  /// - Throws: ``SwiftDataError/includePendingChangesWithBatchSize`` unless `includePendingChanges` is false.
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    try refusePendingChanges(descriptor)
    let properties = try core.propertiesToLoad(descriptor)
    return FetchResultsCollection(try fetchIdentifiers(descriptor), batchSize: batchSize) { [core] identifiers in
      // A row that is gone or cannot be read leaves a fault. Its first read tries again, and returns defaults if that fails.
      core.loading("loading a batch of a fetch") {
        let loaded = core.logging("loading a batch of \(T.self)") {
          try core.objects(identifiers, as: T.self, properties: properties)
        }
        return withExtendedLifetime(loaded) {
          identifiers.map { identifier in
            // Another program may have given the row to another class: the object of this class is gone.
            core.model(for: identifier) as? T ?? Materialization.makeBlank(T.self, in: _ModelPlace(status: .orphaned))
          }
        }
      }
    }
  }

  /// Fetches identifiers as a collection. Apple: `ModelContext.fetchIdentifiers(_:batchSize:)`.
  ///
  /// - Throws: ``SwiftDataError/includePendingChangesWithBatchSize`` unless `includePendingChanges` is false.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    try refusePendingChanges(descriptor)
    return FetchResultsCollection(try fetchIdentifiers(descriptor), batchSize: batchSize) { Array($0) }
  }

  private func refusePendingChanges<T>(_ descriptor: FetchDescriptor<T>) throws {
    if descriptor.includePendingChanges {
      throw SwiftDataError(
        .includePendingChangesWithBatchSize,
        "A fetch of \(T.self) in batches cannot include unsaved changes: set the descriptor's includePendingChanges to false."
      )
    }
  }
}
