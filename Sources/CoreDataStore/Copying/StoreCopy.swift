import DatabaseFiles
package import Foundation
import SQLite
import StoreRequests

/// A copy of a store in one state between two saves, made while programs go on saving.
///
/// The rows come from one read transaction, which includes the saves that wait in the log. Every file of a big value that the rows name is
/// copied too. A save may replace a big value and remove its file before the file is copied. The copy then begins again with the newer
/// rows. It keeps the files it has, because a file never changes under its name, so each attempt copies less. The last attempt takes
/// the write lock until it has all files, so that no save can remove one.
package struct StoreCopy {
  /// The contents of a copy.
  package struct Report: Sendable, Hashable {
    /// The size of the copy's file in bytes.
    package let byteCount: Int64
    /// The number of files of big values, and their bytes.
    package let fileCount: Int
    package let fileByteCount: Int64
    /// Files that rows name and that the store does not have either, sorted.
    package let missingFiles: [String]
  }

  /// Called for each part of the work: the share that is done, from 0 to 1. Its error ends the copy, and nothing is left of it.
  package typealias Progress = (Double) throws -> Void

  /// The number of attempts to copy the files without the write lock.
  static let attempts = 3
  /// The number of attempts if this process cannot take the write lock.
  static let attemptsWithoutLock = 20

  /// Changes the draft of a copy before the copy takes its place. It gets the draft's file, which nobody else uses, and leaves no
  /// connection to it open. Its error ends the copy, and nothing is left of it.
  package typealias Change = (_ draft: URL) throws -> Void

  /// Copies the store in a file. Writes nothing to the store.
  ///
  /// Needs no model. Cost: writes as many bytes as the store and its files have. Meanwhile other programs may save to a store in WAL mode,
  /// and its log grows. A store with a rollback journal lets them save only when the rows and files are copied.
  /// - Parameters:
  ///   - replaces: whether a store at the target is replaced; programs that have it open see its old or its new content.
  ///   - change: changes the copy before it takes its place; `nil` by default.
  /// - Throws: ``StoreError``, ``StoreCopyError``; the errors of `change` and `progress`. What was at the target is then as it was.
  @discardableResult
  package static func copy(
    from source: URL, to target: URL, replaces: Bool = false, busyTimeout: Duration = .seconds(5),
    progress: @escaping Progress = { _ in }, changing change: Change? = nil
  ) throws -> Report {
    let file = try StoreFile(source)
    guard file.exists else { throw StoreError(path: file.path, .missing) }
    try file.checkHeader()
    do {
      return try file.withReader(busyTimeout: busyTimeout) { connection, mode in
        try StoreCopy(connection: connection, file: file, mode: mode, busyTimeout: busyTimeout, progress: progress)
          .run(to: target, replaces: replaces, changing: change)
      }
    } catch let error as SQLiteError {
      throw StoreError(path: file.path, error)
    } catch let error as ExternalDataError {
      throw StoreError(path: file.path, .externalData(error))
    }
  }

  private let connection: Connection
  /// `nil` in memory.
  private let file: StoreFile?
  private let mode: ReadingMode
  private let busyTimeout: Duration
  private let progress: Progress

  fileprivate init(
    connection: Connection, file: StoreFile?, mode: ReadingMode, busyTimeout: Duration, progress: @escaping Progress
  ) {
    self.connection = connection
    self.file = file
    self.mode = mode
    self.busyTimeout = busyTimeout
    self.progress = progress
  }

  fileprivate func run(to url: URL, replaces: Bool, changing change: Change? = nil) throws -> Report {
    let target = try CopyTarget(url, source: file, replaces: replaces)
    var files = CopiedFiles(source: file.map { ExternalDataFolder(storePath: $0.resolvedPath) }, target: target)
    var absent: Set<UUID> = []
    let before = mode == .unlocked ? file.map { FileState.ofDatabase($0.resolvedPath) } : nil
    let last = mode == .shared ? Self.attempts : Self.attemptsWithoutLock
    for attempt in 0...last {
      let lock = attempt == last && mode == .shared ? try writeLock() : nil
      defer { lock?.close() }
      let isDone = try connection.transaction(.deferred) {
        // The first read fixes the state that the transaction sees.
        let names = try connection.namedFiles()
        let size =
          (try connection.integer("PRAGMA page_count") ?? 0) * (try connection.integer("PRAGMA page_size") ?? 0)
        // A store that is replaced has its old content in its file, and the new one in its log.
        try target.checkSpace(size * (replaces ? 2 : 1) + files.missingBytes(of: names))
        if attempt == 0 { try target.checkFolder(for: names) }
        try progress(0)
        let missing = try files.take(names) { try progress(0) }
        lock?.close()
        // If two states name a file and neither has it, no save between them removed it: the file is missing.
        guard lock != nil || missing.isSubset(of: absent) else {
          absent = missing
          return false
        }
        absent = missing
        files.keep(names)
        try write(target)
        return true
      }
      guard isDone else { continue }
      if let before, let file, FileState.ofDatabase(file.resolvedPath) != before { break }
      if let change {
        try target.reporting { try change(URL(fileURLWithPath: target.draft)) }
        absent = files.recount(try target.finishDraft())
      }
      return try Self.publish(files, at: target, absent: absent)
    }
    throw StoreError(
      path: file?.path,
      .locked(SQLiteError(extendedCode: ResultCode.busy.rawValue, message: "another program writes it all the time")))
  }

  /// Gives the draft and its files their places.
  private static func publish(_ files: CopiedFiles, at target: CopyTarget, absent: Set<UUID>) throws -> Report {
    try files.synchronize()
    try target.publish(files.names)
    // A link stays, and its file is replaced.
    let file = try StoreFile(URL(fileURLWithPath: target.path)).resolvedPath
    let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
    return Report(
      byteCount: size?.int64Value ?? 0, fileCount: files.names.count, fileByteCount: files.byteCount,
      missingFiles: absent.map(\.uuidString).sorted())
  }

  /// Writes the rows into the draft.
  private func write(_ target: CopyTarget) throws {
    try target.reporting {
      let draft = try Connection(path: target.draft, mode: .create)
      defer { draft.close() }
      do {
        try connection.copyContent(to: draft) { done, total in
          try progress(total == 0 ? 1 : Double(done) / Double(total))
        }
      } catch let failure as CopyReadingError {
        throw StoreError(path: file?.path, failure.error)
      }
      // Every store of today has a log; a store in memory or from before 2013 has none.
      try draft.setPragma("journal_mode", "WAL")
      // The copy gets the file mode of the store, so that no other user can read it.
      if let file {
        let mode = try FileManager.default.attributesOfItem(atPath: file.resolvedPath)[.posixPermissions] as? NSNumber
        if let mode { chmod(target.draft, mode_t(mode.uint16Value & 0o777 | 0o200)) }
      }
      try draft.finish()
    }
  }

  /// A connection that holds the store's write lock until it is closed.
  private func writeLock() throws -> Connection? {
    guard let file else { return nil }
    let lock = try Connection(path: file.resolvedPath, mode: .readWrite, busyTimeout: busyTimeout)
    try StoreFile.require(file.identity, of: lock)
    try lock.keepWriteAheadLogOnClose()
    try lock.execute("BEGIN IMMEDIATE")
    return lock
  }
}

