import Foundation
import ManagedModel

/// A bundle or a version on disk.
///
/// Only this type of the module reads files. It opens files from the listing of a folder, and never a path from inside
/// a file.
struct ModelFolder {
  let url: URL

  init(_ url: URL) { self.url = url }

  var name: String { url.deletingPathExtension().lastPathComponent }
  var path: String { url.path }

  /// The names of the files in the folder. The result is a list, because two names may be equal as Swift strings but
  /// differ on disk.
  func entries() throws(ModelReadingError) -> [String] {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      // Foundation shows bytes that are no UTF-8 as this character, and does not find the file by the repaired name.
      throw name.contains("\u{FFFD}")
        ? unreadable("the name is not UTF-8", "rename it")
        : unreadable("there is no such file or folder", "check the path")
    }
    guard isDirectory.boolValue else {
      let isInsideModel = ["contents", "elements", "layout"].contains(url.lastPathComponent)
      throw unreadable(
        "this is a file, not a folder",
        isInsideModel
          ? "give the .xcdatamodel folder that it is in" : "give an .xcdatamodeld or .xcdatamodel folder")
    }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw unreadable("the folder cannot be listed", "check that you may read it")
    }
  }

  /// The version folders in a bundle, the oldest first as far as names tell.
  func versions(among entries: [String]) -> [ModelFolder] {
    let isOlder = versionOrder(inBundle: name)
    return entries.filter { $0.hasSuffix(".xcdatamodel") }
      .map { ModelFolder(url.appendingPathComponent($0, isDirectory: true)) }
      .sorted { isOlder($0.name, $1.name) }
  }

  /// Reads and parses the version in this folder: its `contents`, or the `elements` of Xcode 3.
  func parsed() throws(ModelReadingError) -> ParsedModel {
    let entries = try entries()
    let contents = file("contents")
    guard entries.contains("contents") else {
      if entries.contains("elements") {
        // The format of Xcode 3. The file beside it, `layout`, says only where the editor draws the entities.
        let archive = file("elements")
        return try ModelParser.parse(
          archive: archive.bytes(limit: XMLLimits.standard.bytes), fileName: archive.path)
      }
      throw unreadable("the folder has no “contents” file", "restore it from version control, or save it in Xcode")
    }
    return try ModelParser.parse(contents.bytes(limit: XMLLimits.standard.bytes), fileName: contents.path)
  }

  func file(_ name: String) -> ModelFolder { ModelFolder(url.appendingPathComponent(name, isDirectory: false)) }

  /// Reads a regular file, up to one byte beyond the limit, so that the caller can detect a larger file.
  func bytes(limit: Int) throws(ModelReadingError) -> Data {
    let inPlace = "put a file in its place, as Xcode writes it"
    switch try? url.resolvingSymlinksInPath().resourceType {
    case .typeRegular: break
    case .typeDirectory: throw unreadable("this is a folder, not a file", inPlace)
    case .typeSymbolicLink, nil:
      throw unreadable("this is a link that leads nowhere", "correct the link, or \(inPlace)")
    default: throw unreadable("this is a pipe or a device, not a file", inPlace)
    }
    do {
      let handle = try FileHandle(forReadingFrom: url)
      defer { try? handle.close() }
      return try handle.read(upToCount: limit + 1) ?? Data()
    } catch {
      throw unreadable("the file cannot be read", "check that you may read it")
    }
  }

  func unreadable(_ problem: String, _ remedy: String) -> ModelReadingError {
    ModelReadingError([Diagnostic(.error, file: path, problem: problem, remedy: remedy)])
  }
}

extension URL {
  fileprivate var resourceType: FileAttributeType? {
    get throws { try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType }
  }
}
