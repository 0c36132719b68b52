package import Foundation

/// Files of one folder that are first written under other names. When all are complete, each moves to its place.
///
/// Until then, the folder's own files are unchanged. If the value is released without ``commit()``, it leaves no file
/// behind.
package final class FileDrafts {
  private let folder: URL
  private var drafts: [(draft: URL, place: URL)] = []
  private var made: MadeFolders?

  /// - Throws: ``Failure`` if the folder does not exist and cannot be created.
  package init(in folder: URL) throws {
    self.folder = folder
    do { made = try MadeFolders(folder) } catch {
      throw Failure(
        folder, line: nil, "the output folder cannot be made: \(Failure.reason(error))",
        remedy: "choose another output folder")
    }
  }

  deinit { discard() }

  /// The temporary path for the file of this name; no file exists there yet.
  package func add(_ name: String) -> URL {
    let suffix = ".\(ProcessInfo.processInfo.processIdentifier).partial"
    // A file's name may have the greatest length that is allowed, so the draft's name does not contain it.
    let draft = folder.appendingPathComponent(".\(drafts.count)\(suffix)")
    drafts.append((draft, folder.appendingPathComponent(name)))
    return draft
  }

  /// Moves every file to its place, each in one step.
  ///
  /// - Throws: ``Failure`` if a file cannot be moved; earlier files then have their new content.
  package func commit() throws {
    for (draft, place) in drafts {
      guard rename(draft.path, place.path) == 0 else {
        let reason = String(cString: strerror(errno))
        throw Failure(
          folder, line: nil, "the files cannot be written: \(reason)",
          remedy: "make the folder writable and see that the disk has room")
      }
    }
    drafts = []
    made = nil
  }

  /// Removes the drafts, and the folders that this value created if they are empty.
  package func discard() {
    // A database that could not be finished has files beside it.
    for (draft, _) in drafts { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(draft.path + suffix) } }
    made?.remove()
    drafts = []
    made = nil
  }
}
