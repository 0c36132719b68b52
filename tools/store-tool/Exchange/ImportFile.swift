import CoreDataStore
import DatabaseFiles
import Foundation
import ToolConsole

/// A file that can be read several times: the named file, or a copy of standard input.
struct ImportFile {
  let url: URL
  /// The folder of the copy; `nil` for a file that is read in its place.
  private let folder: DraftFolder?

  /// - Throws: ``Failure`` if there is no file.
  init(_ path: String) throws {
    let named = URL(fileURLWithPath: path)
    let type = (try? FileManager.default.attributesOfItem(atPath: named.resolvingSymlinksInPath().path))?[.type]
    if path != "-", type as? FileAttributeType == .typeRegular {
      url = named
      folder = nil
      return
    }
    if path != "-", type == nil { throw Failure(named, line: nil, "there is no such file", remedy: "check the path") }
    if type as? FileAttributeType == .typeDirectory {
      throw Failure(named, line: nil, "this is a folder, not a file", remedy: "name a file of lines")
    }
    let folder = try TrialCopy.temporaryFolder("import")
    self.folder = folder
    url = folder.url.appendingPathComponent("lines")
    do {
      let input = path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: named)
      let output = try ResultStream(file: url)
      while let piece = try input.read(upToCount: 1 << 18), !piece.isEmpty { try output.write(Array(piece)) }
      try output.flush()
    } catch {
      if path == "-" { throw (error as? Failure) ?? .ofStandardInput(error) }
      throw (error as? Failure)
        ?? Failure(
          named, line: nil, "it cannot be read: \(Failure.reason(error))", remedy: "check that you may read it")
    }
  }
}
