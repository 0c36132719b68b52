import DatabaseFiles
import ErrorReporting
package import Foundation
package import ManagedModel
import ModelArchive
import SQLite

/// The model and the metadata that a store carries, for tools that need nothing else from the store.
package struct StoreModel: Sendable {
  package let model: ModelDescription
  package let metadata: StoreMetadata

  /// The entities whose hashes in the store's metadata differ from the hashes of its model, sorted.
  ///
  /// A sound store has none.
  package var differingEntities: [String] {
    let hashes = try? VersionHashes(model)
    return metadata.hashes.hashes.filter { hashes?[$0.key] != $0.value }.keys.sorted(by: codeUnitOrder)
  }

  /// Reads a store's model from untrusted bytes, and makes or changes no file of the store.
  ///
  /// A `-wal` or `-journal` file may have newer data, and another process may write meanwhile. Then this copies the files
  /// to a temporary folder, where SQLite brings the copy up to date. Otherwise it reads the store in place. Cost: at most
  /// one copy.
  /// - Throws: ``StoreError``; ``StoreError/Kind/noModel`` for a store from before `Z_MODELCACHE` (VH-16).
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
      throw StoreError(path: path, .unreadableModel(reason: (error as? any ReportableError)?.problem ?? "\(error)"))
    }
    metadata = contents.metadata
  }
}
