import Foundation
import TestSupport

/// The names of the real stores; `RealStore.all` says more of them.
package enum FixtureStores {
  package static let all: [String] = {
    guard Fixtures.areAvailable else { return [] }
    let names = try? FileManager.default.contentsOfDirectory(atPath: Fixtures.url("stores").path)
    return (names ?? []).filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
  }()

  /// Stores for the tests that write each one anew: all of them in the full run.
  ///
  /// Otherwise these are left out: of two apps' stores the versions between the first and the last, of the photo library two of four,
  /// and stores of thousands of rows whose entities are like another store's.
  package static let sample: [String] = {
    guard !FullTests.areWanted else { return all }
    let between = ["wireapp__wire-ios-data-model", "duckduckgo__BrowserServicesKit"].flatMap { app in
      all.filter { $0.hasPrefix(app) }.sorted { $0.localizedStandardCompare($1) == .orderedAscending }
        .dropFirst().dropLast()
    }
    let large = [
      "SurfJournalModel", "RMAdminStore-Local", "hist3292fc7", "Test-10.15.7_Photos", "Empty-Library-Ventura",
    ]
    return all.filter { name in !between.contains(name) && !large.contains(where: name.contains) }
  }()

  package static let withModel = all.filter { givenModels[$0] == nil }
}
