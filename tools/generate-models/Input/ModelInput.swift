import CoreDataModel
import ErrorReporting
import Foundation
import ManagedModel
import ModelGenerator
import ToolConsole
import ToolModels

/// A model that was read, with the lines of its declarations.
struct ModelInput {
  var versions: ModelVersions
  /// Warnings of the reader.
  var diagnostics: [Message]
  let locations: [String: SourceLocations]
  let place: ModelPlace

  init(versions: ModelVersions, diagnostics: [Message], locations: [String: SourceLocations], place: ModelPlace) {
    self.versions = versions
    self.diagnostics = diagnostics
    self.locations = locations
    self.place = place
  }

  /// Reads a model in any form.
  ///
  /// - Parameter choose: the versions to read of a bundle of sources; see ``ModelFile/read(_:choosing:)``.
  /// - Throws: ``Failure`` if a part of the model could not be read.
  static func read(_ url: URL, choosing choose: ModelFile.Choice? = nil) throws -> ModelInput {
    let file = try ModelFile.read(url, choosing: choose)
    let (mappings, warnings) = file.form == .store ? ([], []) : MappingFile.beside(url)
    return ModelInput(
      versions: ModelVersions(
        name: file.name, source: file.source,
        versions: file.versions.map { version in
          ModelVersions.Version(name: version.name, model: version.model, number: version.position.map { $0 + 1 })
        },
        currentIndex: file.currentIndex, mappings: mappings),
      diagnostics: file.diagnostics + warnings,
      locations: Dictionary(file.versions.map { ($0.name, $0.locations) }, uniquingKeysWith: { first, _ in first }),
      place: ModelPlace(url))
  }
}

extension ModelInput {
  /// The generated files and the diagnostics about them.
  struct Generated {
    var files: [GeneratedFile]
    var diagnostics: [Message]
  }

  /// - Throws: ``Failure`` if no classes can be generated for the model.
  func generate(with generator: ModelGenerator) throws -> Generated {
    do {
      let output = try generator.generate(versions)
      return Generated(files: output.files, diagnostics: messages(for: output.notes))
    } catch {
      throw Failure(
        error.issues.map { issue in
          message(
            .error, version: error.version,
            issue.entity.flatMap { locations[error.version]?.line(ofEntity: $0, property: issue.property) },
            problem: issue.placedProblem, remedy: issue.remedy)
        })
    }
  }

  /// Reports a fact that several versions leave out only once, for the newest of them.
  private func messages(for notes: [GeneratorNote]) -> [Message] {
    var order: [GeneratorNote] = []
    var counts: [GeneratorNote: Int] = [:]
    for note in notes.reversed() {
      var key = note
      key.version = ""
      if counts[key] == nil { order.append(note) }
      counts[key, default: 0] += 1
    }
    return order.reversed().map { note in
      var key = note
      key.version = ""
      let count = counts[key] ?? 1
      let severity: Message.Severity = note.severity == .warning ? .warning : .note
      return message(
        severity, version: note.version, line(of: note),
        problem: note.subject + (count > 1 ? " (in \(count) versions)" : ""), remedy: note.remedy)
    }
  }

  private func line(of note: GeneratorNote) -> Int? {
    guard let location = locations[note.version] else { return nil }
    switch note.place {
    case .entity(let entity, let property): return location.line(ofEntity: entity, property: property)
    case .fetchRequest(let name): return location.line(ofFetchRequest: name)
    case .configuration(let name): return location.line(ofConfiguration: name)
    case nil: return note.entity.map { location.line(ofEntity: $0, property: note.property) }
    }
  }

  private func message(
    _ severity: Message.Severity, version: String, _ line: Int?, problem: String, remedy: String?
  ) -> Message {
    Message(
      severity: severity, file: locations[version]?.file ?? place.text, line: line ?? place.line, problem: problem,
      remedy: remedy)
  }
}
