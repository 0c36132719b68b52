public import Foundation

extension ModelContext {
  /// The objects that a descriptor asks for, unsaved changes taken into account.
  ///
  /// Cost: one query, and one per prefetched relationship. Unsaved objects of the class are evaluated in memory. If the predicate,
  /// or the order, leads through relationships to an object that is changed or deleted, the objects that lead there are loaded
  /// and evaluated in memory, too: one more query.
  /// - Throws: ``SwiftDataError``: `unsupportedPredicate`, `unsupportedSortDescriptor`, `unknownSchema`, `storeFailure`.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    try core.exclusiveUse.during("fetching") { try core.fetch(descriptor) }
  }

  /// The number of objects that a descriptor asks for. Cost: one query, which loads no objects; two more where unsaved changes
  /// matter, as in ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    try core.exclusiveUse.during("counting") { try core.fetchCount(descriptor) }
  }

  /// The identifiers of the objects that a descriptor asks for, without loading them.
  ///
  /// - Throws: ``SwiftDataError/sortingPendingChangesWithIdentifiers`` if they are to be sorted while anything is unsaved.
  public func fetchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] {
    try core.exclusiveUse.during("fetching identifiers") { try core.fetchIdentifiers(descriptor) }
  }

  /// Runs a block for each object that a descriptor asks for, without holding all of them.
  ///
  /// - Parameters:
  ///   - batchSize: how many objects are loaded at a time.
  ///   - allowEscapingMutations: whether changes may be left unsaved; if not, the context has to be without changes before,
  ///     and changes that the block makes are saved after each batch.
  /// - Throws: ``SwiftDataError/contextIsBusy`` if the context has changes and may not have any; what the block throws.
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

  /// Deletes the objects of a class that a predicate selects at the next save, with their delete rules.
  ///
  /// Apple: `ModelContext.delete(model:where:includeSubclasses:)`, which deletes rows at once and knows no rules but cascade.
  /// - Throws: ``SwiftDataError``
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws {
    for object in try fetch(FetchDescriptor<T>(predicate: predicate)) {
      if includeSubclasses || type(of: object) == T.self { core.delete(object) }
    }
  }
}
