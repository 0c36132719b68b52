import CoreDataModel
import Foundation
import ManagedModel
import ModelGenerator

/// A model as it was read, with the lines on which its parts are declared.
struct ModelInput {
  let versions: ModelVersions
  /// Warnings of the reader.
  let diagnostics: [Message]
  private let locations: [String: SourceLocations]

  /// - Throws: ``Failure`` if a part of the model could not be read.
  static func read(_ url: URL) throws -> ModelInput {
    try requireBundle(url)
    do {
      let bundle = try ModelBundle.read(at: url)
      let messages = bundle.diagnostics.map(message)
      if bundle.hasErrors { throw Failure(messages) }
      return ModelInput(bundle, source: url.standardizedFileURL.lastPathComponent, diagnostics: messages)
    } catch let error as ModelReadingError {
      throw Failure(error.diagnostics.map(message))
    }
  }

  private init(_ bundle: ModelBundle, source: String, diagnostics: [Message]) {
    versions = ModelVersions(
      name: bundle.name, source: source,
      versions: bundle.versions.map { ModelVersions.Version(name: $0.name, model: $0.model) },
      currentIndex: bundle.versions.firstIndex(where: \.isCurrent))
    locations = Dictionary(bundle.versions.map { ($0.name, $0.locations) }, uniquingKeysWith: { first, _ in first })
    self.diagnostics = diagnostics
  }

  private static func requireBundle(_ url: URL) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw Failure(url, "there is no such file or folder", remedy: "name an .xcdatamodeld or .xcdatamodel folder")
    }
    guard !isFolder.boolValue || url.pathExtension == "momd" else { return }
    let remedy = "name the .xcdatamodeld or .xcdatamodel folder that it comes from"
    switch url.pathExtension {
    case "mom", "momd", "omo":
      throw Failure(url, "compiled models cannot be read yet", remedy: remedy)
    case "sqlite", "store", "db":
      throw Failure(url, "stores cannot be read yet", remedy: remedy)
    default:
      throw Failure(url, "the file is no model bundle", remedy: remedy)
    }
  }

  private static func message(_ diagnostic: Diagnostic) -> Message {
    Message(
      severity: diagnostic.severity == .error ? .error : .warning, file: diagnostic.file, line: diagnostic.line,
      what: diagnostic.what, remedy: diagnostic.remedy)
  }
}

extension ModelInput {
  /// Files and what is to be said about them.
  struct Generated {
    var files: [GeneratedFile]
    var diagnostics: [Message]
  }

  /// - Throws: ``Failure`` if no classes can stand for the model.
  func generate(with generator: ModelGenerator) throws -> Generated {
    do {
      let output = try generator.generate(versions)
      return Generated(files: output.files, diagnostics: messages(for: output.notes))
    } catch {
      throw Failure(
        error.issues.map { issue in
          let parts = issue.message.components(separatedBy: " — ")
          return message(
            .error, version: error.version, entity: issue.entity, property: issue.property, what: parts[0],
            remedy: parts.count > 1 ? parts[1] : "correct the model")
        })
    }
  }

  /// What several versions leave out in the same way is told once, at the newest of them.
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
        severity, version: note.version, entity: note.entity, property: note.property,
        what: note.subject + (count > 1 ? " (in \(count) versions)" : ""), remedy: note.remedy)
    }
  }

  private func message(
    _ severity: Message.Severity, version: String, entity: String?, property: String?, what: String, remedy: String
  ) -> Message {
    let location = locations[version]
    return Message(
      severity: severity, file: location?.file ?? versions.source,
      line: entity.flatMap { location?.line(ofEntity: $0, property: property) } ?? 1, what: what, remedy: remedy)
  }
}
