package import Foundation
import ManagedModel
package import StoreRequests

/// Migrates the store in a file.
///
/// Steps without code run in one transaction of the store. If a step has code, all steps run on a copy, which takes the store's place
/// at the end.
package struct FileMigrator: StoreMigrator {
  let url: URL
  let duplicates: ChangeSet.DuplicatePolicy
  let backup: URL?

  /// How often a migration begins in all, if somebody writes to the store meanwhile.
  private static let attempts = 3

  /// - Parameters:
  ///   - duplicates: the treatment of rows that a new uniqueness constraint finds with equal values.
  ///   - backup: the place for a copy of the store as it was.
  package init(_ url: URL, duplicates: ChangeSet.DuplicatePolicy, backup: URL?) {
    self.url = url
    self.duplicates = duplicates
    self.backup = backup
  }

  package func version(of store: any StoreEngine) throws -> StoredVersion {
    try (store as? PersistentStore).map { StoredVersion($0.metadata) } ?? version(of: url)
  }

  /// - Throws: ``StoreError``, ``StoreCopyError``, `MigrationError`, or what a step's code throws.
  package func migrate(
    _ steps: (StoredVersion) throws -> [MigrationStep], progress: (Int) -> Void
  ) throws -> Bool {
    try MigrationLock.withLock(of: url) {
      for _ in 0..<Self.attempts {
        let version = try version(of: url)
        let steps = try steps(version)
        guard let last = steps.last, try !version.has(last) else { return false }
        do { if try run(steps, from: version, progress) { return true } } catch let error as StoreError {
          guard case .migrated = error.kind else { throw error }
        }
      }
      throw StoreError(path: url.path, .writtenMeanwhile)
    }
  }

  /// The version in the metadata of a file, and the model in it, if it has one.
  private func version(of file: URL) throws -> StoredVersion {
    if let stored = try? StoreModel.read(file) { return StoredVersion(stored.metadata, stored) }
    var options = StoreOptions(isReadOnly: true, createsIfMissing: false)
    options.hasTablesOnly = true
    let store = try PersistentStore.open(at: file, options: options)
    defer { store.close() }
    return StoredVersion(store.metadata)
  }

  /// - Returns: `false` if another program wrote to the store meanwhile.
  private func run(
    _ steps: [MigrationStep], from version: StoredVersion, _ progress: (Int) -> Void
  ) throws -> Bool {
    let source = version.model == nil ? steps.first?.source : nil
    if let backup {
      let options = StoreOptions(isReadOnly: true, createsIfMissing: false)
      let store = try PersistentStore.open(at: url, options: options, model: source)
      defer { store.close() }
      try store.copy(to: backup, replaces: true)
    }
    guard steps.contains(where: \.hasCode) else {
      try PersistentStore.migrate(at: url, through: steps, from: source, duplicates: duplicates, progress: progress)
      return true
    }
    let copy = try WorkingCopy(of: url)
    // Somebody may have written to the store just before it was copied.
    guard try copy.reporting({ try self.version(of: copy.url) }) == version else { return false }
    for (index, step) in steps.enumerated() {
      progress(index)
      try copy.reporting { try run(step, on: copy.url) }
    }
    return try copy.publish()
  }

  private func run(_ step: MigrationStep, on file: URL) throws {
    if let code = step.codeBefore { try withEngine(step.source, of: file, code) }
    // The old side is a copy of its own.
    let old = try step.codeBeside.map { _ in try WorkingCopy(of: file) }
    try PersistentStore.migrate(at: file, through: [step], from: step.source, duplicates: duplicates)
    if let old, let code = step.codeBeside {
      try withEngine(step.source, of: old.url) { old in
        try withEngine(step.model, of: file) { new in try code(old, new) }
      }
    }
    if let code = step.codeAfter { try withEngine(step.model, of: file, code) }
  }

  private func withEngine(_ model: ModelDescription?, of file: URL, _ code: MigrationStep.Code) throws {
    let store = try PersistentStore.open(at: file, options: StoreOptions(createsIfMissing: false), model: model)
    defer { store.close() }
    try code(store)
  }
}

extension StoredVersion {
  init(_ metadata: StoreMetadata, _ stored: StoreModel? = nil) {
    self.init(
      hashes: metadata.hashes, versionIdentifiers: metadata.versionIdentifiers, model: stored?.model)
  }
}
