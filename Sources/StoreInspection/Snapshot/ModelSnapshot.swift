import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import SQLite

/// The model of a store, its own or a given one, and the layout that follows from it.
struct ModelSnapshot {
  let source: Source
  /// `nil` if there is none, or none that is consistent.
  let model: ModelDescription?
  /// The reason why there is no layout.
  let problem: String?
  /// The layout as found in the store.
  let layout: StoreLayout?
  /// Names of the entities in the order of their numbers (CD-1.2).
  let order: [String]
  /// The layout that a fresh store with these entity numbers would have.
  let planned: StoreLayout?
  /// Entities of the nearest given version that differ from the store's. Empty if a version fits, or none was given.
  let differingEntities: [String]
  /// Whether a given version fits the store's hashes, and so can take the place of a model that cannot be read.
  let hasFittingVersion: Bool

  enum Source: Hashable {
    /// The store carries no model, and none was given.
    case none
    /// The table exists but is empty (VH-16).
    case emptyCache
    case unreadableCache
    case cache
    /// A model that the caller gave, because the store has no model of its own.
    case given
  }

  init(
    archive: Result<Data?, any Error>, catalogue: Catalogue, numbers: [String: Int], hashes: VersionHashes?,
    candidates: [ModelDescription]
  ) {
    let fitting = ModelSnapshot.fitting(candidates, hashes)
    differingEntities = fitting?.differing ?? []
    hasFittingVersion = fitting?.differing.isEmpty == true
    let found = ModelSnapshot.choice(
      archive, fitting, hasCache: catalogue.has("Z_MODELCACHE"), hasEntities: hashes?.hashes.isEmpty != true)
    (source, model) = (found.source, found.model)
    do {
      guard let model = found.model else {
        (order, planned, layout, problem) = ([], nil, nil, found.problem)
        return
      }
      let names = Set((hashes?.hashes ?? [:]).keys)
      let isSubset = !names.isEmpty && names.isStrictSubset(of: model.entities.map(\.name))
      func laidOut(_ catalogue: Catalogue?, _ numbers: [String: Int]) throws -> StoreLayout {
        try StoreLayout(model: model, entityNames: isSubset ? names : nil, catalogue: catalogue, numbers: numbers)
      }
      let fresh = try laidOut(nil, [:])
      let planned = try laidOut(Catalogue(columns: [:]), numbers)
      layout = try laidOut(catalogue, numbers)
      self.planned = planned
      order = fresh.entities.map(\.name)
      problem = nil
    } catch {
      let cause = found.model.flatMap { (error as? LayoutError)?.ofMetadata(leavingOutPartOf: $0) }
      (order, planned, layout, problem) = ([], nil, nil, cause?.problem ?? "the model cannot be used: \(error)")
    }
  }

  private static func choice(
    _ archive: Result<Data?, any Error>, _ given: (model: ModelDescription, differing: [String])?, hasCache: Bool,
    hasEntities: Bool
  ) -> (source: Source, model: ModelDescription?, problem: String?) {
    do {
      if let cached = try archive.get().map(ModelCache.model) {
        guard cached.entities.isEmpty, hasEntities else { return (.cache, cached, nil) }
        return (.unreadableCache, nil, "the model in the store has no entities")
      }
    } catch {
      return (.unreadableCache, nil, "the model in the store cannot be read: \(error)")
    }
    if let given, given.differing.isEmpty { return (.given, given.model, nil) }
    let source: Source = hasCache ? .emptyCache : .none
    // The store was never meant to have the indexes and triggers of a model that differs.
    if let given {
      return (source, nil, "the model that was given differs in \(abbreviatedList(given.differing))")
    }
    return (source, nil, hasCache ? "Z_MODELCACHE is empty" : "the store carries no model, and none was given")
  }

  /// The newest version whose hashes match the store's, or else the newest of the versions with the fewest differing
  /// entities.
  private static func fitting(
    _ candidates: [ModelDescription], _ hashes: VersionHashes?
  ) -> (model: ModelDescription, differing: [String])? {
    var nearest: (model: ModelDescription, differing: [String])?
    for model in candidates.reversed() {
      let found = try? VersionHashes(model)
      let differing = (hashes?.hashes ?? [:]).keys.filter { found?[$0] != hashes?[$0] }.sorted(by: codeUnitOrder)
      if differing.isEmpty { return (model, []) }
      if differing.count < nearest?.differing.count ?? .max { nearest = (model, differing) }
    }
    return nearest
  }
}
