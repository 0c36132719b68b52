package import Foundation

/// A file beside a test with the text that the test expects.
///
/// If `RECORD_GOLDEN` is set, a comparison writes the file and throws, so that a recording cannot pass unseen.
package struct Golden: Sendable {
  package let url: URL

  package static let isRecording: Bool = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil

  /// - Parameter path: the file's path in `Tests`, such as `ModelDiagramTests/Goldens/Library.svg`.
  package init(_ path: String) {
    url = Fixtures.packageRoot.appendingPathComponent("Tests").appendingPathComponent(path)
  }

  /// Compares a text with the file.
  ///
  /// - Throws: ``Mismatch`` with a unified difference, or after recording; an error of Foundation without a file.
  package func compare(_ text: String) throws {
    if Self.isRecording {
      try Data(text.utf8).write(to: url)
      throw Mismatch.recorded(url.lastPathComponent)
    }
    guard try String(contentsOf: url, encoding: .utf8) != text else { return }
    throw Mismatch(description: try difference(text))
  }

  /// Compares the files of a folder with their expected names and texts.
  ///
  /// - Parameter path: the folder's path in `Tests`.
  /// - Throws: ``Mismatch`` for all differences together, or after recording.
  package static func compare(_ files: [String: String], withFolder path: String) throws {
    let folder = Golden(path).url
    if isRecording {
      try? FileManager.default.removeItem(at: folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
      throw Mismatch.recorded(path)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
    var problems = Set(names).symmetricDifference(files.keys).sorted().map {
      names.contains($0) ? "\($0) is no longer made" : "\($0) is not in \(path)"
    }
    for (name, text) in files.sorted(by: { $0.key < $1.key }) where names.contains(name) {
      do { try Golden("\(path)/\(name)").compare(text) } catch let mismatch as Mismatch {
        problems.append(mismatch.description)
      }
    }
    if !problems.isEmpty { throw Mismatch(description: problems.joined(separator: "\n")) }
  }

  private func difference(_ text: String) throws -> String {
    let diff = try RunningProgram.run("diff", ["-u", url.path, "-"], input: text)
    return "\(url.lastPathComponent) differs from its golden file:\n\(diff.output.prefix(8000))\(diff.errors)"
  }

  /// The difference of a text and its golden file.
  package struct Mismatch: Error, CustomStringConvertible {
    package let description: String

    /// For a golden file of a form of its own.
    package static func recorded(_ name: String) -> Mismatch {
      Mismatch(description: "\(name) was recorded: read the difference, then run without RECORD_GOLDEN")
    }
  }
}
