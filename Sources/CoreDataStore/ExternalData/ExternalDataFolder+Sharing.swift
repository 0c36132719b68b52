import DatabaseFiles
import Foundation

extension ExternalDataFolder {
  /// The result of ``share(_:with:as:)``.
  enum Sharing {
    case done
    /// The other folder has a file of this name already.
    case exists
    /// This folder has no such file.
    case missing
  }

  /// Puts a file into another folder too, without a copy of its bytes where the file system has links.
  ///
  /// A file never changes under its name, so two stores, or two rows, may have one file under two names. The new name is durable only after
  /// ``synchronize(_:)``.
  /// - Throws: ``ExternalDataError``; nothing is left behind then.
  func share(
    _ name: UUID, with other: ExternalDataFolder, as newName: UUID
  ) throws(ExternalDataError) -> Sharing {
    guard let folder = try open(creating: false), size(of: name.uuidString) != nil else { return .missing }
    guard let target = try other.open(creating: true) else {
      throw ExternalDataError(path: other.path, kind: .notAFolder)
    }
    if linkat(folder.number, name.uuidString, target.number, newName.uuidString, 0) == 0 { return .done }
    switch errno {
    case EEXIST: return .exists
    case ENOENT: return .missing
    case EPERM, ENOTSUP, EMLINK, EXDEV: break
    default: throw other.error(SystemError(errno), newName.uuidString)
    }
    if other.size(of: newName.uuidString) != nil { return .exists }
    guard let file = try open(name, in: folder) else { return .missing }
    try other.write(newName, in: target) { (copy) throws(SystemError) in _ = try file.copy(to: copy) }
    return .done
  }

  /// Puts files into another folder under their own names; files that the folder has, or this one lacks, are left out.
  ///
  /// - Parameter added: gets the names of the files that came into the other folder, also if the method throws.
  /// - Throws: ``ExternalDataError``
  func share(
    _ names: Set<UUID>, with other: ExternalDataFolder, added: inout [UUID]
  ) throws(ExternalDataError) {
    for name in names.sorted(by: { $0.uuidString < $1.uuidString }) {
      if case .done = try share(name, with: other, as: name) { added.append(name) }
    }
  }

  /// Waits until files and their names are on the disk.
  func synchronize(_ names: [UUID]) throws(ExternalDataError) {
    guard !names.isEmpty, let folder = try open(creating: false) else { return }
    for name in names {
      guard let file = try open(name, in: folder) else { continue }
      do { try file.synchronize() } catch { throw self.error(error, name.uuidString) }
    }
    try synchronize()
  }
}
