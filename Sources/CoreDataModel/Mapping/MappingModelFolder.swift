package import Foundation
package import ManagedModel

extension MappingModelParser {
  /// The file in an `.xcmappingmodel` that holds the mapping model.
  package static let contentsName = "xcmapping.xml"

  /// Reads an `.xcmappingmodel`.
  ///
  /// Cost: one read.
  /// - Throws: ``ModelReadingError`` if the folder holds no mapping model.
  package static func read(
    at url: URL, readExpression: @escaping (Data) throws -> ExpressionTree
  ) throws(ModelReadingError) -> ParsedMapping {
    let folder = ModelFolder(url.standardizedFileURL)
    guard try folder.entries().contains(contentsName) else {
      throw folder.unreadable("the folder has no “\(contentsName)” file", "restore it from version control")
    }
    let file = folder.file(contentsName)
    return try parse(
      file.bytes(limit: XMLLimits.standard.bytes), name: folder.name, fileName: file.path,
      readExpression: readExpression)
  }
}
