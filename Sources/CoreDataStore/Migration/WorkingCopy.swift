import DatabaseFiles
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
  private let state: State
  private let busyTimeout: Duration
  /// The files of big values that the store's rows name.
  private let oldFiles: Set<UUID>

  /// Copies a store with its files of big values. Writes nothing to the store.
  ///
  /// Cost: writes as many bytes as the store has; files of big values are linked, not copied, where the file system can.
  /// - Throws: ``StoreError``
  package convenience init(of store: URL, busyTimeout: Duration = .seconds(5)) throws {
    try self.init(of: store, busyTimeout: busyTimeout, isEmpty: false)
  }

  /// - Parameter isEmpty: whether the copy begins as a place without a file.
  private init(of store: URL, busyTimeout: Duration, isEmpty: Bool) throws {
    original = try StoreFile(store)
    self.busyTimeout = busyTimeout
    guard original.isWritable else { throw StoreError(path: original.path, .fileNotWritable) }
    guard original.isFolderWritable else { throw StoreError(path: original.path, .folderNotWritable(original.folder)) }
    let name = URL(fileURLWithPath: original.resolvedPath).lastPathComponent
    do {
      try Self.checkSpace(for: original)
      folder = try AbandonedDraft.folder(for: original, .migrating)
      url = folder.url.appendingPathComponent(name)
      watcher = try Connection(path: original.resolvedPath, mode: .readWrite, busyTimeout: busyTimeout)
      state = try State(watcher)
      if isEmpty {
        oldFiles = try watcher.namedFiles()
        return
      }
      let copy = try Connection(path: url.path, mode: .create, busyTimeout: busyTimeout)
      defer { copy.close() }
      try copy.replaceContent(from: watcher)
      // The store takes over the copy's journal mode with its content. A store in WAL mode can be read while it is
      // replaced.
      try copy.setPragma("journal_mode", "WAL")
      oldFiles = try copy.namedFiles()
      var added: [UUID] = []
      try Self.values(of: original.resolvedPath).share(oldFiles, with: Self.values(of: url.path), added: &added)
    } catch {
      throw Self.reported(error, path: store.path)
    }
  }

  deinit { watcher.close() }

  /// Changes a store on a working copy. If another connection writes to the store meanwhile, starts over, up to three
  /// times.
  ///
  /// - Parameter body: changes the copy, and leaves no connection to it open.
  /// - Throws: ``StoreError``, the errors of `body`; the store is as it was.
  package static func change<Result>(
    _ store: URL, busyTimeout: Duration = .seconds(5), _ body: (_ copy: URL) throws -> Result
  ) throws -> Result {
    try retry(store, busyTimeout, isEmpty: false, body)
  }

  /// Writes a new store. If another connection writes to the old store meanwhile, starts over, up to three times. The old
  /// one is not copied.
  ///
  /// - Parameter body: reads the store, and writes the new one at the copy's place. The new one has the old one's page size, and is closed
  ///   at the end.
  /// - Throws: ``StoreError``, the errors of `body`; the store is as it was.
  package static func replace<Result>(
    _ store: URL, busyTimeout: Duration = .seconds(5), _ body: (_ store: URL, _ copy: URL) throws -> Result
  ) throws -> Result {
    try retry(store, busyTimeout, isEmpty: true) { try body(store, $0) }
  }

  private static func retry<Result>(
    _ store: URL, _ busyTimeout: Duration, isEmpty: Bool, _ body: (_ copy: URL) throws -> Result
  ) throws -> Result {
    for _ in 0..<3 {
      let copy = try WorkingCopy(of: store, busyTimeout: busyTimeout, isEmpty: isEmpty)
      let result = try copy.reporting { try body(copy.url) }
      if try copy.publish() { return result }
    }
    throw StoreError(
      path: store.path,
      .locked(SQLiteError(extendedCode: ResultCode.busy.rawValue, message: "other programs wrote to it each time")))
  }

  /// Runs `body`, which uses the copy. Its errors name the store: the user does not know the copy.
  func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as StoreError where error.path == url.path {
      throw StoreError(path: original.path, error.kind)
    } catch let error as SQLiteError where error.comesFromOutside && error.path == url.path {
      throw StoreError(path: original.path, error)
    }
  }

  /// Puts the copy in the store's place. The copy must not be open.
  ///
  /// - Returns: `false` if somebody has written to the store since it was copied; the store is as they left it.
  /// - Throws: ``StoreError``; the store is as it was.
  package func publish() throws -> Bool {
    let values = Self.values(of: original.resolvedPath)
    var added: [UUID] = []
    var former: Set<UUID> = []
    do {
      let source = try Connection(path: url.path, mode: .readWrite, busyTimeout: busyTimeout)
      defer { source.close() }
      let names = try source.namedFiles()
      former = oldFiles.subtracting(names)
      try AbandonedDraft.note(former, in: folder)
      // New files are on the disk before the rows that name them; old files are removed after their rows.
      try Self.values(of: url.path).share(names, with: values, added: &added)
      try values.synchronize(added)
      let destination = try Connection(path: original.resolvedPath, mode: .readWrite, busyTimeout: busyTimeout)
      defer { destination.close() }
      try destination.setPragma("synchronous", "FULL")
      try StoreFile.require(original.identity, of: destination)
      let isReplaced = try destination.replaceContent(from: source) { try State(watcher) == state }
      AbandonedDraft.settle(isReplaced ? former : Set(added), of: original, in: folder, busyTimeout: busyTimeout)
      return isReplaced
    } catch {
      // A replacement that failed at its end may be committed.
      AbandonedDraft.settle(former.union(added), of: original, in: folder, busyTimeout: .zero)
      throw Self.reported(error, path: original.path)
    }
  }

  // MARK: Files

  private static func values(of path: String) -> ExternalDataFolder { ExternalDataFolder(storePath: path) }

  // MARK: Others

  /// Identifies a state of the store. It differs after each commit of another connection.
  private enum State: Equatable {
    /// The number that SQLite keeps for a connection to a store with a log.
    case log(Int64)
    /// The bytes 18 to 27 of a file with a rollback journal: its format, and the number of its transactions (https://www.sqlite.org/fileformat.html).
    /// They are read without a lock, because no lock is granted while the store is replaced.
    case journal(Data?)

    init(_ connection: Connection) throws {
      let header = try connection.fileBytes(at: 18, count: 10)
      self = header?.first == 2 ? .log(try connection.dataVersion()) : .journal(header)
    }
  }

  private static func reported(_ error: any Error, path: String) -> any Error {
    switch error {
    case let error as SQLiteError: StoreError(path: path, error)
    case let error as ExternalDataError: StoreError(path: path, .externalData(error))
    case let error as CocoaError: StoreError(path: path, error)
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
}
