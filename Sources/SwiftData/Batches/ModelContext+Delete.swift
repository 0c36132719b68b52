public import Foundation

extension ModelContext {
  /// Deletes the objects of a class that a predicate selects, with their delete rules; the next save deletes the rows.
  ///
  ///     try context.delete(model: Session.self, where: #Predicate { $0.expires < now })
  ///     try context.save()
  ///
  /// The save runs a few SQL statements for each table, cascades included, and loads no object. This holds if the program
  /// holds no object of the classes concerned, the context has no unsaved changes of them, and the store can evaluate the whole
  /// predicate. Otherwise, and when the context fetches before the save, it loads the objects and deletes each of them. The
  /// result is the same: rows, history, notifications and errors. A rollback before the save undoes the deletion.
  ///
  /// Apple: `ModelContext.delete(model:where:includeSubclasses:)`, which also waits for the next save, but applies only cascade
  /// rules, and leaves registered objects as they are.
  /// - Parameters:
  ///   - model: the class of the objects.
  ///   - predicate: selects the objects; `nil` selects all.
  ///   - includeSubclasses: whether objects of subclasses are deleted as well.
  /// - Throws: ``SwiftDataError``: `unsupportedPredicate`, `unknownSchema`, `storeFailure`. A delete rule `deny`, or a required
  ///   relationship that would lead to no object, makes the save throw `modelValidationFailure`.
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws {
    try core.exclusiveUse.during("deleting by a predicate") {
      try core.delete(model, where: predicate, includeSubclasses: includeSubclasses)
    }
  }
}
