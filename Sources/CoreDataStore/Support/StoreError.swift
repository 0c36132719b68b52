import ErrorReporting
package import ManagedModel
package import SQLite
import StoreRequests

/// An error of opening, making or using a store: the file, the problem and the remedy.
package struct StoreError: StoreOpeningError, Sendable {
  /// The store's file; `nil` for a store in memory.
  package let path: String?
  package let kind: Kind

  package init(path: String?, _ kind: Kind) {
    self.path = path
    self.kind = kind
  }

  package enum Kind: Sendable {
    // The file.
    case missing
    case folderMissing(String, reason: String)
    case directory
    case notARegularFile
    case symbolicLinkLoop
    case brokenLink
    /// A part of the path is a file.
    case parentNotAFolder(String)
    case empty
    case truncated(expected: Int64, found: Int64)
    /// The file is no SQLite database.
    case foreign(FileKind)
    case notCoreData(missingTables: [String])
    /// Without a remedy, the permissions are the usual cause.
    case unreadable(reason: String, remedy: String? = nil)
    case folderNotWritable(String)
    case fileNotWritable
    case leftover(String)
    case readOnly

    // The content.
    case unusableMetadata(MetadataError)
    case noModel
    case unreadableModel(reason: String)
    case partialModel(missingEntities: [String])
    case otherModel([EntityMismatch])
    case unusableModel(reason: String, remedy: String? = nil)
    case missingColumns(table: String, columns: [String])
    /// Columns of a table that every store has.
    case missingOwnColumns(table: String, columns: [String])
    case missingHistoryColumns(table: String, columns: [String])

    // The open store.
    case locked(SQLiteError)
    case closed
    case replaced
    case migrated
    case migrating
    case writtenMeanwhile
    case externalData(ExternalDataError)
    case sqlite(SQLiteError)
  }

  package var isOfOtherModel: Bool { if case .otherModel = kind { true } else { false } }
  /// Whether SQLite found pages of the file damaged. Tables on other pages may be readable.
  package var isDamage: Bool { if case .sqlite(let error) = kind { error.code == .corrupt } else { false } }

  /// Whether the cause is the place of the file, its disk for example, rather than its content.
  var isOfPlace: Bool {
    switch kind {
    case .sqlite(let error): error.code == .readOnly || (error.comesFromOutside && error.code != .corrupt)
    case .externalData, .locked, .folderMissing, .folderNotWritable, .fileNotWritable, .leftover, .readOnly: true
    default: false
    }
  }

  /// An entity of the given model that the store lacks or has in another version.
  package struct EntityMismatch: Sendable, Hashable {
    package let entity: String
    package let reason: Reason

    package enum Reason: Sendable, Hashable {
      case notInStore(nearest: String?)
      /// The changes from the store's model to the given model; empty if the store carries no model.
      case differs([ModelChange])
    }
  }

  /// Makes a ``StoreError`` of an error that the disk, the memory, another program or the file of a big value caused. Returns any other
  /// error as it is.
  ///
  /// - Parameter path: the store's file. The error may have the path of a copy.
  static func wrapping(_ error: any Error, path: String?) -> any Error {
    switch error {
    case let error as SQLiteError where error.comesFromOutside: StoreError(path: path, error)
    case let error as ExternalDataError: StoreError(path: path, .externalData(error))
    default: error
    }
  }

  /// Runs a save's statements. A trigger or a constraint of another program may make any of them fail.
  ///
  /// - Throws: the errors of `body`, without `SQLiteError`.
  static func reportingSave<Result>(path: String?, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError { throw StoreError(path: path, error) }
  }

  /// Makes a store's error from an error of its model, with that error's remedy.
  init(path: String?, unusableModel error: any Error) {
    if let error = error as? any ReportableError {
      self.init(path: path, .unusableModel(reason: error.placedProblem, remedy: error.remedy))
    } else {
      self.init(path: path, .unusableModel(reason: "\(error)"))
    }
  }

  /// Makes a store's error from an SQLite error.
  package init(path: String?, _ error: SQLiteError) {
    switch error.code {
    case .busy, .locked, .lockingProtocol: self.init(path: path, .locked(error))
    case .notADatabase: self.init(path: path, .foreign(.unknown))
    default: self.init(path: path, .sqlite(error))
    }
  }
}
