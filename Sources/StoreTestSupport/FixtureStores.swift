import Foundation
import TestSupport

/// The names of the real stores; `RealStore.all` says more of them.
package enum FixtureStores {
  package static let all: [String] = {
    guard Fixtures.areAvailable else { return [] }
    let names = try? FileManager.default.contentsOfDirectory(atPath: Fixtures.url("stores").path)
    return (names ?? []).filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
  }()

  package static let withModel = all.filter { givenModels[$0] == nil }
}
