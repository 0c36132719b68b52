import Foundation
import ManagedModel
import SQLite
import StoreInspection
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// What becomes of a store whose file somebody else has damaged or made up.
enum HostileStore {
  enum Outcome {
    case refused(String)
    case found([CheckFinding])
    case sound
  }

  /// Opens a file, reads every object and relationship of every entity, and checks it.
  ///
  /// - Throws: whatever is neither an error of the store nor one of SQLite's.
  static func use(_ url: URL, isReadOnly: Bool) throws -> Outcome {
    do {
      let options = StoreOptions(isReadOnly: isReadOnly, createsIfMissing: false, busyTimeout: .zero)
      let store = try PersistentStore.open(at: url, options: options)
      defer { store.close() }
      for entity in store.layout.entities where entity.superentityName == nil {
        let rows = try store.rows(of: entity.name)
        try readRelationships(of: entity, rows, store)
      }
      _ = try StoreSummary.read(url)
      let findings = try StoreChecker.check(store)
      return findings.isEmpty ? .sound : .found(findings)
    } catch let error as StoreError {
      #expect(error.description.contains(url.path) && error.description.contains(" — "), "\(error)")
      return .refused(error.description)
    } catch let error as SQLiteError {
      #expect(error.description.contains(url.path), "\(error)")
      return .refused(error.description)
    }
  }

  private static func readRelationships(of entity: EntityLayout, _ rows: [[StoreValue]], _ store: PersistentStore)
    throws
  {
    let owners = rows.prefix(40).compactMap { row -> ObjectKey? in
      guard case .integer(let key)? = row.first else { return nil }
      return ObjectKey(entity: Int32(truncatingIfNeeded: entity.number), key: key)
    }
    for case .toMany(let relationship) in entity.properties {
      let cursor = try store.related(
        to: (entity.name, relationship.description.name), owners: owners, columns: [])
      while try cursor.next() { _ = cursor.object }
    }
  }
}
