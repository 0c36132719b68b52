package import CoreDataModel
import ErrorReporting
package import Foundation
package import ManagedModel
package import ToolConsole

/// A model with its versions, read from a file or folder of any form.
package struct ModelFile: Sendable {
  package let name: String
  /// The name of the file or folder.
  package let source: String
  package let form: ModelForm
  /// Oldest first: the version with the bundle's name, then the others in natural order of names.
  package let versions: [Version]
  /// The index of the version that the bundle names as current; `nil` if it names none.
  package let currentIndex: Int?
  /// Warnings of the reader.
  package let diagnostics: [Message]

  package struct Version: Sendable {
    package let name: String
    /// The version's place among all versions of the bundle, counted from 0; `nil` if all versions are here.
    package var position: Int?
    package let model: ModelDescription
    /// The places of the declarations.
    package let locations: SourceLocations
  }

  /// The version for a new store: the bundle's current version, or the newest.
  package var current: Version? { currentIndex.map { versions[$0] } ?? versions.last }

  /// The positions of the versions to read.
  package typealias Choice = (_ names: [String], _ current: Int?) throws -> [Int]

  /// Reads a model in any form with all its versions; see ``read(_:choosing:)``.
  /// - Throws: ``Failure`` if a part of the model cannot be read.
  package static func read(_ url: URL) throws -> ModelFile { try read(url, choosing: nil) }

  /// Reads a model in any form, from untrusted bytes.
  ///
  /// If a version of a bundle cannot be read, a warning names it and the others are read. The current version and chosen versions
  /// have to be readable.
  /// - Parameter choose: chooses the versions of a bundle of sources by their names; only their files are read. Other
  ///   forms are read as a whole.
  /// - Throws: ``Failure`` if a part of the model cannot be read; errors of `choose`.
  package static func read(_ url: URL, choosing choose: Choice?) throws -> ModelFile {
    let url = url.standardizedFileURL
    return switch try ModelForm(of: url) {
    case .source: try source(at: url, choosing: choose)
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

  private static func source(at url: URL, choosing choose: Choice?) throws -> ModelFile {
    do {
      var problem: (any Error)?
      let bundle = try ModelBundle.read(at: url) { names, current in
        do { return try choose?(names, current) ?? Array(names.indices) } catch {
          problem = error
          return []
        }
      }
      if let problem { throw problem }
      let messages = bundle.diagnostics.map(message)
      let failed = bundle.failures
      guard failed.isEmpty || choose == nil, !failed.contains(where: \.isCurrent),
        failed.count < bundle.versionNames.count
      else { throw Failure(messages) }
      let names = Set(failed.map(\.name))
      let versions = bundle.versions.filter { !names.contains($0.name) }
      let isComplete = versions.count == bundle.versionNames.count
      return ModelFile(
        url, .source,
        versions.map {
          Version(
            name: $0.name, position: isComplete ? nil : $0.position, model: $0.model, locations: $0.locations)
        },
        currentIndex: versions.firstIndex(where: \.isCurrent), name: bundle.name,
        diagnostics: leftOut(failed, of: url) + messages.map { $0.softened })
    } catch let error as ModelReadingError {
      throw Failure(error.diagnostics.map(message))
    }
  }

  /// A warning for each version that was left out.
  private static func leftOut(_ failures: [ModelBundle.Failure], of url: URL) -> [Message] {
    failures.map { failure in
      Message(
        severity: .warning, file: url.path, line: 1,
        problem: "the version \(quoted(failure.name)) cannot be used and was left out",
        remedy: "correct it, or choose the versions to read")
    }
  }

  static func message(_ diagnostic: Diagnostic) -> Message {
    Message(
      severity: diagnostic.severity == .error ? .error : .warning, file: diagnostic.file, line: diagnostic.line,
      problem: diagnostic.problem, remedy: diagnostic.remedy)
  }
}

extension Message {
  /// The message as a warning at most.
  fileprivate var softened: Message {
    var message = self
    if message.severity == .error { message.severity = .warning }
    return message
  }
}
