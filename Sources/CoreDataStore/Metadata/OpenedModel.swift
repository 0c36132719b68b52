import ManagedModel
import SQLite
import Synchronization

/// The model that an open store was opened with, and the notice that somebody has migrated the store since.
///
/// A migration may renumber the entities. With the old numbers, a program would read and write rows of other entities.
final class OpenedModel: Sendable {
  private let hashes: VersionHashes
  /// The store's file; `nil` in memory.
  let path: String?
  /// The last schema version that was seen with these hashes.
  private let schemaVersion: Mutex<Int64>
  /// Whether a check has found other hashes. SQLite then knows the new tables, and its statements do not notice again.
  private let isMigrated = Atomic(false)

  init(_ hashes: VersionHashes, schemaVersion: Int64, path: String?) {
    self.hashes = hashes
    self.path = path
    self.schemaVersion = Mutex(schemaVersion)
  }

  /// Fails if a check has found that the store was migrated. Cost: it reads nothing.
  ///
  /// - Throws: ``StoreError/Kind/migrated``
  func requireUnmigrated() throws {
    if isMigrated.load(ordering: .relaxed) { throw StoreError(path: path, .migrated) }
  }

  /// Cost: one pragma; after a change of a definition, also the metadata.
  ///
  /// - Returns: SQLite's schema version.
  /// - Throws: ``StoreError/Kind/migrated``; `SQLiteError`.
  @discardableResult
  func check(_ connection: Connection) throws -> Int64 {
    try requireUnmigrated()
    let version = try connection.schemaVersion()
    guard schemaVersion.withLock({ $0 }) != version else { return version }
    do {
      guard try StoreMetadata(connection).hashes == hashes else {
        isMigrated.store(true, ordering: .relaxed)
        throw StoreError(path: path, .migrated)
      }
    } catch let error as MetadataError {
      throw StoreError(path: path, .unusableMetadata(error))
    }
    schemaVersion.withLock { $0 = version }
    return version
  }
}
