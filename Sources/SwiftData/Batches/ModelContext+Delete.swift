public import Foundation

extension ModelContext {
  /// Deletes the objects of a class that a predicate selects, with their delete rules; the next save deletes the rows.
  ///
  ///     try context.delete(model: Session.self, where: #Predicate { $0.expires < now })
  ///     try context.save()
  ///
  /// The save runs a few SQL statements for each table, cascades included, and loads no object. Objects that the program holds
  /// stay as they are until the save. Then deleted objects leave the context, and objects that lead to them read their rows
  /// again. An object whose values were never read has none after its deletion.
  ///
  /// The context loads the objects and deletes each of them, with the same rows, history, notifications and errors,
  ///
  /// - if it has unsaved changes of the classes concerned, or an undo manager,
  /// - if it fetches objects of them before the save, or changes one,
  /// - if the store cannot evaluate the whole predicate,
  /// - if a delete rule refuses the deletion, whose error names the objects.
  ///
  /// A loaded object is deleted for good: the save does not ask the predicate again, even if somebody else has changed the object meanwhile.
  ///
  /// A rollback before the save undoes the deletion.
  ///
  /// Apple: `ModelContext.delete(model:where:includeSubclasses:)`, which also waits for the next save, but applies only cascade
  /// rules, and leaves registered objects as they are after it.
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
