import CoreDataModel
import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelGenerator

/// Part 3 of the promise: what is generated has the hashes of the model it was generated from.
@Suite("Hashes of generated declarations", .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
struct HashProofTests {
  @Test(
    "VH-1 … VH-8 Every entity of every version of every real bundle keeps its hash, and all else, in the open dialect")
  func allBundles() async throws {
    let results = try await withThrowingTaskGroup(of: (compared: Int, differences: [String]).self) { group in
      for bundle in try RealModelTests.bundles() { group.addTask { try Self.compare(bundle) } }
      return try await group.reduce(into: (compared: 0, differences: [String]())) {
        $0.compared += $1.compared
        $0.differences += $1.differences
      }
    }
    #expect(results.compared > 5_000)
    #expect(results.differences == [])
  }

  private static func compare(_ bundle: RealModelTests.Bundle) throws -> (compared: Int, differences: [String]) {
    let versions = bundle.versions
    let schemas = bundle.translation.files.compactMap { file in
      if case .schema(let schema) = file.content { schema } else { nil }
    }
    #expect(schemas.count == versions.versions.count)
    var compared = 0
    var differences: [String] = []
    for (index, (version, schema)) in zip(versions.versions, schemas).enumerated() {
      let read = DeclarationReader(schema).model()
      let place = "\(bundle.url.lastPathComponent) \(version.name)"
      compared += read.entities.count
      if index == versions.versions.count - 1 || FullTests.areWanted, let expected = try? VersionHashes(version.model) {
        let found = try VersionHashes(read)
        differences += found.differingEntities(from: expected).map { "\(place): hash of \($0)" }
      }
      differences += read.canonical.differences(from: version.model.canonical).map { "\(place): \($0)" }
    }
    return (compared, differences)
  }
}
