import DatabaseFiles
import Foundation

/// The files of big values that a copy has so far, in the folder of its draft.
///
/// A file never changes under its name. So a file that was copied for one state of the store is right for every later state.
struct CopiedFiles {
  /// `nil` for a store in memory, which has no files.
  let source: ExternalDataFolder?
  private let place: CopyTarget
  /// The folder of the draft.
  private var target: String { place.draftValues }
  private var sizes: [UUID: Int64] = [:]

  init(source: ExternalDataFolder?, target: CopyTarget) {
    self.source = source
    place = target
  }

  var names: Set<UUID> { Set(sizes.keys) }
  var byteCount: Int64 { sizes.values.reduce(0, +) }

  /// The bytes of the files that are still to be copied.
  func missingBytes(of names: Set<UUID>) -> Int64 {
    names.reduce(0) { sum, name in sum + (sizes[name] == nil ? source?.size(of: name.uuidString) ?? 0 : 0) }
  }

  /// Copies the files that are not here yet.
  ///
  /// - Returns: the names without a file.
  /// - Throws: ``ExternalDataError`` for a file that cannot be read, ``StoreCopyError`` for one that cannot be written; the errors of
  ///   `progress`, which is called after each file.
  mutating func take(_ names: Set<UUID>, progress: () throws -> Void) throws -> Set<UUID> {
    guard let source, !names.isEmpty else { return [] }
    let new = names.subtracting(self.names)
    // Refuses a folder that is a symbolic link.
    guard let folder = try source.open(creating: false) else { return new }
    do {
      try FileManager.default.createDirectory(
        atPath: target, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw place.failure(error)
    }
    var missing: Set<UUID> = []
    for name in new.sorted(by: { $0.uuidString < $1.uuidString }) {
      if let size = try copy(name, of: source, in: folder) { sizes[name] = size } else { missing.insert(name) }
      try progress()
    }
    return missing
  }

  /// Removes the files that the copied rows do not name.
  mutating func keep(_ names: Set<UUID>) {
    for name in self.names.subtracting(names) {
      unlink(target + "/" + name.uuidString)
      sizes[name] = nil
    }
  }

  /// Checks again which files exist, after the draft has been changed.
  ///
  /// - Returns: the names without a file.
  mutating func recount(_ names: Set<UUID>) -> Set<UUID> {
    sizes = [:]
    for name in names {
      var status = stat()
      guard lstat(target + "/" + name.uuidString, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      sizes[name] = Int64(status.st_size)
    }
    return names.subtracting(self.names)
  }

  /// Waits until the names of the files are on the disk.
  func synchronize() throws {
    guard !sizes.isEmpty, let folder = FileDescriptor(open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else { return }
    do { try folder.synchronize() } catch { throw place.failure(error) }
  }

  /// - Returns: the size; `nil` if there is no such file.
  private func copy(
    _ name: UUID, of source: ExternalDataFolder, in folder: borrowing FileDescriptor
  ) throws -> Int64? {
    guard let file = try source.open(name, in: folder) else { return nil }
    let path = source.path + "/" + name.uuidString
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw ExternalDataError(path: path, kind: .notARegularFile)
    }
    guard
      let copy = FileDescriptor(
        open(
          target + "/" + name.uuidString, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC,
          status.st_mode & 0o777 | 0o200))
    else { throw place.failure(SystemError(errno)) }
    do { return try file.copy(to: copy) } catch {
      if error.isOfSource { throw ExternalDataError(path: path, kind: .system(error.reason)) }
      throw place.failure(error)
    }
  }
}
