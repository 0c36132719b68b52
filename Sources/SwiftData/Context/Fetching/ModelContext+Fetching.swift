internal import Foundation

extension ModelContext {
  /// Fetches the objects that a descriptor selects, including unsaved changes.
  ///
  /// Cost: one query, and one per prefetched relationship. A pragma for each store in a file tells whether other processes have
  /// saved; if so, the objects of the context take over the changes, which takes more queries. Unsaved objects of the class are
  /// evaluated in memory. One more query runs if the predicate or the order follows relationships to a changed or deleted object:
  /// the objects that lead there are loaded and evaluated in memory too.
  /// - Throws: ``SwiftDataError``: `unsupportedPredicate`, `unsupportedSortDescriptor`, `unknownSchema`, `storeFailure`. The error of a
  ///   custom store as it is.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    try core.exclusiveUse.during("fetching") { try core.fetch(descriptor) }
  }

  /// Counts the objects that a descriptor selects.
  ///
  /// Cost: one query, which loads no objects; two more queries if unsaved changes matter, as in ``fetch(_:)``.
  /// - Throws: the errors of ``fetch(_:)``.
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

  /// Calls a closure for each object that a descriptor selects, in constant memory.
  ///
  ///     try context.enumerate(FetchDescriptor<Book>()) { book in book.pages += 1 }
  ///
  /// One query is read step by step, and each batch of objects is released before the next one. The set of objects and
  /// their order are fixed at the start: the closure may change, insert and delete objects, and gets no object twice. It
  /// does not get objects that it has deleted, nor those that a cascade deletes with them. To know these, a deletion whose cascades can
  /// reach the class loads the members of the deleted object: one query for each relationship that is not loaded.
  ///
  /// The mutation guard keeps changes from piling up in memory. Apple's framework throws when it meets unsaved changes between two
  /// batches, and leaves the changes of the last batch unsaved. Here the changes of each batch are saved after it, so that a
  /// closure that changes or deletes objects works for any number of objects. A call with unsaved changes from before throws,
  /// since it would save them too. With `allowEscapingMutations`, and in a ``transaction(block:)``, nothing is saved: the changes stay
  /// in the context, and ``rollback()`` drops them. An order that only memory can compute loads all objects first, and so does a sorted or limited
  /// class of several stores; and a predicate that only memory can compute, for a descriptor that ignores unsaved changes.
  /// Another predicate that only memory can compute, and unsaved changes in an order, read the rows twice: first for their
  /// keys, which take 24 bytes for each object, then in batches. A store in memory holds all keys.
  ///
  /// Apple: `ModelContext.enumerate(_:batchSize:allowEscapingMutations:block:)`.
  /// - Parameters:
  ///   - descriptor: selects and orders the objects.
  ///   - batchSize: the number of objects loaded at a time.
  ///   - allowEscapingMutations: whether changes may stay unsaved, as they may in a transaction.
  ///   - block: called with each object.
  /// - Throws: ``SwiftDataError/contextIsBusy`` if the context has unsaved changes that are not allowed; the errors of ``save()``;
  ///   errors of the closure. The changes of earlier batches stay saved then.
  public func enumerate<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws {
    // A transaction saves all changes at its end, or none.
    let savesBatches = !allowEscapingMutations && core.openTransactions == 0
    guard !savesBatches || !hasChanges else {
      throw SwiftDataError(
        .contextIsBusy,
        "The context has unsaved changes, which enumerating in batches could lose: save first, or pass allowEscapingMutations: true."
      )
    }
    let deletions = try EnumeratedDeletions(of: T.self, in: core)
    defer { deletions.end() }
    try core.forEachBatch(of: descriptor, size: max(1, batchSize)) { models in
      // An unsaved object leaves the context when the closure deletes it.
      for model in models where !model.isDeleted && model.modelContext === self {
        try block(model)
        try deletions.apply()
      }
      if savesBatches, hasChanges { try save() }
    }
  }
}
