import DatabaseFiles
import Foundation
import SQLite

/// Writes big values to files with their rows, and removes files that no row refers to any more.
///
/// A file is on the disk before the transaction that refers to it commits. A file is removed only after the transaction
/// that gives it up is committed and on the disk. So a crash may leave an unreferenced file, but never a reference
/// without its file. Files of a failed transaction are removed.
///
/// A writer belongs to one writing connection, and only the owner of that connection uses it.
final class ExternalDataWriter: @unchecked Sendable {
  /// `nil` in memory, where all values are in their rows.
  private let folder: ExternalDataFolder?
  private let columns: [ExternalColumn]
  /// The path of the WAL, which has to be on the disk before files are removed.
  private let logPath: String?
  private var written: [UUID] = []
  private var released: [UUID] = []
  /// Whether a nested transaction was rolled back.
  private var hasUndone = false
  /// The error of the last function that failed, since SQLite passes on its text only.
  private var failure: ExternalDataError?

  init(folder: ExternalDataFolder?, columns: [ExternalColumn], storePath: String?) {
    self.folder = folder
    self.columns = columns
    logPath = storePath.map { $0 + "-wal" }
  }

  /// The SQL for the new content of a column.
  ///
  /// - Parameters:
  ///   - value: the new value.
  ///   - column: the present content, whose file is kept if it has the same bytes; `nil` in a new row.
  static func sql(_ value: String, replacing column: String?) -> String {
    "\(SQLText.storedData)(\(value), \(column ?? "NULL"))"
  }

  /// Registers the functions that write and release files, and triggers for rows that give up a file.
  ///
  /// The triggers are temporary: they belong to the connection and are not stored.
  func register(on connection: Connection) throws {
    guard !columns.isEmpty else { return }
    try connection.registerFunction(SQLText.storedData, argumentCount: 2, isDeterministic: false) { arguments in
      guard let value = arguments.blob(0) else { return .null }
      return .blob(try self.stored(value, replacing: arguments.blob(1)))
    }
    guard folder != nil else { return }
    try connection.registerFunction(SQLText.releasedData, argumentCount: 1, isDeterministic: false) { arguments in
      if let name = arguments.blob(0).flatMap({ StoredData($0).fileName }) { self.released.append(name) }
      return .null
    }
    for (number, column) in columns.enumerated() {
      let namesFile = StoredData.namesFile("OLD.\(column.column)")
      let body = "BEGIN SELECT \(SQLText.releasedData)(OLD.\(column.column)); END"
      try connection.execute(
        """
        CREATE TEMP TRIGGER OSD_RELEASE_\(number)_DELETE AFTER DELETE ON main.\(column.table) WHEN \(namesFile) \(body);
        CREATE TEMP TRIGGER OSD_RELEASE_\(number)_UPDATE AFTER UPDATE OF \(column.column) ON main.\(column.table) \
        WHEN \(namesFile) AND OLD.\(column.column) IS NOT NEW.\(column.column) \(body);
        """)
    }
  }

  /// Removes the triggers, for a transaction that changes the tables themselves and settles its files at its end.
  func stopReleasing(on connection: Connection) throws {
    guard folder != nil else { return }
    for number in columns.indices {
      try connection.execute(
        "DROP TRIGGER temp.OSD_RELEASE_\(number)_DELETE; DROP TRIGGER temp.OSD_RELEASE_\(number)_UPDATE")
    }
  }

  private func stored(_ value: Data, replacing old: Data?) throws -> Data {
    guard let folder, value.count > StoredData.threshold else { return StoredData.inline(value).bytes }
    do {
      if let old, let name = StoredData(old).fileName, try folder.holds(value, in: name) { return old }
      let name = try folder.write(value)
      written.append(name)
      return StoredData.file(name).bytes
    } catch {
      failure = error
      throw error
    }
  }

  // MARK: Transactions

  /// The last step before a commit: makes new files durable, and keeps released files that rows still refer to.
  ///
  /// - Throws: ``ExternalDataError``; `SQLiteError`.
  func prepareCommit(on connection: Connection) throws {
    if !written.isEmpty { try folder?.synchronize() }
    guard !released.isEmpty || hasUndone else { return }
    let needed = try connection.referencedFiles(of: columns)
    // A file may have been written for a row that was not written, or that was changed again.
    released = (released + written).filter { !needed.contains($0) }
  }

  /// Removes the released files after the transaction is committed.
  func committed() {
    defer { forget() }
    guard !released.isEmpty, let folder, synchronizeLog() else { return }
    folder.remove(released)
  }

  /// Called when a nested transaction or a statement was rolled back. Its files are settled at the end of the whole
  /// transaction.
  func undone() { hasUndone = true }

  /// As ``undone()``, for a caller that throws.
  ///
  /// - Returns: the error to throw: the error of a file if that was the cause.
  func undone(after error: any Error) -> any Error {
    undone()
    defer { failure = nil }
    return failure ?? error
  }

  /// Removes the written files after the transaction has failed.
  ///
  /// A failed COMMIT may have committed. Reads the rows to find unreferenced files; if that fails, keeps all files.
  /// - Returns: the error to throw: the error of a file if that was the cause.
  func failed(on connection: Connection, after error: any Error) -> any Error {
    let cause = failure ?? error
    defer { forget() }
    guard !written.isEmpty, !connection.isInTransaction,
      let needed = try? connection.referencedFiles(of: columns)
    else { return cause }
    folder?.remove(written.filter { !needed.contains($0) })
    return cause
  }

  private func forget() {
    written = []
    released = []
    hasUndone = false
    failure = nil
  }

  /// Waits until the commit is on the disk. SQLite in WAL mode does not wait, so the removal of a file might come
  /// first.
  private func synchronizeLog() -> Bool {
    guard let logPath, let log = FileDescriptor(open(logPath, O_RDONLY | O_CLOEXEC)) else { return true }
    return (try? log.synchronize()) != nil
  }
}

extension Connection {
  /// The files that rows refer to. Cost: one scan of each table with such columns.
  func referencedFiles(of columns: [ExternalColumn]) throws -> Set<UUID> {
    var names: Set<UUID> = []
    for column in columns {
      let statement = try statement(column.references)
      defer { statement.reset() }
      while try statement.step() {
        if let name = statement.blob(2).flatMap({ StoredData($0).fileName }) { names.insert(name) }
      }
    }
    return names
  }
}
