import DatabaseFiles
import Foundation
import SQLite

/// The place of a copy, and the folder beside it in which the copy is written first.
///
/// The copy takes its place in one step. Until then nothing at the place changes, even if the process is killed.
final class CopyTarget {
  let path: String
  /// The draft of the copy's file.
  let draft: String
  private let file: StoreFile
  /// The store that is copied; `nil` for a store in memory.
  private let source: StoreFile?
  private let folder: DraftFolder
  private let folderPath: String

  /// The folder of the copy's big values, and the folder of the draft's.
  let values: ExternalDataFolder
  var draftValues: String { ExternalDataFolder(storePath: draft).path }

  /// Checks the place and makes the draft's folder.
  ///
  /// - Parameter source: the store's file; `nil` for a store in memory.
  /// - Throws: ``StoreCopyError``, ``StoreError``
  init(_ url: URL, source: StoreFile?, replaces: Bool) throws {
    do { file = try StoreFile(url) } catch let error as StoreError {
      throw StoreCopyError(path: error.path ?? url.path, kind: .notAFile(reason: error.predicate))
    }
    path = file.path
    folderPath = file.folder
    values = ExternalDataFolder(storePath: Self.real(file))
    self.source = source
    let name = URL(fileURLWithPath: file.resolvedPath).lastPathComponent
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: file.folder, isDirectory: &isFolder), isFolder.boolValue else {
      throw StoreCopyError(path: path, kind: .folderMissing(file.folder))
    }
    if let source {
      for suffix in ["", "-wal", "-shm", "-journal"] where Self.real(file) == Self.real(source) + suffix {
        throw StoreCopyError(path: path, kind: .isSource)
      }
      if file.exists, file.identity == source.identity { throw StoreCopyError(path: path, kind: .isSource) }
    }
    if file.exists, !replaces { throw StoreCopyError(path: path, kind: .exists) }
    if !file.exists {
      for suffix in ["-wal", "-shm", "-journal"] where file.size(ofCompanion: suffix) != nil {
        throw StoreError(path: path, .leftover(file.resolvedPath + suffix))
      }
    }
    guard file.isFolderWritable, !file.exists || file.isWritable else {
      throw StoreCopyError(path: path, kind: .folderNotWritable(file.folder))
    }
    do {
      folder = try AbandonedDraft.folder(for: file, .copying)
    } catch {
      throw StoreCopyError(path: path, kind: .system((error as NSError).localizedDescription))
    }
    draft = folder.url.appendingPathComponent(name).path
  }

  /// The path with all links resolved; for a file that does not exist, the links of its folder.
  private static func real(_ file: StoreFile) -> String {
    let url = URL(fileURLWithPath: file.resolvedPath)
    guard !file.exists, let folder = realpath(url.deletingLastPathComponent().path, nil) else { return url.path }
    defer { free(folder) }
    return String(cString: folder) + "/" + url.lastPathComponent
  }

  /// Refuses a copy for which the disk has no room, before anything is written.
  func checkSpace(_ needed: Int64) throws {
    guard let free = DraftFolder.freeSpace(in: folderPath), free < needed else { return }
    throw StoreCopyError(path: path, kind: .noSpace(needed: needed, free: free))
  }

  // MARK: Errors

  /// Runs work at the place or on the draft, so that its errors name the place. Only damage of the draft's content is the store's.
  ///
  /// - Throws: ``StoreError``, or another error of `body` as it is.
  func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError {
      throw known(StoreError(path: draft, error))
    } catch let error as ExternalDataError {
      throw StoreError(path: path, .externalData(error))
    } catch let error as StoreError where error.path?.hasPrefix(folder.url.path) == true {
      throw known(error)
    }
  }

  /// An error of the draft under the path that the user knows.
  private func known(_ error: StoreError) -> StoreError {
    StoreError(path: error.isOfPlace ? path : source?.path ?? path, error.kind)
  }

  /// The error of a file of the copy that cannot be made or written.
  func failure(_ error: any Error) -> StoreCopyError {
    let reason = (error as? SystemError)?.reason ?? (error as NSError).localizedDescription
    return StoreCopyError(path: path, kind: .system(reason))
  }

  // MARK: Folder of big values

  /// The folder of the target's big values.
  struct Folder {
    /// Everything in the folder.
    let present: Set<String>
    /// The files that rows of the replaced store name.
    let former: Set<UUID>
  }

  /// Refuses a copy that would put its files among those of another store, or remove files of another store.
  ///
  /// Cost: reads the columns of bytes of the replaced store, and of each store whose name differs only in the extension.
  /// - Parameter names: the files of the copy.
  /// - Throws: ``StoreCopyError``, ``StoreError``
  @discardableResult
  func checkFolder(for names: Set<UUID>) throws -> Folder {
    let folder = Folder(
      present: Set(try reporting { try values.names() }), former: file.exists ? try formerFiles() : [])
    let own = names.union(folder.former)
    if let other = FolderNeighbour.all(of: Self.real(file)).first(where: { $0.mayName(own) }) {
      throw StoreCopyError(path: path, kind: .sharedFolder(values.path, store: other.path))
    }
    if !names.isEmpty, let source, ExternalDataFolder(storePath: source.resolvedPath).path == values.path {
      throw StoreCopyError(path: path, kind: .sharedFolder(values.path, store: source.path))
    }
    if !names.isEmpty, !folder.present.isSubset(of: own.map(\.uuidString)) {
      throw StoreCopyError(path: path, kind: .sharedFolder(values.path, store: nil))
    }
    return folder
  }

  // MARK: Publishing

  /// Writes the draft's log into its file. Call it after the draft has been changed; the draft must not be open.
  ///
  /// - Returns: the files that rows of the draft name.
  /// - Throws: ``StoreCopyError``, ``StoreError``
  func finishDraft() throws -> Set<UUID> {
    try reporting {
      let connection = try Connection(path: draft, mode: .readWrite)
      defer { connection.close() }
      let names = try connection.namedFiles()
      do { try connection.finish() } catch let error as SQLiteError where error.code == .busy {
        throw StoreCopyError(path: path, kind: .system("its draft is still open"))
      }
      return names
    }
  }

  /// Moves the draft and its files to their places. The draft must not be open.
  ///
  /// First moves new files, then replaces the rows, and last removes the files that only replaced rows named. So the store at the place
  /// never lacks a file that its rows name.
  /// - Parameter names: the files that the rows of the draft name.
  /// - Throws: ``StoreCopyError``, ``StoreError``; the store at the place and its files are as they were.
  func publish(_ names: Set<UUID>) throws {
    let contents = try checkFolder(for: names)
    do { try AbandonedDraft.note(names.union(contents.former), in: folder) } catch { throw failure(error) }
    var moved: [UUID] = []
    do {
      if !names.isEmpty {
        do {
          try FileManager.default.createDirectory(
            atPath: values.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        } catch {
          throw failure(error)
        }
      }
      for name in names where !contents.present.contains(name.uuidString) {
        try require(rename(draftValues + "/" + name.uuidString, values.path + "/" + name.uuidString))
        moved.append(name)
      }
      try synchronize(values.path)
      if file.exists { try reporting(replace) } else { try place() }
    } catch {
      // A replacement that failed at its end may be committed. If the rows cannot be read, all files stay.
      let needed = file.exists ? try? formerFiles() : []
      if let needed { values.remove(moved.filter { !needed.contains($0) }) }
      throw error
    }
    values.remove(contents.former.subtracting(names))
    try synchronize(folderPath)
  }

  /// Gives the draft its name. Never replaces a file.
  private func place() throws {
    if link(draft, file.resolvedPath) == 0 { return }
    let code = errno
    if code == EEXIST || access(file.resolvedPath, F_OK) == 0 { throw StoreCopyError(path: path, kind: .exists) }
    guard code == EPERM || code == ENOTSUP || code == EMLINK else { throw failure(SystemError(code)) }
    // A file system without links.
    try require(rename(draft, file.resolvedPath))
  }

  /// Replaces the content of the store at the place in one transaction: a program that has it open sees the old or the new content.
  private func replace() throws {
    let source = try Connection(path: draft, mode: .readWrite)
    defer { source.close() }
    try withFormer { destination in
      let (old, new) = (try destination.integer("PRAGMA page_size"), try source.integer("PRAGMA page_size"))
      if let old, let new, old != new {
        throw StoreCopyError(path: path, kind: .otherPageSize(store: new, target: old))
      }
      try destination.replaceContent(from: source)
    }
  }

  /// The files that rows of the store at the place name.
  private func formerFiles() throws -> Set<UUID> { try withFormer { try $0.namedFiles() } }

  private func withFormer<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    do {
      try file.checkHeader()
    } catch let error as StoreError {
      throw StoreCopyError(path: path, kind: .notAStore(reason: "it \(error.predicate)"))
    }
    do {
      let connection = try Connection(path: file.resolvedPath, mode: .readWrite)
      defer { connection.close() }
      try StoreFile.require(file.identity, of: connection)
      try connection.watch(StatementGuard(untrustedFile: file.resolvedPath))
      try requireStore(connection)
      return try body(connection)
    } catch let error as SQLiteError {
      throw StoreError(path: path, error)
    }
  }

  /// Refuses to replace the database of another program. A database without tables may go, and so may a damaged store.
  private func requireStore(_ connection: Connection) throws {
    let tables = Set(try Catalogue.definitions(connection).filter { $0.kind == "table" }.map(\.name))
    guard !tables.isEmpty, !tables.contains("Z_METADATA"), !tables.contains("Z_PRIMARYKEY") else { return }
    throw StoreCopyError(
      path: path, kind: .notAStore(reason: "it is an SQLite database, but no Core Data store: it has no Z_METADATA"))
  }

  private func synchronize(_ path: String) throws {
    guard let folder = FileDescriptor(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else { return }
    do { try folder.synchronize() } catch { throw failure(error) }
  }

  private func require(_ result: Int32) throws {
    let code = errno
    guard result == 0 else { throw failure(SystemError(code)) }
  }
}
