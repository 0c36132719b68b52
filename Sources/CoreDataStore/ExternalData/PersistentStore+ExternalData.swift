import Foundation
import SQLite

/// What there is of big values in files, and what does not fit together.
package struct ExternalDataState: Sendable {
  /// How many values are in files that are there.
  package var fileCount = 0
  /// The sizes of these files together.
  package var totalSize: Int64 = 0
  /// Files that no row refers to, as a crash leaves them behind; nobody needs them. A save that is under way in another
  /// process may be about to refer to one.
  package var unreferencedFiles: [String] = []
  /// Rows whose file is not there, or is no file; they read as `nil`.
  package var missingFiles: [MissingFile] = []
  /// Why the folder cannot be used; `nil` if it can, or is not there.
  package var folderProblem: ExternalDataError?

  package struct MissingFile: Sendable, Hashable {
    package let entityName: String
    package let property: String
    package let object: ObjectKey
    /// `nil` for a reference that names no file.
    package let fileName: String?
  }
}

extension PersistentStore {
  /// Compares the files of big values with the rows that refer to them. Cost: a scan of the tables with such columns.
  ///
  /// - Throws: `SQLiteError`, ``StoreError``
  package func externalDataState() throws -> ExternalDataState {
    var state = ExternalDataState()
    guard let folder = externalData else { return state }
    // First the files: one that is made meanwhile is not told of.
    var names: Set<String> = []
    do { names = Set(try folder.names()) } catch { state.folderProblem = error }
    try read { connection in
      try connection.transaction(.deferred) {
        for column in layout.externalColumns {
          let statement = try connection.statement(column.references)
          defer { statement.reset() }
          while try statement.step() {
            let object = ObjectKey(
              entity: Int32(truncatingIfNeeded: statement.integer(1)), key: statement.integer(0))
            let name = statement.blob(2).flatMap { StoredData($0).fileName?.uuidString }
            if let name, let size = folder.size(of: name) {
              if names.remove(name) != nil {
                state.fileCount += 1
                state.totalSize += size
              }
            } else {
              state.missingFiles.append(
                .init(entityName: column.entityName, property: column.property, object: object, fileName: name))
              if let name { names.remove(name) }
            }
          }
        }
      }
    }
    // One that was released meanwhile is gone.
    state.unreferencedFiles = names.isEmpty ? [] : ((try? folder.names()) ?? []).filter(names.contains)
    return state
  }
}
