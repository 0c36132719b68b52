public import Foundation

extension ModelContext {
  /// The objects that a descriptor asks for, unsaved changes taken into account.
  ///
  /// Cost: one query, and one per prefetched relationship. While the context has unsaved changes, they are evaluated in memory;
  /// a predicate or an order that leads through relationships then makes all objects of the class be loaded.
  /// - Throws: ``SwiftDataError``: `unsupportedPredicate`, `unsupportedSortDescriptor`, `unknownSchema`, `storeFailure`.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    try core.exclusiveUse.during("fetching") { try core.fetch(descriptor) }
  }

  /// The number of objects that a descriptor asks for. Cost: one query, which loads no objects while nothing is unsaved.
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
    let properties = try core.propertiesToLoad(descriptor)
    let keys = try core.orderedIdentifiers(descriptor)
    var start = keys.startIndex
    while start < keys.endIndex {
      let end = min(start + max(1, batchSize), keys.endIndex)
      for model in try core.objects(keys[start..<end], as: T.self, properties: properties)
      where !model.isDeleted { try block(model) }
      if !allowEscapingMutations, hasChanges { try save() }
      core.sweepIfDue()
      start = end
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
