internal import Foundation

extension ModelContext {
  /// Fetches the objects that a descriptor selects, including unsaved changes.
  ///
  /// Cost: one query, and one per prefetched relationship. Unsaved objects of the class are evaluated in memory. One
  /// more query runs if the predicate or the order follows relationships to a changed or deleted object: the objects
  /// that lead there are loaded and evaluated in memory too.
  /// - Throws: ``SwiftDataError``: `unsupportedPredicate`, `unsupportedSortDescriptor`, `unknownSchema`, `storeFailure`.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    try core.exclusiveUse.during("fetching") { try core.fetch(descriptor) }
  }

  /// Counts the objects that a descriptor selects.
  ///
  /// Cost: one query, which loads no objects; two more queries if unsaved changes matter, as in ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    try core.exclusiveUse.during("counting") { try core.fetchCount(descriptor) }
  }

  /// Fetches the identifiers of the objects that a descriptor selects, without loading the objects.
  ///
  /// - Throws: ``SwiftDataError/sortingPendingChangesWithIdentifiers`` for a sort order while the context has unsaved
  ///   changes.
  public func fetchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] {
    try core.exclusiveUse.during("fetching identifiers") { try core.fetchIdentifiers(descriptor) }
  }

  /// Calls a closure for each object that a descriptor selects, without holding all objects at once.
  ///
  /// - Parameters:
  ///   - batchSize: the number of objects loaded at a time.
  ///   - allowEscapingMutations: whether changes may stay unsaved; if not, the context must have no changes before the
  ///     call, and changes made by the closure are saved after each batch.
  /// - Throws: ``SwiftDataError/contextIsBusy`` if the context has changes that are not allowed; errors of the closure.
  public func enumerate<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws {
    guard allowEscapingMutations || !hasChanges else {
      throw SwiftDataError(
        .contextIsBusy,
        "The context has unsaved changes, which enumerating in batches could lose: save first, or pass allowEscapingMutations: true."
      )
    }
    try core.forEachBatch(of: descriptor, size: max(1, batchSize)) { models in
      for model in models where !model.isDeleted { try block(model) }
      if !allowEscapingMutations, hasChanges { try save() }
      core.sweepIfDue()
    }
  }
}
