import CoreDataModel
package import Foundation
package import ManagedModel
import ModelArchive
package import ToolConsole

/// Mapping models: `.xcmappingmodel` folders of Xcode, and compiled `.cdm` files.
package enum MappingFile {
  /// The mapping models in the folder that a model lies in, in natural order of names. Of a source and its compiled form, only
  /// the source is read.
  ///
  /// A file that cannot be read is a warning, because the model is complete without it. Cost: one listing of the folder,
  /// and one read per mapping model.
  package static func beside(_ model: URL) -> (mappings: [MappingModel], diagnostics: [Message]) {
    let folder = model.standardizedFileURL.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let files = names.filter { isMapping($0) && !hasSource($0, among: Set(names)) }.sorted(by: naturalOrder)
    var mappings: [MappingModel] = []
    var diagnostics: [Message] = []
    for file in files {
      do {
        let (mapping, messages) = try read(folder.appendingPathComponent(file))
        mappings.append(mapping)
        diagnostics += messages
      } catch {
        diagnostics += error.diagnostics.map {
          var message = $0
          message.severity = .warning
          return message
        }
      }
    }
    return (mappings, diagnostics)
  }

  /// Whether a path names a mapping model.
  package static func isMapping(_ path: String) -> Bool {
    path.hasSuffix(sourceSuffix) || path.hasSuffix(compiledSuffix)
  }

  /// Whether a file is the compiled form of a source in the same folder. The source counts, because the compiled form may be
  /// older.
  private static func hasSource(_ file: String, among names: Set<String>) -> Bool {
    guard file.hasSuffix(compiledSuffix) else { return false }
    return names.contains(file.dropLast(compiledSuffix.count) + sourceSuffix)
  }

  private static let sourceSuffix = ".xcmappingmodel"
  private static let compiledSuffix = ".cdm"

  /// Reads a mapping model in either form, from untrusted bytes.
  /// - Throws: ``Failure``.
  package static func read(_ url: URL) throws(Failure) -> (mapping: MappingModel, diagnostics: [Message]) {
    let name = url.deletingPathExtension().lastPathComponent
    var isFolder: ObjCBool = false
    if url.pathExtension != "cdm", FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder),
      !isFolder.boolValue
    {
      throw Failure(
        url, line: nil, "the file is no mapping model", remedy: "name an .xcmappingmodel folder or a .cdm file")
    }
    do {
      if url.pathExtension == "cdm" {
        return (try ModelArchive.decodeMapping(url.bytes(limit: largestFile), name: name), [])
      }
      let parsed = try MappingModelParser.read(at: url, readExpression: ModelArchive.decodeExpression)
      return (parsed.mapping, parsed.diagnostics.map(ModelFile.message))
    } catch let error as ModelReadingError {
      throw Failure(error.diagnostics.map(ModelFile.message))
    } catch let error as ModelArchiveError {
      throw Failure(url, error)
    } catch {
      throw error as? Failure
        ?? Failure(url, "the mapping model cannot be read", remedy: "restore it from version control")
    }
  }

  private static let largestFile = 64 << 20
}
