extension ModelContext {
  /// Checks all unsaved changes as a save does, and writes nothing.
  ///
  ///     do { try context.validate() } catch let error as SwiftDataError {
  ///       for problem in error.validationProblems { print(problem) }
  ///     }
  ///
  /// It checks the rules of attributes, the number of objects in relationships, denied deletions, and links to objects of
  /// other contexts. Only the store knows whether values are unique and whether others have changed a row, so a save may still
  /// throw. Cost: in memory; delete rules load the objects that they concern. Not in Apple's framework.
  /// - Throws: ``SwiftDataError/modelValidationFailure`` with all problems in ``SwiftDataError/validationProblems``;
  ///   the error of an object that cannot be inserted; `storeFailure` if objects cannot be read.
  public func validate() throws {
    try core.exclusiveUse.during("validating") {
      try core.prepareToFetch()
      try core.completeUnit()
      try core.reportingReadFailures { try core.validate() }
    }
  }
}
