import CoreDataModel
import CoreDataStore
import Foundation

/// What a store is opened with: its own model, or the version of a bundle that fits it.
struct CandidateModels {
  private let bundle: ModelBundle?

  /// - Throws: `ModelReadingError` if the bundle cannot be read.
  init(path: String?) throws {
    bundle = try path.map { try ModelBundle.read(at: URL(fileURLWithPath: $0)) }
  }

  /// Checks a store, with the newest version of the bundle whose entities have the store's hashes.
  ///
  /// - Throws: `StoreError` of the newest version if none fits, or if the store cannot be opened.
  func check(_ store: URL) throws -> [CheckFinding] {
    guard let bundle, let newest = bundle.versions.last else { return try StoreChecker.check(store) }
    for version in bundle.versions.reversed() {
      if let findings = try? StoreChecker.check(store, model: version.model) { return findings }
    }
    return try StoreChecker.check(store, model: newest.model)
  }
}
