package import Foundation

/// Files of one folder that are written under other names, and moved to their places together when all are complete.
///
/// As long as they are not, the folder's own files are untouched; released without ``commit()``, nothing stays behind.
package final class FileDrafts {
  private let folder: URL
  private var drafts: [(draft: URL, place: URL)] = []
  /// Folders that were made for this, the innermost first.
  private var made: [URL] = []

  /// - Throws: ``Failure`` if the folder does not exist and cannot be made.
  package init(in folder: URL) throws {
    self.folder = folder
    let missing = Self.missingFolders(folder)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw Failure(
        folder, "the output folder cannot be made: \(Failure.reason(error))", remedy: "choose another output folder")
    }
    made = missing
  }

  deinit { discard() }

  /// Where the file of this name is written to for now; nothing is there yet.
  package func add(_ name: String) -> URL {
    let suffix = ".\(ProcessInfo.processInfo.processIdentifier).partial"
    // Names may be as long as a file's name can be: the draft's must not be longer.
    let draft = folder.appendingPathComponent(".\(drafts.count)\(suffix)")
    drafts.append((draft, folder.appendingPathComponent(name)))
    return draft
  }

  /// Moves every file to its place, each in one step.
  ///
  /// - Throws: ``Failure`` if one cannot be moved.
  package func commit() throws {
    for (draft, place) in drafts {
      guard rename(draft.path, place.path) == 0 else {
        let reason = String(cString: strerror(errno))
        throw Failure(
          folder, "the files cannot be written: \(reason)",
          remedy: "make the folder writable and see that the disk has room")
      }
    }
    drafts = []
    made = []
  }

  /// Removes what is not complete, and the folders that were made for it; one that has something in it stays.
  package func discard() {
    for (draft, _) in drafts { unlink(draft.path) }
    for folder in made { rmdir(folder.path) }
    drafts = []
    made = []
  }

  /// The folder and those it is in, as far as they do not exist, the innermost first.
  private static func missingFolders(_ folder: URL) -> [URL] {
    var result: [URL] = []
    var next = folder.standardizedFileURL
    while next.path.count > 1, !FileManager.default.fileExists(atPath: next.path) {
      result.append(next)
      next.deleteLastPathComponent()
    }
    return result
  }
}
