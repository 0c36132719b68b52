package import Foundation
import SQLite

/// A copy of a store, beside it, that is changed in several steps and then takes the store's place in one.
///
/// Until ``publish()`` the store is as it was, also if the process ends.
/// Publishing replaces the content of the store's file in one transaction, so that other connections see the old store or the new.
package final class WorkingCopy {
  /// The copy's file.
  package let url: URL
  private let original: StoreFile
  private let folder: DraftFolder
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
    do {
      try Self.checkSpace(for: original)
      folder = try DraftFolder(of: name, in: original.folder, purpose: "migrating")
      url = folder.url.appendingPathComponent(name)
      watcher = try Connection(path: original.resolvedPath, mode: .readWrite, busyTimeout: busyTimeout)
      // A log lets readers of the store go on while its content is replaced.
      try watcher.setPragma("journal_mode", "WAL")
      version = try watcher.dataVersion()
      let copy = try Connection(path: url.path, mode: .create, busyTimeout: busyTimeout)
      defer { copy.close() }
      try copy.replaceContent(from: watcher)
      var files: (names: Set<String>, added: Set<String>) = ([], [])
      try Self.link(Self.bigValues(of: original.resolvedPath), to: Self.bigValues(of: url.path), &files)
      oldFiles = files.names
    } catch {
      throw Self.reported(error, path: store.path)
    }
  }

  deinit { watcher.close() }

  /// Puts the copy in the store's place. The copy must not be open.
  ///
  /// - Returns: `false` if somebody has written to the store since it was copied; the store is as they left it.
  /// - Throws: ``StoreError``; the store is as it was.
  package func publish() throws -> Bool {
    let target = Self.bigValues(of: original.resolvedPath)
    var files: (names: Set<String>, added: Set<String>) = ([], [])
    do {
      // Files come before the rows that name them, and go after them.
      try Self.link(Self.bigValues(of: url.path), to: target, &files)
      let source = try Connection(path: url.path, mode: .readWrite, busyTimeout: busyTimeout)
      defer { source.close() }
      let destination = try Connection(path: original.resolvedPath, mode: .readWrite, busyTimeout: busyTimeout)
      defer { destination.close() }
      try StoreFile.require(original.identity, of: destination)
      let isReplaced = try destination.replaceContent(from: source) {
        try watcher.dataVersion() == version
      }
      for name in isReplaced ? oldFiles.subtracting(files.names) : files.added { unlink(target + "/" + name) }
      return isReplaced
    } catch {
      // A replacement that failed at its end may be committed. If the rows cannot be read, all files stay.
      if let needed = try? Self.namedFiles(original) {
        for name in files.added where UUID(uuidString: name).map(needed.contains) == false {
          unlink(target + "/" + name)
        }
      }
      throw Self.reported(error, path: original.path)
    }
  }

  // MARK: Files

  /// The files that rows of a store name.
  private static func namedFiles(_ file: StoreFile) throws -> Set<UUID> {
    let connection = try Connection(path: file.resolvedPath, mode: .readWrite)
    defer { connection.close() }
    return try connection.namedFiles()
  }

  private static func reported(_ error: any Error, path: String) -> any Error {
    switch error {
    case let error as SQLiteError: StoreError(path: path, error)
    case let error as CocoaError:
      StoreError(
        path: path, SQLiteError(extendedCode: ResultCode.ioError.rawValue, message: error.localizedDescription))
    default: error
    }
  }

  /// Refuses a copy for which the disk has no room, before anything is written.
  private static func checkSpace(for file: StoreFile) throws {
    guard let free = DraftFolder.freeSpace(in: file.folder), let size = file.size(ofCompanion: "") else { return }
    // The copy, its growth, and the log of the store while the content is replaced.
    guard free > size * 3 else {
      throw StoreError(
        path: file.path,
        SQLiteError(extendedCode: ResultCode.full.rawValue, message: "a migration needs a copy of the store"))
    }
  }

  private static func bigValues(of path: String) -> String { ExternalDataFolder(storePath: path).path }

  /// Links the files of a folder into another, or copies them where the file system has no links.
  ///
  /// - Parameter files: gets the names of the files, and those of them that the other folder lacked.
  private static func link(
    _ source: String, to target: String, _ files: inout (names: Set<String>, added: Set<String>)
  ) throws {
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: source)) ?? []).filter {
      UUID(uuidString: $0) != nil
    }
    if names.isEmpty { return }
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    for name in names {
      files.names.insert(name)
      guard access(target + "/" + name, F_OK) != 0 else { continue }
      files.added.insert(name)
      if Foundation.link(source + "/" + name, target + "/" + name) != 0 {
        try FileManager.default.copyItem(atPath: source + "/" + name, toPath: target + "/" + name)
      }
    }
  }
}
