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
      let copy = try StoreCopy(of: file)
      defer { copy.remove() }
      let connection = try Connection(path: copy.path, mode: .readWrite)
      defer { connection.close() }
      try connection.watch(TreeWatch(path: copy.path))
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

/// A copy of a store with what waits beside it, in a temporary folder of its own.
struct StoreCopy {
  private let folder: URL
  let path: String

  /// A copy made while another program wrote would mix two states, so it is made again if the files changed meanwhile.
  init(of file: StoreFile) throws {
    let manager = FileManager.default
    folder = manager.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)", isDirectory: true)
    path = folder.appendingPathComponent("store").path
    do {
      try manager.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      for _ in 0..<3 {
        let before = StoreCopy.states(of: file)
        for (suffix, state) in before {
          try? manager.removeItem(atPath: path + suffix)
          if state == nil { continue }
          try manager.copyItem(atPath: file.resolvedPath + suffix, toPath: path + suffix)
          try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + suffix)
        }
        if before == StoreCopy.states(of: file) { return }
      }
    } catch {
      remove()
      throw StoreError(
        path: file.path, .unreadable(reason: "it cannot be copied to \(folder.path): \(error.localizedDescription)"))
    }
    remove()
    throw StoreError(path: file.path, .unreadable(reason: "another program is writing it"))
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Size and time of change of the store's file and its companions, by what their names add to the store's.
  private static func states(of file: StoreFile) -> [String: State?] {
    var states: [String: State?] = [:]
    for suffix in ["", "-wal", "-journal"] {
      let attributes = try? FileManager.default.attributesOfItem(atPath: file.resolvedPath + suffix)
      states[suffix] = .some(
        attributes.map { State(size: $0[.size] as? Int ?? 0, changed: $0[.modificationDate] as? Date) })
    }
    return states
  }

  private struct State: Equatable {
    let size: Int
    let changed: Date?
  }
}
