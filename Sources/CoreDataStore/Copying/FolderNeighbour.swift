import Foundation
import SQLite

/// A store that has the folder of its big values in common with a store beside it.
///
/// The names of two such stores differ only in the extension (CD-5).
struct FolderNeighbour {
  let path: String
  /// The files that its rows name; `nil` if they cannot be read.
  private let files: Set<UUID>?

  /// The neighbours of a store.
  ///
  /// A file that cannot be read counts as a neighbour, because it may be a store.
  /// Cost: lists the folder; reads the columns of bytes of each neighbour.
  /// - Parameter storePath: the store's file, which need not exist, with all links resolved.
  static func all(of storePath: String) -> [FolderNeighbour] {
    let url = URL(fileURLWithPath: storePath)
    let (folder, stem) = (url.deletingLastPathComponent(), url.deletingPathExtension().lastPathComponent)
    let values = ExternalDataFolder(storePath: storePath).path
    let identity = (try? StoreFile(url))?.identity
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap { name in
      guard name.hasPrefix(stem), !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix),
        let file = try? StoreFile(folder.appendingPathComponent(name)), file.identity != identity, file.isStore,
        ExternalDataFolder(storePath: file.resolvedPath).path == values
      else { return nil }
      return FolderNeighbour(
        path: file.path, files: try? file.withReader { connection, _ in try connection.namedFiles() })
    }
  }

  /// The files that the rows of no neighbour of a store name.
  static func unnamed(among names: Set<UUID>, besides storePath: String) -> Set<UUID> {
    names.isEmpty ? names : all(of: storePath).reduce(names) { $1.unnamed(among: $0) }
  }

  /// The files that its rows do not name; empty if the rows cannot be read.
  func unnamed(among names: Set<UUID>) -> Set<UUID> { files.map { names.subtracting($0) } ?? [] }

  /// Whether its rows name one of the files, or may do so because they cannot be read.
  func mayName(_ names: Set<UUID>) -> Bool { files.map { !$0.isDisjoint(with: names) } ?? !names.isEmpty }
}

extension StoreFile {
  /// Whether the file exists and may be a store: it is a database, or cannot be read.
  fileprivate var isStore: Bool {
    guard exists else { return false }
    do { try checkHeader() } catch let error as StoreError {
      switch error.kind {
      case .empty, .foreign: return false
      default: return true
      }
    } catch {}
    return true
  }
}
