import ErrorReporting
import ManagedModel

/// A number of the store's bookkeeping that cannot grow, or is missing; only a damaged store has one.
package enum DamagedCounter: ReportableError, Sendable, Hashable {
  /// The store lacks the row that counts an entity's keys (CD-1.2).
  case noKeyCounter(entity: String)
  /// `Z_MAX`, or the largest `Z_PK`, is at the end of all integers.
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
    case .noKeyCounter: "repair the store with `store-tool doctor --repair`, or restore it from a backup"
    case .outOfKeys:
      "repair Z_MAX with `store-tool doctor --repair`; if an object has the largest key, delete the object before"
    case .outOfVersions: "delete the object, and insert it again"
    }
  }
}
