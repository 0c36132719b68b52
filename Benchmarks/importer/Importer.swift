import CLibXML2
import CoreDataModel
import Foundation
import ManagedModel
import ModelGenerator

/// The importer's stages, each done for a whole bundle; what a later one needs of an earlier one is passed to it.
enum Importer {
  static func read(_ bundle: URL) throws -> ModelBundle { try ModelBundle.read(at: bundle) }

  /// Returns the number of entities that were hashed.
  static func hash(_ bundle: ModelBundle) throws -> Int {
    try bundle.versions.reduce(0) { try $0 + VersionHashes($1.model).hashes.count }
  }

  /// Returns the number of bytes of Swift source.
  static func generate(_ bundle: ModelBundle) throws -> Int {
    let versions = ModelVersions(
      name: bundle.name, source: "\(bundle.name).xcdatamodeld",
      versions: bundle.versions.map { ModelVersions.Version(name: $0.name, model: $0.model) },
      currentIndex: bundle.versions.firstIndex(where: \.isCurrent))
    return try ModelGenerator().generate(versions).files.reduce(0) { $0 + $1.contents.utf8.count }
  }
}

/// What reading the same files costs with libxml2 alone: a tree of each document, made and freed.
enum PlainLibXML2 {
  /// Returns the number of documents.
  static func read(_ files: [URL]) throws -> Int {
    for file in files {
      guard let document = xmlReadFile(file.path, nil, Int32(XML_PARSE_NONET.rawValue)) else {
        throw CocoaError(.fileReadCorruptFile)
      }
      xmlFreeDoc(document)
    }
    return files.count
  }
}
