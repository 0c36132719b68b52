import Foundation
import ModelGenerator

extension OutputFolder {
  /// Writes what has changed, all of it or nothing.
  ///
  /// All files are first written beside their places under other names, and only when that has worked for all of them
  /// are they moved to their places, each in one step.
  /// - Throws: ``Failure`` before anything has changed if a file is in the way or cannot be written.
  func write(_ survey: Survey) throws {
    let obstacles = obstacles(of: survey)
    guard obstacles.isEmpty else { throw Failure(obstacles) }
    try replace(survey.entries.filter(\.isChanged).map(\.file))
  }

  /// Removes the orphans, which are generated files of the same bundle by their first line.
  /// - Throws: ``Failure`` if one cannot be removed; the others are.
  func prune(_ survey: Survey) throws {
    var failures: [Message] = []
    for orphan in survey.orphans {
      do {
        try FileManager.default.removeItem(at: place(orphan.name))
      } catch {
        failures.append(
          Message(
            severity: .error, file: place(orphan.name).path,
            what: "the file cannot be removed: \(Failure.reason(error))", remedy: "make the folder writable"))
      }
    }
    guard failures.isEmpty else { throw Failure(failures) }
  }

  func obstacles(of survey: Survey) -> [Message] {
    survey.entries.compactMap { entry in
      entry.obstacle.map {
        Message(
          severity: .error, file: place(entry.file.name).path, what: $0,
          remedy: "move it away or choose another output folder")
      }
    }
  }

  private func replace(_ files: [GeneratedFile]) throws {
    guard !files.isEmpty else { return }
    let manager = FileManager.default
    let missing = Self.missingFolders(url)
    do {
      try manager.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw Failure(
        url, "the output folder cannot be made: \(Failure.reason(error))", remedy: "choose another output folder")
    }
    let suffix = ".\(ProcessInfo.processInfo.processIdentifier).partial"
    let drafts = files.map { place(".\($0.name)\(suffix)") }
    do {
      for (file, draft) in zip(files, drafts) { try Data(file.contents.utf8).write(to: draft) }
      for (file, draft) in zip(files, drafts) {
        guard rename(draft.path, place(file.name).path) == 0 else {
          throw CocoaError(.fileWriteUnknown, userInfo: [NSLocalizedDescriptionKey: String(cString: strerror(errno))])
        }
      }
    } catch {
      for draft in drafts { try? manager.removeItem(at: draft) }
      // Those that were made for this; one that has something in it stays.
      for folder in missing { rmdir(folder.path) }
      throw Failure(
        url, "the files cannot be written: \(Failure.reason(error))",
        remedy: "make the folder writable and see that the disk has room")
    }
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
