package import CoreDataModel
package import Foundation
package import ManagedModel
package import ToolConsole

/// A model with its versions, read from a file or folder of any form.
package struct ModelFile: Sendable {
  package let name: String
  /// The name of the file or folder.
  package let source: String
  package let form: ModelForm
  /// In natural order of names, so that the newest is the last.
  package let versions: [Version]
  /// The index of the version that the bundle names as current; `nil` if it names none.
  package let currentIndex: Int?
  /// Warnings of the reader.
  package let diagnostics: [Message]

  package struct Version: Sendable {
    package let name: String
    package let model: ModelDescription
    /// The places of the declarations.
    package let locations: SourceLocations
  }

  /// The version for a new store: the bundle's current version, or the newest.
  package var current: Version? { currentIndex.map { versions[$0] } ?? versions.last }

  /// Reads a model in any form, from untrusted bytes.
  ///
  /// - Throws: ``Failure`` if a part of the model cannot be read.
  package static func read(_ url: URL) throws -> ModelFile {
    let url = url.standardizedFileURL
    return switch try ModelForm(of: url) {
    case .source: try source(at: url)
    case .compiledBundle: try compiledBundle(at: url)
    case .compiled: try compiledModel(at: url)
    case .store: try store(at: url)
    }
  }

  init(
    _ url: URL, _ form: ModelForm, _ versions: [Version], currentIndex: Int? = nil, name: String? = nil,
    diagnostics: [Message] = []
  ) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    source = url.lastPathComponent
    self.form = form
    self.versions = versions
    self.currentIndex = currentIndex
    self.diagnostics = diagnostics
  }

  private static func source(at url: URL) throws -> ModelFile {
    do {
      let bundle = try ModelBundle.read(at: url)
      let messages = bundle.diagnostics.map(message)
      if bundle.hasErrors { throw Failure(messages) }
      return ModelFile(
        url, .source, bundle.versions.map { Version(name: $0.name, model: $0.model, locations: $0.locations) },
        currentIndex: bundle.versions.firstIndex(where: \.isCurrent), name: bundle.name, diagnostics: messages)
    } catch let error as ModelReadingError {
      throw Failure(error.diagnostics.map(message))
    }
  }

  static func message(_ diagnostic: Diagnostic) -> Message {
    Message(
      severity: diagnostic.severity == .error ? .error : .warning, file: diagnostic.file, line: diagnostic.line,
      problem: diagnostic.problem, remedy: diagnostic.remedy)
  }
}