extension StoreCopy {
  /// Makes a store in a draft, which then takes its place in one step.
  ///
  /// - Parameter writing: makes the store at the draft's place, and leaves no connection to it open.
  /// - Throws: ``StoreError``, ``StoreCopyError``; the errors of `writing`. What was at the place is then as it was.
  @discardableResult
  package static func make(at url: URL, replaces: Bool, writing: Change) throws -> Report {
    let target = try CopyTarget(url, source: nil, replaces: replaces)
    try target.reporting { try writing(URL(fileURLWithPath: target.draft)) }
    var files = CopiedFiles(source: nil, target: target)
    let absent = files.recount(try target.finishDraft())
    return try publish(files, at: target, absent: absent)
  }
}

extension PersistentStore: CopyableEngine {
  package func copy(toFile file: URL, replacesExisting: Bool) throws -> [String] {
    try copy(to: file, replaces: replacesExisting).missingFiles
  }

  /// Copies this store to a file, also a store in memory. See ``StoreCopy``.
  ///
  /// - Throws: ``StoreError``, ``StoreCopyError``; the errors of `progress`.
  @discardableResult
  package func copy(
    to target: URL, replaces: Bool = false, progress: @escaping StoreCopy.Progress = { _ in }
  ) throws -> StoreCopy.Report {
    if let url {
      try read { if $0.fileHasMoved { throw StoreError(path: url.path, .replaced) } }
      return try StoreCopy.copy(from: url, to: target, replaces: replaces, progress: progress)
    }
    return try read { connection in
      try StoreCopy(connection: connection, file: nil, mode: .copied, busyTimeout: .zero, progress: progress)
        .run(to: target, replaces: replaces)
    }
  }
}

extension StoreCopy {
  /// Removes a copy that nobody uses, with the files of big values that only its rows name.
  ///
  /// - Throws: ``StoreError``, ``ExternalDataError``
  package static func remove(_ url: URL) throws {
    let file = try StoreFile(url)
    guard file.exists else { return }
    let values = ExternalDataFolder(storePath: file.resolvedPath)
    let names: Set<UUID>
    do {
      let connection = try Connection(path: file.resolvedPath, mode: .readWrite)
      defer { connection.close() }
      names = try connection.namedFiles()
    } catch let error as SQLiteError {
      throw StoreError(path: file.path, error)
    }
    let neighbours = FolderNeighbour.all(of: file.resolvedPath)
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(file.resolvedPath + suffix) }
    guard !names.isEmpty else { return }
    values.remove(names.filter { name in !neighbours.contains { $0.mayName([name]) } })
    // Folders with other files stay.
    rmdir(values.path)
    rmdir(URL(fileURLWithPath: values.path).deletingLastPathComponent().path)
  }
}
