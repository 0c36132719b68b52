package import Foundation

/// The destination of a document: standard output, or a file.
package struct DocumentOutput: Sendable {
  /// The file, or `nil` for standard output.
  package var file: URL?

  package init(file: URL?) { self.file = file }

  /// Writes a regular file whole or not at all.
  /// - Throws: ``Failure`` if it cannot be written.
  package func write(_ data: Data) throws {
    guard let file else { return try Console.write(data) }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), isFolder.boolValue {
      throw Failure(file, "it is a folder, and a file is to be written", remedy: "name a file in it")
    }
    do {
      let type = (try? FileManager.default.attributesOfItem(atPath: file.path))?[.type] as? FileAttributeType
      guard [nil, .typeRegular].contains(type) else { return try Self.pass(data, to: file) }
      try data.write(to: file, options: .atomic)
    } catch {
      throw Failure(
        file, "the file cannot be written: \(Failure.reason(error))",
        remedy: "name a file in a folder that exists and is writable")
    }
  }

  /// Writes into a device, a pipe or the target of a link, because a new file must not replace it.
  private static func pass(_ data: Data, to file: URL) throws {
    let descriptor = open(file.path, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSLocalizedDescriptionKey: String(cString: strerror(errno))])
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try handle.write(contentsOf: data)
  }
}
