package import Foundation
import ToolConsole

/// The forms of a model. The content of the file decides on its form, whatever its name.
package enum ModelForm: Sendable {
  /// An `.xcdatamodeld` or `.xcdatamodel`.
  case source
  /// A `.momd`.
  case compiledBundle
  /// A `.mom`.
  case compiled
  /// A Core Data or SwiftData store.
  case store

  package static let hint = "name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"

  /// - Throws: ``Failure`` if the file has none of these forms.
  package init(of url: URL) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      if (try? FileManager.default.attributesOfItem(atPath: url.path)) != nil {
        throw Failure(url, "this is a link that leads nowhere", remedy: "correct the link, or \(Self.hint)")
      }
      throw Failure(url, "there is no such file or folder", remedy: Self.hint)
    }
    self = try isFolder.boolValue ? ModelForm(ofFolder: url) : ModelForm(ofFile: url)
  }

  private init(ofFolder url: URL) throws {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: url.path) else {
      throw Failure(url, "the folder cannot be listed", remedy: "check that you may read it")
    }
    if names.contains(where: { $0 == "contents" || $0 == "elements" || $0.hasSuffix(".xcdatamodel") }) {
      self = .source
    } else if names.contains(where: { $0 == VersionInfo.fileName || $0.hasSuffix(".mom") || $0.hasSuffix(".omo") }) {
      self = .compiledBundle
    } else if names.contains(where: { $0.hasSuffix(".xcdatamodeld") || $0.hasSuffix(".momd") }) {
      throw Failure(url, "the folder is no model itself, but holds one", remedy: "name the model in it")
    } else {
      throw Failure(url, "the folder holds no version of a model", remedy: Self.hint)
    }
  }

  private init(ofFile url: URL) throws {
    let start = try url.bytes(limit: 16)
    if start == Data("SQLite format 3\0".utf8) {
      self = .store
    } else if start.starts(with: Data("bplist00".utf8)) || start.starts(with: Data("momv2$".utf8)) {
      self = .compiled
    } else if ["contents", "elements", "layout"].contains(url.lastPathComponent) {
      throw Failure(
        url, "this is a file inside a model, not the model", remedy: "name the .xcdatamodel folder that it is in")
    } else if start.isEmpty {
      throw Failure(url, "the file is empty", remedy: "restore it, or \(Self.hint)")
    } else {
      switch url.pathExtension.lowercased() {
      case "mom", "omo":
        throw Failure(url, "the file is no compiled model", remedy: "compile the model again, or \(Self.hint)")
      case "sqlite", "store", "db", "sqlite3":
        throw Failure(
          url, "the file is no SQLite database: it is encrypted or a file of another kind",
          remedy: "name an unencrypted store, or the model that it was made with")
      default: throw Failure(url, "the file is no model", remedy: Self.hint)
      }
    }
  }
}

extension URL {
  /// The beginning of a regular file, at most `limit` bytes. Does not wait if the path is a pipe.
  ///
  /// - Throws: ``Failure``.
  package func bytes(limit: Int) throws -> Data {
    let path = resolvingSymlinksInPath().path
    switch (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType {
    case .typeRegular: break
    case .typeDirectory: throw Failure(self, "this is a folder, not a file", remedy: ModelForm.hint)
    case .typeSymbolicLink, nil:
      throw Failure(self, "this is a link that leads nowhere", remedy: "correct the link, or \(ModelForm.hint)")
    default: throw Failure(self, "this is neither a file nor a folder", remedy: ModelForm.hint)
    }
    do {
      let file = try FileHandle(forReadingFrom: self)
      defer { try? file.close() }
      return try file.read(upToCount: limit) ?? Data()
    } catch {
      throw Failure(self, "the file cannot be read", remedy: "check that you may read it")
    }
  }
}
