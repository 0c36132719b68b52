import Foundation

@testable import ManagedModel
@testable import SwiftData

/// A program of generated classes: it says their version hashes, reads a store through them, or
/// migrates one.
///
/// `Generated.swift`, made by the test, names the schemas and the plan.
@main
enum Runner {
  static func main() throws {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "summary" where arguments.count == 3:
      try write(summary(), to: arguments[2])
    case "read" where arguments.count == 5:
      guard let schema = Generated.schemas.first(where: { "\($0)" == arguments[2] }) else {
        throw RunnerError(description: "no schema \(arguments[2])")
      }
      try write(StoreReading(schema, store: URL(fileURLWithPath: arguments[3])).read(), to: arguments[4])
    case "migrate" where arguments.count == 3:
      try migrate(URL(fileURLWithPath: arguments[2]))
    default:
      throw RunnerError(description: "summary OUTPUT | read SCHEMA STORE OUTPUT | migrate STORE")
    }
  }

  private static func migrate(_ store: URL) throws {
    guard let plan = Generated.plan, let last = plan.schemas.last else {
      throw RunnerError(description: "no migration plan")
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: last), migrationPlan: plan, configurations: [ModelConfiguration(url: store)])
    withExtendedLifetime(container) {}
  }

  private static func write(_ value: some Encodable, to path: String) throws {
    try JSONEncoder().encode(value).write(to: URL(fileURLWithPath: path))
  }

  private static func summary() throws -> CompiledSummary {
    let versions = try Generated.schemas.map { type in
      let identifier = type.versionIdentifier
      let hashes = try VersionHashes(Schema(versionedSchema: type).lowered())
      return CompiledVersion(
        schema: "\(type)", identifier: [identifier.major, identifier.minor, identifier.patch], hashes: hashes.hashes)
    }
    return CompiledSummary(
      versions: versions, plan: Generated.plan?.schemas.map { "\($0)" } ?? [],
      stageCount: Generated.plan?.stages.count ?? 0)
  }
}

struct RunnerError: Error, CustomStringConvertible {
  let description: String
}
