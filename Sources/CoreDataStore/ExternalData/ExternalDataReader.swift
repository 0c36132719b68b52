import Foundation
import Logging
import SQLite
import Synchronization

/// Registers the function that reads values of external columns, from the row or from its file.
///
/// The file is read when its row is. A reader sees the state of the store when its transaction began. If the file has
/// been removed since then, the reader returns the row's present value.
final class ExternalDataReader: Sendable {
  private let folder: ExternalDataFolder?
  private let columns: [ExternalColumn]
  /// Opens a connection that sees the store's present state; `nil` in memory.
  private let openFresh: (@Sendable () throws -> Connection)?
  private let hasReported = Mutex(false)

  init(
    folder: ExternalDataFolder?, columns: [ExternalColumn], openFresh: (@Sendable () throws -> Connection)? = nil
  ) {
    self.folder = folder
    self.columns = columns
    self.openFresh = openFresh
  }

  func register(on connection: Connection) throws {
    guard !columns.isEmpty else { return }
    func register(
      _ name: String, _ body: @escaping @Sendable (StoredData, Int64, ExternalColumn?) throws -> FunctionResult
    ) throws {
      try connection.registerFunction(name, argumentCount: 3, isDeterministic: false) { arguments in
        guard let stored = arguments.blob(0) else { return .null }
        let number = Int(arguments.integer(2))
        let column = self.columns.indices.contains(number) ? self.columns[number] : nil
        return try body(StoredData(stored), arguments.integer(1), column)
      }
    }
    try register(SQLText.externalData) { try self.value($0, key: $1, $2).map { .blob($0) } ?? .null }
    try register(SQLText.hasExternalData) { .integer(try self.isPresent($0, key: $1, $2) ? 1 : 0) }
  }

  /// Whether a reader gets a value. Reads no file that is there.
  ///
  /// - Throws: ``ExternalDataError``; `SQLiteError`.
  private func isPresent(_ stored: StoredData, key: Int64, _ column: ExternalColumn?) throws -> Bool {
    if case .file(let name) = stored, try folder?.hasReadableFile(name) == true { return true }
    return try value(stored, key: key, column) != nil
  }

  /// The value; `nil` if its file is missing, which is logged.
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

  /// The row's present value; `nil` if it still refers to the missing file, or if the row is gone.
  private func present(
    _ column: ExternalColumn, _ key: Int64, instead missing: UUID, _ folder: ExternalDataFolder
  ) throws -> Data? {
    guard let connection = try openFresh?() else { return nil }
    defer { connection.close() }
    var missing = missing
    // Another program may replace the value repeatedly.
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
    // Logs once, which is enough to find the cause; `store-tool check` lists all missing files.
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
