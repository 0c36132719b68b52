import DatabaseFiles
package import Foundation
import SQLite

/// The remains of a migration, or of a copy, whose process was killed.
///
/// Its draft folder has the files of the draft, and a list of files of big values. A copy adds such files to the store's folder; a
/// migration leaves some there that no row names any more. The next migration or opening of the store, or the next copy to its
/// place, finds the draft folder. It removes the listed files that no row names, and then the folder.
package enum AbandonedDraft {
  enum Purpose: String {
    case copying
    case migrating
  }

  private static let list = "files"

  /// Makes the draft folder of a migration, or of a copy to a place where there may be no file yet.
  static func folder(for file: StoreFile, _ purpose: Purpose) throws -> DraftFolder {
    try DraftFolder(of: name(of: file), in: file.folder, purpose: purpose.rawValue) { removeFiles(of: $0, file) }
  }

  /// Notes files that no row may name in the end, before they come into the store's folder and before the rows change.
  static func note(_ names: Set<UUID>, in folder: DraftFolder) throws {
    guard !names.isEmpty else { return }
    let lines = names.map { $0.uuidString + "\n" }.sorted().joined()
    try Data(lines.utf8).write(to: folder.url.appendingPathComponent(list))
  }

  /// Removes the remains of all killed migrations of a store. If another process writes to the store, they stay for the next time.
  ///
  /// Cost: lists the store's folder.
  package static func sweep(_ store: URL) {
    guard let file = try? StoreFile(store), file.exists, file.isFolderWritable else { return }
    DraftFolder.removeAbandoned(of: name(of: file), in: file.folder, purpose: Purpose.migrating.rawValue) {
      removeFiles(of: $0, file)
    }
  }

  /// Removes files that no row names any more after a migration. If that fails, the draft folder stays, and the next opening
  /// tries again.
  static func settle(_ names: Set<UUID>, of file: StoreFile, in folder: DraftFolder?, busyTimeout: Duration) {
    do { try removeUnnamed(among: names, of: file, busyTimeout: busyTimeout) } catch { folder?.staysBehind = true }
  }

  /// Removes files from the store's folder, unless a row names them.
  ///
  /// Holds the write lock meanwhile, so that no other process is about to name one.
  /// Cost: one scan of each table with big values, of the store and of its neighbours in the folder.
  /// - Throws: `SQLiteError`, among others if another process writes to the store; ``ExternalDataError`` if a file cannot be removed.
  private static func removeUnnamed(among names: Set<UUID>, of file: StoreFile, busyTimeout: Duration) throws {
    let values = ExternalDataFolder(storePath: file.resolvedPath)
    let present = names.filter { values.size(of: $0.uuidString) != nil }
    guard !present.isEmpty else { return }
    guard file.exists else {
      return values.remove(FolderNeighbour.unnamed(among: present, besides: file.resolvedPath))
    }
    let connection = try Connection(path: file.resolvedPath, mode: .readWrite, busyTimeout: busyTimeout)
    defer { connection.close() }
    try connection.watch(StatementGuard(untrustedFile: file.resolvedPath))
    try connection.transaction(.immediate) {
      let unnamed = present.subtracting(try connection.namedFiles())
      let surplus = FolderNeighbour.unnamed(among: unnamed, besides: file.resolvedPath)
      guard !surplus.isEmpty else { return }
      // The rows that gave up a file are on the disk before the file goes.
      if let log = FileDescriptor(open(file.resolvedPath + "-wal", O_RDONLY | O_CLOEXEC)) { try log.synchronize() }
      values.remove(surplus)
      if let left = surplus.first(where: { values.size(of: $0.uuidString) != nil }) {
        throw values.error(SystemError(EIO), left.uuidString)
      }
    }
  }

  /// The name of the folder that a ``MigrationLock`` locks: that of a migration's draft, so that it is removed like one.
  static func lockName(of file: StoreFile) -> String { ".\(name(of: file)).\(Purpose.migrating.rawValue)-lock" }

  private static func name(of file: StoreFile) -> String {
    URL(fileURLWithPath: file.resolvedPath).lastPathComponent
  }

  /// - Returns: whether no file without a row is left.
  private static func removeFiles(of draft: URL, _ file: StoreFile) -> Bool {
    let copy = ExternalDataFolder(storePath: draft.appendingPathComponent(name(of: file)).path)
    let noted = (try? String(contentsOf: draft.appendingPathComponent(list), encoding: .utf8)) ?? ""
    let names = ((try? copy.names()) ?? []) + noted.split(separator: "\n").map(String.init)
    return (try? removeUnnamed(among: Set(names.compactMap(UUID.init)), of: file, busyTimeout: .zero)) != nil
  }
}

extension StoreError {
  /// An error of the file system while a migration prepares its files.
  init(path: String, _ error: CocoaError) {
    self.init(
      path: path, SQLiteError(extendedCode: ResultCode.ioError.rawValue, message: error.localizedDescription))
  }
}
