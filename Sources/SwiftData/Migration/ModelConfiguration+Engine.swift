internal import CoreDataStore
internal import Foundation
internal import ManagedModel
internal import StoreRequests

/// The engine of a configuration's store: a custom one, or that of Core Data's layout.
extension ModelConfiguration {
  /// Opens the store that is to get a model; makes one if there is none.
  func openEngine(_ goal: MigrationGoal) throws -> any StoreEngine {
    if let dataStore { return try dataStore.open(goal.modelOfNewStore()) }
    AbandonedDraft.sweep(url)
    let isNew = !FileManager.default.fileExists(atPath: url.path)
    return try openEngine(isNew ? goal.modelOfNewStore() : goal.model)
  }

  /// Opens the store by its own model; makes one if there is none.
  func openEngine(_ model: ModelDescription) throws -> any StoreEngine {
    if let dataStore { return try dataStore.open(model) }
    let options = StoreOptions(isReadOnly: !allowsSave)
    if isStoredInMemoryOnly { return try PersistentStore.inMemory(model: model, options: options) }
    do { return try PersistentStore.open(at: url, options: options, model: model) } catch {
      guard options.isReadOnly, case .missing? = (error as? StoreError)?.kind else { throw error }
      throw SwiftDataError(
        .loadIssueModelContainer,
        "There is no store at \(url.path), and the configuration does not allow that one is made (allowsSave: false). Check the URL, or make the store with a configuration that allows saving."
      )
    }
  }

  /// Migrates the store; `nil` for a store that is opened by its own model only.
  func migrator() throws -> (any StoreMigrator)? {
    guard allowsSave else { return nil }
    if let dataStore { return try dataStore.engine?.migrator() }
    if isStoredInMemoryOnly { return nil }
    return FileMigrator(url, duplicates: migration.uniquenessPolicy.duplicates, backup: migration.backup)
  }

  /// The place as a URL, for values that Apple's API gives as one.
  var placeURL: URL { dataStore == nil ? url : URL(string: place) ?? url }
}
