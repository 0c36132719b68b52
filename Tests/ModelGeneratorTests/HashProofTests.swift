import CoreDataModel
import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelGenerator

/// Part 3 of the promise: what is generated has the hashes of the model it was generated from.
@Suite("Hashes of generated declarations", .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
struct HashProofTests {
  @Test("VH-1 … VH-8 Every entity of every version of every real bundle keeps its hash in the open dialect")
  func allBundles() throws {
    var compared = 0
    var differences: [String] = []
    for url in try RealModelTests.bundles() {
      let versions = try ModelVersions.reading(url)
      let translation = try BundleTranslator(versions, options: .init()).translate()
      let schemas = translation.files.compactMap { file in
        if case .schema(let schema) = file.content { schema } else { nil }
      }
      #expect(schemas.count == versions.versions.count)
      for (version, schema) in zip(versions.versions, schemas) {
        guard let expected = try? VersionHashes(version.model) else { continue }
        let found = try VersionHashes(DeclarationReader(schema).model())
        compared += expected.hashes.count
        differences += found.differingEntities(from: expected).map { "\(url.lastPathComponent) \(version.name): \($0)" }
      }
    }
    #expect(compared > 5_000)
    #expect(differences == [])
  }
}
