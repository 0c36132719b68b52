package import ErrorReporting
package import ManagedModel

/// Brings a store of an engine from one model to another.
package protocol StoreMigrator: Sendable {
  /// The version of the store, which is open.
  func version(of store: any StoreEngine) throws -> StoredVersion

  /// Takes the store through steps: all of them or none.
  ///
  /// No other migrator of the store runs meanwhile. It waits for the end, and then sees the new version. If others change the store
  /// meanwhile, the migration begins anew, so that code may run again.
  /// - Parameters:
  ///   - steps: the steps from the version that the store has.
  ///   - progress: is called with the index of each step before it.
  /// - Returns: whether anything was done.
  /// - Throws: ``MigrationError``; the engine's own errors; the errors of the closures.
  @discardableResult
  func migrate(_ steps: (StoredVersion) throws -> [MigrationStep], progress: (Int) -> Void) throws -> Bool
}

extension StoreMigrator {
  /// Infers the changes to a model, and makes them.
  @discardableResult
  package func migrate(to model: ModelDescription, keepsOtherEntities: Bool = false) throws -> Bool {
    try migrate({ _ in [MigrationStep(model, keepsOtherEntities: keepsOtherEntities)] }, progress: { _ in })
  }
}

/// An error of opening a store, which may have the tables of another version of the model.
///
/// The framework then migrates the store, if it may.
package protocol StoreOpeningError: ReportableError {
  var isOfOtherModel: Bool { get }
}

/// A store has the tables of another version of the model.
package struct OtherModelError: StoreOpeningError {
  package let problem: String
  package let remedy: String?
  package var isOfOtherModel: Bool { true }

  package init(_ error: some ReportableError) {
    problem = error.placedProblem
    remedy = error.remedy
  }
}
