import Foundation
import Logging
import SQLite
import Synchronization

/// Gives statements that read the values of columns with external storage, from the row or from its file.
///
/// A file is read when its row is. Readers see the state of the store when they began; if a file has been removed since, with
/// the value it held, the row is read again, and its present value given.
final class ExternalDataReader: Sendable {
  private let folder: ExternalDataFolder?
  private let columns: [ExternalColumn]
  /// Opens a connection that sees the store as it is now; `nil` in memory.
  private let openFresh: (@Sendable () throws -> Connection)?
  private let hasReported = Mutex(false)

  init(
    folder: ExternalDataFolder?, columns: [ExternalColumn], openFresh: (@Sendable () throws -> Connection)? = nil
  ) {
    self.folder = folder
    self.columns = columns
    self.openFresh = openFresh
  }

  /// SQL for the value of an external column of a row.
  static func sql(_ column: String, key: String, of number: Int) -> String {
    "\(SQLText.externalData)(\(column), \(key), \(number))"
  }

  func register(on connection: Connection) throws {
    guard !columns.isEmpty else { return }
    try connection.registerFunction(SQLText.externalData, argumentCount: 3, isDeterministic: false) { arguments in
      guard let stored = arguments.blob(0) else { return .null }
      let number = Int(arguments.integer(2))
      let column = self.columns.indices.contains(number) ? self.columns[number] : nil
      return try self.value(StoredData(stored), key: arguments.integer(1), column).map { .blob($0) } ?? .null
    }
  }

  /// The value; `nil` if its file is not there, which is logged.
  ///
  /// - Throws: ``ExternalDataError``; `SQLiteError`.
  private func value(_ stored: StoredData, key: Int64, _ column: ExternalColumn?) throws -> Data? {
    switch stored {
    case .inline(let data), .bare(let data): return data
    case .invalid: return nil
    case .file(let name):
      guard let folder else { return nil }
      if let data = try folder.read(name) { return data }
      guard let column else { return nil }
      return try present(column, key, instead: name, folder)
    }
  }

  /// The value that a row has now; `nil` if it still names the missing file, or is gone.
  private func present(
    _ column: ExternalColumn, _ key: Int64, instead missing: UUID, _ folder: ExternalDataFolder
  ) throws -> Data? {
    guard let connection = try openFresh?() else { return nil }
    defer { connection.close() }
    var missing = missing
    // Somebody may go on replacing it.
    for _ in 0..<10 {
      let statement = try connection.statement(column.content)
      defer { statement.reset() }
      try statement.bind(key, at: 1)
      guard try statement.step(), let stored = statement.blob(0) else { return nil }
      switch StoredData(stored) {
      case .inline(let data), .bare(let data): return data
      case .invalid: return nil
      case .file(let name):
        if let data = try folder.read(name) { return data }
        guard name != missing else {
          report(name, column, key, folder)
          return nil
        }
        missing = name
      }
    }
    return nil
  }

  private func report(_ name: UUID, _ column: ExternalColumn, _ key: Int64, _ folder: ExternalDataFolder) {
    // One line is enough to find the cause; `store-tool check` lists them all.
    let isFirst = hasReported.withLock { hasReported in
      defer { hasReported = true }
      return !hasReported
    }
    guard isFirst else { return }
    Logger(label: "CoreDataStore").error(
      """
      The file of \(column.entityName).\(column.property) of p\(key) is missing: "\(folder.path)/\(name.uuidString)". This value, \
      and any other without its file, reads as nil; the reference is kept. Was the store moved without its folder?
      """)
  }
}
