package import ErrorReporting
package import ManagedModel

/// The version of a store, as the store itself knows it.
package struct StoredVersion: Sendable {
  package let hashes: VersionHashes
  /// The developer's names for the version.
  package let versionIdentifiers: [String]
  /// `nil` if the store does not keep its model.
  package let model: ModelDescription?

  package init(hashes: VersionHashes, versionIdentifiers: [String], model: ModelDescription?) {
    self.hashes = hashes
    self.versionIdentifiers = versionIdentifiers
    self.model = model
  }
}

/// Brings a store of an engine from one model to another.
package protocol StoreMigrator: Sendable {
  /// The version of the store; `nil` if there is no store yet.
  func version() throws -> StoredVersion?

  /// Runs a closure in one transaction, which no other migrator of the store enters meanwhile, and commits the transaction if the closure
  /// returns. Another migrator waits for the end, and then sees the new version.
  ///
  /// The closure runs again if the server ends the transaction because of other transactions.
  func migrate(_ body: (any StoreMigrationTransaction) throws -> Void) throws
}

/// The transaction of a migration. Nobody else sees its changes before it is committed.
package protocol StoreMigrationTransaction: AnyObject {
  /// The version at this point of the transaction.
  var version: StoredVersion { get }

  /// Whether the store had the entities of a model in an earlier version, and has others now.
  func isFormer(_ model: ModelDescription) throws -> Bool

  /// Infers the changes of the rows to a model, and makes them.
  ///
  /// - Parameter keepsOtherEntities: whether entities that the model does not mention stay in the store.
  /// - Returns: whether the store had another model.
  /// - Throws: ``MigrationError``; the engine's own errors.
  @discardableResult
  func infer(_ model: ModelDescription, keepsOtherEntities: Bool) throws -> Bool

  /// Runs statements of the program.
  func execute(_ statements: [String]) throws

  /// An engine that reads and writes in the transaction, until its end.
  ///
  /// - Parameter model: the model of the store at this point.
  func engine(_ model: ModelDescription) throws -> any StoreEngine

  /// Runs a closure with an engine over a copy of the rows as they were before the changes that the closure makes.
  func withCopy(_ model: ModelDescription, _ body: (any StoreEngine) throws -> Void) throws
}

/// A store has the tables of another version of the model.
///
/// The framework then migrates the store, if it may.
package struct OtherModelError: ReportableError {
  package let problem: String
  package let remedy: String?

  package init(_ error: some ReportableError) {
    problem = error.placedProblem
    remedy = error.remedy
  }
}
