import ErrorReporting
import Foundation
import ManagedModel
import ModelArchive
import PostgreSQL
import PostgreSQLModel
import ToolModels

/// Reads the model of a database's schema for `generate-models`: a request in JSON in, a reply in JSON out.
@main
enum PostgreSQLModelProgram {
  static func main() throws {
    let input = isatty(0) == 0 ? FileHandle.standardInput.readDataToEndOfFile() : Data()
    guard let request = try? JSONDecoder().decode(DatabaseRequest.self, from: input) else {
      try FileHandle.standardError.write(
        contentsOf: Data(
          "postgresql-model: error: generate-models runs this program — run generate-models postgresql://…\n".utf8))
      exit(64)
    }
    try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(reply(to: request)))
  }

  private static func version(_ model: ModelDescription) throws -> DatabaseReply.Version {
    DatabaseReply.Version(
      archive: try ModelArchive.encode(model),
      properties: Dictionary(
        model.entities.map { ($0.name, $0.properties.map(\.name)) }, uniquingKeysWith: { first, _ in first }),
      enumerations: Dictionary(
        model.entities.map { ($0.name, enumerations(of: $0)) }, uniquingKeysWith: { first, _ in first }))
  }

  private static func enumerations(of entity: EntityDescription) -> [String: DatabaseReply.Enumeration] {
    var enumerations: [String: DatabaseReply.Enumeration] = [:]
    for attribute in entity.attributes {
      enumerations[attribute.name] = attribute.enumeration.map {
        DatabaseReply.Enumeration(name: $0.name, labels: $0.labels)
      }
    }
    return enumerations
  }

  private static func reply(to request: DatabaseRequest) -> DatabaseReply {
    do {
      let address = try ServerAddress(request.address)
      let model = try DatabaseModel.read(address, schema: request.schema)
      return .model(
        DatabaseReply.Model(
          place: "\(address)", name: model.name, source: model.source,
          versions: try model.versions.map(version),
          notes: model.notes.map {
            DatabaseReply.Note(isWarning: $0.severity == .warning, problem: $0.placedProblem, remedy: $0.remedy)
          }))
    } catch let error as any ReportableError {
      return .failure(problem: error.placedProblem, remedy: error.remedy)
    } catch {
      return .failure(problem: "the model of the database cannot be read: \(error)", remedy: nil)
    }
  }
}
