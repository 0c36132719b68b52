import Foundation
import ManagedModel
import SQLite

/// Makes a store's file, and its folder if that is missing.
///
/// The file is first written in full under another name, and then takes its own name in one step. A crash or an error
/// leaves either the finished store or no store. If several processes make the same store at the same time, one
/// process makes it and the others find it.
struct StoreCreation {
  let file: StoreFile
  let plan: Plan

  /// Plans the store's content and makes its folder.
  ///
  /// - Throws: ``StoreError``; no file has been written then.
  init(file: StoreFile, model: ModelDescription, options: StoreOptions) throws {
    self.file = file
    plan = try Plan(model: model, options: options, path: file.path)
    do {
      try FileManager.default.createDirectory(atPath: file.folder, withIntermediateDirectories: true)
    } catch {
      let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
      throw StoreError(path: file.path, .folderMissing(file.folder, reason: (cause ?? error).localizedDescription))
    }
    guard file.isFolderWritable else { throw StoreError(path: file.path, .folderNotWritable(file.folder)) }
    for suffix in ["-wal", "-shm", "-journal"] where file.size(ofCompanion: suffix) != nil && !isMade {
      throw StoreError(path: file.path, .leftover(file.resolvedPath + suffix))
    }
  }

  /// Whether another process has made the store since this one found none.
  private var isMade: Bool { access(file.resolvedPath, F_OK) == 0 }

  /// Makes the store; does nothing if another process has made it meanwhile.
  func run() throws {
    let temporary = URL(fileURLWithPath: file.folder)
      .appendingPathComponent(".\(UUID().uuidString).creating").path
    defer {
      for suffix in ["", "-wal", "-shm", "-journal"] { unlink(temporary + suffix) }
    }
    do {
      let connection = try Connection(path: temporary, mode: .create)
      defer { connection.close() }
      try plan.write(to: connection)
      try connection.finish()
    } catch let error as SQLiteError {
      throw StoreError(path: file.path, error)
    }
    // A link fails if a file has the name already. A rename would replace that file.
    if link(temporary, file.resolvedPath) == 0 { return }
    let code = errno
    // On a file system without links, a rename in this short moment can replace the store of another process.
    if code == EEXIST || isMade { return }
    guard code == EPERM || code == ENOTSUP || code == EMLINK, rename(temporary, file.resolvedPath) == 0 else {
      throw StoreError(path: file.path, .unreadable(reason: String(cString: strerror(code))))
    }
  }

  /// The content of a new store: its tables, metadata and model.
  struct Plan {
    let layout: StoreLayout
    let definitions: [String]
    let metadata: StoreMetadata
    private let pageSize: Int64

    init(model: ModelDescription, options: StoreOptions, path: String?) throws {
      pageSize = options.pageSize
      do {
        layout = try StoreLayout(model: model, entityNames: options.entityNames)
        definitions = try layout.definitions()
        metadata = try StoreMetadata(
          model: model, entityNames: options.entityNames, identifier: options.identifier)
      } catch {
        throw StoreError(path: path, unusableModel: error)
      }
    }

    /// Writes the plan to a new database (CD-1.1, CD-1.5).
    ///
    /// Some pragmas must precede the first table. One transaction then writes all tables and rows.
    func write(to connection: Connection) throws {
      try connection.setPragma("page_size", "\(pageSize)")
      try connection.setPragma("auto_vacuum", "INCREMENTAL")
      try connection.setPragma("journal_mode", "WAL")
      try connection.transaction(.immediate) {
        for definition in definitions { try connection.execute(definition) }
        try PrimaryKeys.write(layout, to: connection)
        try metadata.write(to: connection)
        try ModelCache.write(layout.model, to: connection)
      }
    }
  }
}
