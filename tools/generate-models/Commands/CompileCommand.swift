import CoreDataModel
import ErrorReporting
import Foundation
import ManagedModel
import ModelArchive
import ModelGenerator
import ToolConsole

/// Writes the chosen versions as a compiled model: a `.momd` for a bundle, a `.mom` for a single version.
struct CompileCommand {
  var source: ModelSource
  /// The folder that will contain the compiled model.
  var output: URL

  /// - Throws: ``Failure`` if the input is wrong or the model cannot be written; an existing model then stays
  ///   unchanged.
  func run() throws {
    let input = try source.read()
    let (model, warnings) = try Progress.shared.during("compiling \(input.versions.versions.count) versions") {
      try compile(input)
    }
    Console.report(warnings)
    let lock = FolderLock(output)
    defer { withExtendedLifetime(lock) {} }
    let place = CompiledModelPlace(folder: output, name: model.fileName, input: source.file)
    let outcome = try place.write(model)
    Console.noteSaved("the model is written to \(place.url.path)")
    let versions = counted(input.versions.versions.count, "version")
    try Console.print("\(onOneLine(place.url.path)): \(versions), \(outcome.rawValue)")
  }

  private func compile(_ input: ModelInput) throws -> (model: CompiledModel, warnings: [Message]) {
    var errors: [Message] = []
    var warnings: [Message] = []
    var archives: [CompiledModel.Version] = []
    for version in input.versions.versions {
      do {
        let issues = version.model.validate().filter { $0.severity == .error }
        errors += issues.map { input.message(about: $0, in: version.name) }
        guard issues.isEmpty else { continue }
        archives.append(
          CompiledModel.Version(
            name: version.name, archive: try ModelArchive.encode(version.model, as: .compiledModel),
            hashes: try VersionHashes(version.model)))
        warnings += try ModelArchive.omissions(from: version.model).map {
          input.message(.warning, in: version.name, $0, remedy: "keep the source of the model")
        }
      } catch let error as any ReportableError {
        errors.append(input.message(.error, in: version.name, error.placedProblem, remedy: error.remedy))
      }
    }
    guard errors.isEmpty else { throw Failure(errors) }
    return (CompiledModel(input.versions, archives: archives), warnings)
  }
}

extension ModelInput {
  fileprivate func message(_ severity: Message.Severity, in version: String, _ problem: String, remedy: String?)
    -> Message
  {
    Message(
      severity: severity, file: locations[version]?.file ?? place.text, line: place.line, problem: problem,
      remedy: remedy)
  }

  fileprivate func message(about issue: ModelIssue, in version: String) -> Message {
    var message = message(.error, in: version, issue.placedProblem, remedy: issue.remedy)
    if let entity = issue.entity, let location = locations[version] {
      message.line = location.line(ofEntity: entity, property: issue.property)
    }
    return message
  }
}
