import Foundation
import SwiftData

/// Compares random fetches over the random schemas that the test wrote, and says each difference.
@main
enum RandomSchemaRunner {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let seed = UInt64(arguments[2]), let count = Int(arguments[3]) else {
      throw RunnerProblem(description: "FOLDER SEED COUNT")
    }
    for (number, schema) in RandomSchemas.all.enumerated() {
      let store = URL(fileURLWithPath: arguments[1]).appendingPathComponent("\(schema.name).sqlite")
      let world = try RandomWorld(schema.tables(), seed: seed &+ UInt64(number), store: store)
      try world.run(count)
      print("\(schema.name): \(world.caseCount) cases, \(world.differences.count) differences")
      for difference in world.differences.prefix(10) { print("  \(difference)") }
    }
  }
}

struct RunnerProblem: Error, CustomStringConvertible {
  let description: String
}
