import Foundation
import TestSupport

/// The names of the real stores; `RealStore.all` says more of them.
package enum FixtureStores {
  package static let all: [String] = {
    guard Fixtures.areAvailable else { return [] }
    let names = try? FileManager.default.contentsOfDirectory(atPath: Fixtures.url("stores").path)
    return (names ?? []).filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
  }()

  /// Of the ``chosen`` ones, the stores that have a model.
  package static let withModel = chosen.filter { givenModels[$0] == nil }

  /// The stores that slow tests use: all of them in the full run. Otherwise the versions of one app's store between its first and its
  /// last are left out, which differ in few properties; two of the four Photos libraries, which are the largest models; and stores of
  /// thousands of rows whose entities are like another store's.
  package static let chosen: [String] = {
    if FullTests.areWanted { return all }
    let between = ["wireapp__wire-ios-data-model", "duckduckgo__BrowserServicesKit"].flatMap { app in
      all.filter { $0.hasPrefix(app) }.sorted { $0.localizedStandardCompare($1) == .orderedAscending }
        .dropFirst().dropLast()
    }
    let photos = ["14.0.0", "Empty-Library-Ventura-13-5"].map { "openhouse__osxphotos__Test-\($0)_Photos.sqlite" }
    let alike = ["SurfJournalModel", "hist3292fc7", "SampleModel2_V1"]
    return all.filter { name in !(between + photos).contains(name) && !alike.contains { name.contains($0) } }
  }()
}
