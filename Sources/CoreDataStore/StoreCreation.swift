import Foundation
import ManagedModel
import SQLite

/// Makes a store's file, and its folder where that is missing: whole under another name first, then in one step under its own.
///
/// A crash or an error leaves either the finished store or none. Where several make the same store at the same time, one makes
/// it and the others find it made.
struct StoreCreation {
  let file: StoreFile
  let plan: Plan

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

  /// Whether somebody else has made the store since it was looked for.
  private var isMade: Bool { access(file.resolvedPath, F_OK) == 0 }

  /// Makes the store; nothing if it has been made meanwhile.
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
    } catch let error as SQLiteError {
      throw StoreError(path: file.path, error)
    }
    // A link fails where a file is; a rename would replace it.
    if link(temporary, file.resolvedPath) == 0 { return }
    let code = errno
    // Where the file system has no links, a moment remains in which another's store would be replaced.
    if code == EEXIST || isMade { return }
    guard code == EPERM || code == ENOTSUP || code == EMLINK, rename(temporary, file.resolvedPath) == 0 else {
      throw StoreError(path: file.path, .unreadable(reason: String(cString: strerror(code))))
    }
  }

  /// What goes into a fresh store.
  struct Plan {
    let layout: StoreLayout
    let definitions: [String]
    let metadata: StoreMetadata

    init(model: ModelDescription, options: StoreOptions, path: String?) throws {
      do {
        layout = try StoreLayout(model: model, entityNames: options.entityNames)
        definitions = try layout.definitions()
        metadata = try StoreMetadata(
          model: model, entityNames: options.entityNames, identifier: options.identifier)
      } catch {
        throw StoreError(path: path, .unusableModel(reason: "\(error)"))
      }
    }

    /// CD-1.1, CD-1.5: pragmas that have to come before the first table, then everything in one transaction.
    func write(to connection: Connection) throws {
      try connection.setPragma("page_size", "4096")
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
