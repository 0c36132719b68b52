import Foundation

/// Where a document goes: standard output, or a file.
struct DocumentOutput {
  /// The file, or `nil` for standard output.
  var file: URL?

  /// Writes a file whole or not at all.
  /// - Throws: ``Failure`` if it cannot be written.
  func write(_ data: Data) throws {
    guard let file else { return try Console.write(data) }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), isFolder.boolValue {
      throw Failure(file, "it is a folder, and a file is to be written", remedy: "name a file in it")
    }
    do {
      try data.write(to: file, options: .atomic)
    } catch {
      throw Failure(
        file, "the file cannot be written: \(Failure.reason(error))",
        remedy: "name a file in a folder that exists and is writable")
    }
  }
}
