import Foundation
import ManagedModel
import ModelArchive
import ModelGenerator
import ToolConsole
import ToolModels

extension ModelInput {
  private static func model(of version: DatabaseReply.Version) throws -> ModelDescription {
    var model = try ModelArchive.decode(version.archive)
    for position in model.entities.indices {
      let names = version.properties[model.entities[position].name] ?? []
      let ranks = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      model.entities[position].properties.sort { ranks[$0.name] ?? names.count < ranks[$1.name] ?? names.count }
    }
    return model.mappingAttributes { attribute, entity in
      var attribute = attribute
      attribute.enumeration = version.enumerations[entity]?[attribute.name].map {
        EnumerationDescription(name: $0.name, labels: $0.labels)
      }
      return attribute
    }
  }

  /// Reads the model of a database's schema: all versions of a SwiftData store, or one version of other tables.
  ///
  /// - Parameter schema: the schema's name; `public` if it is `nil`.
  /// - Throws: ``Failure`` for a database that cannot be read.
  static func read(database address: String, schema: String?) throws -> ModelInput {
    let reply = try DatabaseReader.read(
      DatabaseRequest(address: address, schema: schema ?? "public"), for: "generate-models")
    let place = ModelPlace(database: reply.place)
    let versions = try reply.versions.enumerated().map { index, version in
      do {
        return ModelVersions.Version(
          name: reply.versions.count == 1 ? reply.name : "\(index + 1)", model: try model(of: version))
      } catch let error as ModelArchiveError {
        throw Failure([Message(file: place.text, error)])
      }
    }
    return ModelInput(
      versions: ModelVersions(name: reply.name, source: reply.source, versions: versions),
      diagnostics: reply.notes.map {
        Message(
          severity: $0.isWarning ? .warning : .note, file: place.text, line: nil, problem: $0.problem, remedy: $0.remedy
        )
      },
      locations: [:], place: place)
  }
}
