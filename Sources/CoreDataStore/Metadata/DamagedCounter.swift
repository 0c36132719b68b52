import ErrorReporting
import ManagedModel

/// A number of the store's bookkeeping that cannot grow, or is missing; only a damaged store has one.
package enum DamagedCounter: ReportableError, Sendable, Hashable {
  /// The store lacks the row that counts an entity's keys (CD-1.2).
  case noKeyCounter(entity: String)
  case outOfKeys(entity: String)
  /// A row's `Z_OPT` cannot grow any more (CD-6).
  case outOfVersions(entity: String)
}

extension DamagedCounter {
  package var problem: String {
    switch self {
    case .noKeyCounter(let entity):
      "the store is damaged: Z_PRIMARYKEY has no row for \(quoted(entity)), so that no keys can be assigned"
    case .outOfKeys(let entity): "the keys of entity \(quoted(entity)) are used up"
    case .outOfVersions(let entity):
      "the store is damaged: Z_OPT of an object of entity \(quoted(entity)) cannot grow"
    }
  }

  package var remedy: String? {
    switch self {
    case .noKeyCounter: "restore the store from a backup"
    case .outOfKeys: nil
    case .outOfVersions: "delete the object, and insert it again"
    }
  }
}
