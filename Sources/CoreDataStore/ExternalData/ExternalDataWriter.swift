import Foundation
import SQLite

/// Puts big values into files as rows are written, and removes files that no row needs any more.
///
/// Order is all: a file is on the disk before the transaction that refers to it is committed, and a file is removed only after
/// the transaction that gives it up is, and is on the disk. A crash between leaves a file that nobody refers to, never a
/// reference without its file. What a transaction that fails has written is removed with it.
///
/// Belongs to one writing connection, and is used only by whoever holds that.
final class ExternalDataWriter: @unchecked Sendable {
  /// `nil` in memory, where all values stand in their rows.
  private let folder: ExternalDataFolder?
  private let columns: [ExternalColumn]
  /// The file of the log, which has to be on the disk before files are removed.
  private let logPath: String?
  private var written: [UUID] = []
  private var released: [UUID] = []
  /// Whether a nested transaction was rolled back.
  private var hasUndone = false
  /// The error of the function that failed last, of which SQLite passes on the text only.
  private var failure: ExternalDataError?

  init(folder: ExternalDataFolder?, columns: [ExternalColumn], storePath: String?) {
    self.folder = folder
    self.columns = columns
    logPath = storePath.map { $0 + "-wal" }
  }

  /// SQL for what a column is to hold.
  ///
  /// - Parameters:
  ///   - value: the new value.
  ///   - column: what the column holds so far, whose file is kept if it has the same bytes; `nil` in a new row.
  static func sql(_ value: String, replacing column: String?) -> String {
    "\(SQLText.storedData)(\(value), \(column ?? "NULL"))"
  }

  /// Makes the functions known that write and release files, and has every row watched that gives one up.
  ///
  /// The triggers are the connection's own: nothing of them is in the store.
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

  /// The last thing before a commit: the files are found after a crash, and none goes that a row still refers to.
  ///
  /// - Throws: ``ExternalDataError``; `SQLiteError`.
  func prepareCommit(on connection: Connection) throws {
    if !written.isEmpty { try folder?.synchronize() }
    guard !released.isEmpty || hasUndone else { return }
    let needed = try connection.referencedFiles(of: columns)
    // A file may have been written for a row that was not, or that was changed once more.
    released = (released + written).filter { !needed.contains($0) }
  }

  /// The transaction is committed: removes what it gave up.
  func committed() {
    defer { forget() }
    guard !released.isEmpty, let folder, synchronizeLog() else { return }
    folder.remove(released)
  }

  /// A part of the transaction, or one statement, has been undone: what it wrote and released is settled at the end of the whole.
  func undone() { hasUndone = true }

  /// As ``undone()``, for whoever throws.
  ///
  /// - Returns: what to throw: the error of a file where that was the cause.
  func undone(after error: any Error) -> any Error {
    undone()
    defer { failure = nil }
    return failure ?? error
  }

  /// The transaction has failed: removes what it wrote.
  ///
  /// A commit may fail and be done all the same. So the rows say which files go; where they cannot be asked, all stay.
  /// - Returns: what to throw: the error of a file where that was the cause.
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

  /// Whether the commit is on the disk. SQLite does not wait for that in WAL mode, and removing a file might overtake it.
  private func synchronizeLog() -> Bool {
    guard let logPath, let log = FileDescriptor(open(logPath, O_RDONLY | O_CLOEXEC)) else { return true }
    return (try? log.synchronize()) != nil
  }
}

extension Connection {
  /// The files that rows refer to. Cost: a scan of the tables with such columns.
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
