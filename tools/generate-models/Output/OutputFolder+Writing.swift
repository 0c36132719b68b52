import Foundation
import ModelGenerator
import ToolConsole

extension OutputFolder {
  /// Writes the changed files.
  ///
  /// First writes all files beside their places under other names. Only when all are complete, moves each to its place
  /// in one step.
  /// - Throws: ``Failure``. Nothing has changed if a file is in the way or cannot be written.
  func write(_ survey: Survey) throws {
    let obstacles = obstacles(of: survey)
    guard obstacles.isEmpty else { throw Failure(obstacles) }
    try replace(survey.entries.filter(\.isChanged).map(\.file))
  }

  /// Removes the orphans: files of which the first line says that they are generated from the same bundle.
  /// - Throws: ``Failure`` if an orphan cannot be removed; all other orphans are removed.
  func prune(_ survey: Survey) throws {
    var failures: [Message] = []
    for orphan in survey.orphans {
      do {
        try FileManager.default.removeItem(at: place(orphan.name))
      } catch {
        failures.append(
          Message(
            severity: .error, file: place(orphan.name).path,
            problem: "the file cannot be removed: \(Failure.reason(error))", remedy: "make the folder writable"))
      }
    }
    guard failures.isEmpty else { throw Failure(failures) }
  }

  func obstacles(of survey: Survey) -> [Message] {
    survey.entries.compactMap { entry in
      entry.obstacle.map {
        Message(
          severity: .error, file: place(entry.file.name).path, problem: $0,
          remedy: "move it away or choose another output folder")
      }
    }
  }

  private func replace(_ files: [GeneratedFile]) throws {
    FileDrafts.removeAbandoned(in: url)
    guard !files.isEmpty else { return }
    let drafts = try FileDrafts(in: url)
    do {
      for file in files { try Data(file.contents.utf8).write(to: drafts.add(file.name)) }
    } catch {
      throw Failure(
        url, line: nil, "the files cannot be written: \(Failure.reason(error))",
        remedy: "make the folder writable and see that the disk has room")
    }
    try drafts.commit()
  }
}
