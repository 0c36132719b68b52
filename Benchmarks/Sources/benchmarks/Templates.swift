import Foundation

/// Folders with databases that are made once in a run, and read, or copied, by the workloads.
enum Templates {
  nonisolated(unsafe) private static var made: [String: URL] = [:]
  private static let root = FileManager.default.temporaryDirectory.appendingPathComponent(
    "benchmarks-templates-\(UUID().uuidString)")

  /// The folder of a name; `fill` puts its databases there.
  static func folder(_ name: String, fill: (URL) throws -> Void) throws -> URL {
    if let folder = made[name] { return folder }
    let folder = root.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try fill(folder)
    made[name] = folder
    return folder
  }

  /// Copies the files of a template into a folder.
  static func copy(_ template: URL, to folder: URL) throws {
    for file in try FileManager.default.contentsOfDirectory(at: template, includingPropertiesForKeys: nil) {
      try FileManager.default.copyItem(at: file, to: folder.appendingPathComponent(file.lastPathComponent))
    }
  }

  static func remove() { try? FileManager.default.removeItem(at: root) }
}
