public import Foundation

extension ModelContext {
  /// Sets properties of the objects of a class that a predicate selects; the next save writes the rows.
  ///
  ///     try context.update(model: Book.self, where: #Predicate { $0.year < 1900 }) { books in
  ///       books.set(\.isClassic, to: true)
  ///       books.set(\.price, to: #Expression { $0.price * 2 })
  ///     }
  ///     try context.save()
  ///
  /// The save runs one SQL `UPDATE`. Objects that the program holds show the new values after the save; no other object is
  /// loaded.
  ///
  /// The context loads the objects and changes each of them, with the same rows, versions, history, notifications and errors,
  ///
  /// - if it has unsaved changes of the class, or an undo manager,
  /// - if it fetches objects of the class before the save, or changes one,
  /// - if the store cannot evaluate the predicate or an expression; it computes integers, `Double`, `Bool`, `String` and `Date`,
  /// - if a property is no attribute, or an expression sets one that has rules.
  ///
  /// If somebody else saves a loaded object before, the save makes the update again on the newer values, as SQL would; see
  /// ``SaveConflictPolicy/mergeByProperty``. An assignment of the program to the same property stays.
  ///
  /// A rollback before the save undoes the update. Not in Apple's framework.
  /// - Parameters:
  ///   - model: the class of the objects.
  ///   - predicate: selects the objects; `nil` selects all.
  ///   - includeSubclasses: whether objects of subclasses are updated as well.
  ///   - set: names the new values. All are computed from the values before the update.
  /// - Throws: ``SwiftDataError``: `unsupportedPredicate`, `unknownSchema`, `storeFailure`; the error of `set`. A value that
  ///   cannot be computed, breaks a rule, or is not unique makes this call or the save throw `modelValidationFailure`.
  public func update<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true,
    set: (inout ModelUpdate<T>) throws -> Void
  ) throws {
    var update = ModelUpdate<T>()
    try set(&update)
    try core.exclusiveUse.during("updating by a predicate") {
      try core.update(model, where: predicate, includeSubclasses: includeSubclasses, update)
    }
  }
}
