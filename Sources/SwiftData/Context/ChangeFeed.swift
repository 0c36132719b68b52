internal import CoreDataStore
internal import Foundation
internal import Synchronization

/// What a save did, as other contexts and the notifications are told.
struct SavedChanges: Sendable {
  var inserted: [PersistentIdentifier] = []
  var updated: [PersistentIdentifier] = []
  var deleted: [PersistentIdentifier] = []
  /// Objects that were not saved, of which the store itself changed a value.
  var refreshed: [PersistentIdentifier] = []
  /// Relationships by which some member came to another owner.
  var exclusiveOwners: Set<ExclusiveOwnership> = []
}

/// Where a context finds what other contexts have saved; they put it there on their own threads.
final class Inbox: Sendable {
  private let news = Mutex<[SavedChanges]>([])

  func receive(_ changes: SavedChanges) { news.withLock { $0.append(changes) } }

  /// Everything that has come since the last call.
  func drain() -> [SavedChanges] {
    news.withLock { news in
      defer { news = [] }
      return news
    }
  }
}

extension ContextCore {
  /// Brings registered objects to what other contexts have saved meanwhile: one query per entity that is affected.
  ///
  /// Objects with changes keep them; whether they conflict is decided by the save.
  func adoptSavedChanges() {
    let news = inbox.drain()
    guard !news.isEmpty else { return }
    var newer: [any PersistentModel] = []
    for changes in news {
      for identifier in changes.deleted {
        guard let object = registered(identifier) else { continue }
        switch object._$state.status {
        case .clean, .fault, .deleted: orphan(object)
        case .changed, .detached, .inserted, .orphaned: break
        }
      }
      for identifier in changes.updated + changes.refreshed {
        if let object = registered(identifier), hasStoredValues(object) { newer.append(object) }
      }
      reloadMembers(changes.exclusiveOwners)
    }
    reread(newer.filter(hasStoredValues))
  }

  /// Whether an object has values as its row had them when it was read; a fault may have some.
  private func hasStoredValues(_ object: any PersistentModel) -> Bool {
    switch object._$state.status {
    case .clean: true
    case .fault: object._$state.version != 0
    case .changed, .deleted, .detached, .inserted, .orphaned: false
    }
  }

  /// The registered object of an identifier.
  func registered(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
    guard let row = container.row(of: identifier) else { return nil }
    return registered(row.tag, row.key)
  }
}
