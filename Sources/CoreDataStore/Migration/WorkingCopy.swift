package import Foundation
import SQLite

/// A copy of a store, beside it, that is changed in several steps and then takes the store's place in one.
///
/// Until ``publish()`` the store is as it was, also if the process ends; a copy that a killed process left is removed by the next one.
/// Publishing replaces the content of the store's file in one transaction, so that other connections see the old store or the new.
package final class WorkingCopy {
  /// The copy's file.
  package let url: URL
  private let original: StoreFile
  private let folder: URL
  private let watcher: Connection
  private let version: Int64
  private let busyTimeout: Duration
  private let oldFiles: Set<String>

  /// Copies a store with its files of big values.
  ///
  /// Cost: writes as many bytes as the store has; files of big values are linked, not copied, where the file system can.
  /// - Throws: ``StoreError``
  package init(of store: URL, busyTimeout: Duration = .seconds(5)) throws {
    original = try StoreFile(store)
    self.busyTimeout = busyTimeout
    guard original.isWritable else { throw StoreError(path: original.path, .fileNotWritable) }
    guard original.isFolderWritable else { throw StoreError(path: original.path, .folderNotWritable(original.folder)) }
    let name = URL(fileURLWithPath: original.resolvedPath).lastPathComponent
    Self.removeAbandoned(in: original.folder, of: name)
    folder = URL(fileURLWithPath: original.folder).appendingPathComponent(
      "\(Self.prefix(of: name))\(getpid())-\(UUID().uuidString)", isDirectory: true)
    url = folder.appendingPathComponent(name)
    do {
      try Self.checkSpace(for: original)
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      watcher = try Connection(path: original.resolvedPath, mode: .readWrite, busyTimeout: busyTimeout)
      // A log lets readers of the store go on while its content is replaced.
      try watcher.setPragma("journal_mode", "WAL")
      version = try watcher.dataVersion()
      let copy = try Connection(path: url.path, mode: .create, busyTimeout: busyTimeout)
      defer { copy.close() }
      try copy.replaceContent(from: watcher)
      oldFiles = try Self.link(Self.bigValues(of: original.resolvedPath), to: Self.bigValues(of: url.path))
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw (error as? SQLiteError).map { StoreError(path: store.path, $0) } ?? error
    }
  }

  deinit {
    watcher.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Puts the copy in the store's place. The copy must not be open.
  ///
  /// - Returns: `false` if somebody has written to the store since it was copied; the store is as they left it.
  /// - Throws: ``StoreError``; the store is as it was.
  package func publish() throws -> Bool {
    let target = Self.bigValues(of: original.resolvedPath)
    let newFiles: Set<String>
    do {
      // Files come before the rows that name them, and go after them.
      newFiles = try Self.link(Self.bigValues(of: url.path), to: target)
      let source = try Connection(path: url.path, mode: .readWrite, busyTimeout: busyTimeout)
      defer { source.close() }
      let destination = try Connection(path: original.resolvedPath, mode: .readWrite, busyTimeout: busyTimeout)
      defer { destination.close() }
      try StoreFile.require(original.identity, of: destination)
      let isReplaced = try destination.replaceContent(from: source) {
        try watcher.dataVersion() == version
      }
      let surplus = isReplaced ? oldFiles.subtracting(newFiles) : newFiles.subtracting(oldFiles)
      for name in surplus { unlink(target + "/" + name) }
      return isReplaced
    } catch let error as SQLiteError {
      throw StoreError(path: original.path, error)
    }
  }

  // MARK: Files

  private static func prefix(of name: String) -> String { ".\(name).migrating-" }

  /// Removes the copies of processes that have ended.
  private static func removeAbandoned(in folder: String, of name: String) {
    let prefix = prefix(of: name)
    for item in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where item.hasPrefix(prefix) {
      guard let process = pid_t(item.dropFirst(prefix.count).prefix { $0 != "-" }), kill(process, 0) != 0,
        errno == ESRCH
      else { continue }
      try? FileManager.default.removeItem(atPath: folder + "/" + item)
    }
  }

  /// Refuses a copy for which the disk has no room, before anything is written.
  private static func checkSpace(for file: StoreFile) throws {
    let values = try? FileManager.default.attributesOfFileSystem(forPath: file.folder)
    guard let free = values?[.systemFreeSize] as? NSNumber, let size = file.size(ofCompanion: "") else { return }
    // The copy, its growth, and the log of the store while the content is replaced.
    guard free.int64Value > size * 3 else {
      throw StoreError(
        path: file.path,
        SQLiteError(extendedCode: ResultCode.full.rawValue, message: "a migration needs a copy of the store"))
    }
  }

  private static func bigValues(of path: String) -> String { ExternalDataFolder(storePath: path).path }

  /// Links the files of a folder into another, or copies them where the file system has no links.
  ///
  /// - Returns: the names of the files.
  private static func link(_ source: String, to target: String) throws -> Set<String> {
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: source)) ?? []).filter {
      UUID(uuidString: $0) != nil
    }
    if names.isEmpty { return [] }
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    for name in names where access(target + "/" + name, F_OK) != 0 {
      if Foundation.link(source + "/" + name, target + "/" + name) != 0 {
        try FileManager.default.copyItem(atPath: source + "/" + name, toPath: target + "/" + name)
      }
    }
    return Set(names)
  }
}
