import CoreDataModel
import Foundation
import ManagedModel
import ModelGenerator
import PropertyLists
import ToolModels

/// The files of a compiled model in memory, in the form that Core Data loads.
struct CompiledModel {
  /// The `.mom` of one version.
  struct Version {
    var name: String
    var archive: Data
    var hashes: VersionHashes
  }

  /// `Library.momd`, a folder, or `Library.mom`, a file.
  let fileName: String
  /// The files in the folder by name; for a single file, its content under ``fileName``.
  let files: [String: Data]
  let isBundle: Bool

  /// Makes a `.momd` from a bundle, even if it has only one version. Makes a `.mom` from a single model, or from one
  /// version chosen from several.
  init(_ versions: ModelVersions, archives: [Version]) {
    let isWhole = versions.versions.first?.number == nil
    let isFromBundle = ["xcdatamodeld", "momd"].contains((versions.source as NSString).pathExtension)
    isBundle = archives.count != 1 || isWhole && isFromBundle
    if !isBundle, let version = archives.first {
      fileName = "\(version.name).mom"
      files = [fileName: version.archive]
      return
    }
    fileName = "\(versions.name).momd"
    var files = Dictionary(archives.map { ("\($0.name).mom", $0.archive) }, uniquingKeysWith: { first, _ in first })
    files[VersionInfo.fileName] = VersionInfo.encoded(
      currentVersion: versions.versions[versions.currentIndex].name,
      hashes: Dictionary(archives.map { ($0.name, $0.hashes.hashes) }, uniquingKeysWith: { first, _ in first }))
    self.files = files
  }
}

extension VersionInfo {
  /// The list as a binary property list; equal contents give equal bytes.
  static func encoded(currentVersion: String, hashes: [String: [String: Data]]) -> Data {
    func dictionary<Value>(
      _ contents: [String: Value], _ tree: (Value) -> PropertyListTree
    ) -> PropertyListTree {
      .dictionary(contents.sorted { codeUnitOrder($0.key, $1.key) }.map { ($0.key, tree($0.value)) })
    }
    let list = PropertyListTree.dictionary([
      (Key.currentVersion, .string(currentVersion)),
      (Key.hashes, dictionary(hashes) { dictionary($0, PropertyListTree.data) }),
    ])
    return BinaryPropertyList(list).encoded()
  }
}
