package import Foundation
package import ManagedModel
import ModelArchive
import SQLite

/// The model that a store carries, for tools that need no more of the store than that.
package struct StoreModel: Sendable {
  package let model: ModelDescription
  package let metadata: StoreMetadata

  /// The entities whose hashes in the store's metadata are not those of its model, sorted; none in a sound store.
  package var differingEntities: [String] {
    let hashes = try? VersionHashes(model)
    return metadata.hashes.hashes.filter { hashes?[$0.key] != $0.value }.keys.sorted(by: codeUnitOrder)
  }

  /// Reads a store's model from untrusted bytes; not a byte of the store, nor a file beside it, is made or changed.
  ///
  /// Where data may be waiting in a `-wal` or `-journal`, the files are copied to a temporary folder and SQLite brings
  /// the copy up to date; otherwise the store is read in place, as a file that nobody changes. Cost: one copy at most.
  /// - Throws: ``StoreError``; ``StoreError/Kind/noModel`` for a store of before `Z_MODELCACHE` (VH-16).
  package static func read(_ url: URL) throws -> StoreModel {
    let file = try StoreFile(url)
    guard file.exists else { throw StoreError(path: file.path, .missing) }
    try file.checkHeader()
    do {
      guard file.hasPendingData else {
        let connection = try Connection(path: file.resolvedPath, mode: .immutable)
        defer { connection.close() }
        try connection.watch(TreeWatch(path: file.resolvedPath))
        return try StoreModel(connection, path: file.path)
      }
      let copy = try file.copy()
      let connection = try Connection(path: copy.path, mode: .readWrite)
      defer { connection.close() }
      try connection.watch(TreeWatch(path: copy.path))
      return try withExtendedLifetime(copy) { try StoreModel(connection, path: file.path) }
    } catch let error as SQLiteError {
      throw StoreError(path: file.path, error)
    }
  }

  private init(_ connection: Connection, path: String) throws {
    let contents = try StoreContents(connection, path: path)
    guard let archive = contents.modelArchive else { throw StoreError(path: path, .noModel) }
    do { model = try ModelCache.model(archive) } catch {
      throw StoreError(path: path, .unreadableModel(reason: (error as? ModelArchiveError)?.problem ?? "\(error)"))
    }
    metadata = contents.metadata
  }
}
