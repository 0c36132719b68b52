import DatabaseFiles
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
  /// Where data may be waiting in a `-wal` or `-journal`, or somebody writes meanwhile, the files are copied to a temporary
  /// folder and SQLite brings the copy up to date; otherwise the store is read in place. Cost: one copy at most.
  /// - Throws: ``StoreError``; ``StoreError/Kind/noModel`` for a store of before `Z_MODELCACHE` (VH-16).
  package static func read(_ url: URL) throws -> StoreModel {
    let file = try StoreFile(url)
    guard file.exists else { throw StoreError(path: file.path, .missing) }
    let model = try file.inPlace {
      try file.checkHeader()
      return try read(file, at: file.resolvedPath, mode: .immutable)
    }
    if let model { return model }
    try file.checkHeader()
    let copy = try file.copy()
    return try withExtendedLifetime(copy) { try read(file, at: copy.path, mode: .readWrite) }
  }

  private static func read(_ file: StoreFile, at path: String, mode: OpenMode) throws -> StoreModel {
    do {
      let connection = try Connection(path: path, mode: mode)
      defer { connection.close() }
      try connection.watch(StatementGuard(untrustedFile: path))
      return try StoreModel(connection, path: file.path)
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
