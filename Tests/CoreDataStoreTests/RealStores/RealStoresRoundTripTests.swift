import Foundation
import ManagedModel
import StoreExchange
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// What is printed of a real store makes the same store again.
@Suite struct RealStoresRoundTripTests {
  /// The quick run leaves out stores of thousands of rows whose entities are like another store's.
  private static let stores = RealStore.written.filter { store in
    let alike = ["SurfJournalModel", "RMAdminStore-Local", "hist3292fc7", "SampleModel2_V1"]
    return FullTests.areWanted || !alike.contains { store.name.contains($0) }
  }

  @Test(
    "Every fixture store is the same after its lines made a fresh one, which the independent checker finds sound",
    .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)), arguments: stores)
  func fixtures(_ real: RealStore) throws {
    let copy = try Fixtures.copyOfStore(real.name)
    let store = try PersistentStore.open(
      at: copy.url, options: StoreOptions(isReadOnly: true), model: real.givenModel())
    defer { store.close() }
    let lines = try ImportExportWorld.dump(store)
    let names = Set(store.metadata.hashes.hashes.keys)
    let isPart = names.isStrictSubset(of: store.layout.model.entities.map(\.name))
    let fresh = try ImportExportWorld(store.layout.model, entityNames: isPart ? names : nil)
    let summary = try fresh.take(lines) {
      $0.keepsKeys = true
      // Photos 14 lacks values that its own model requires.
      $0.isLenient = real.name.contains("14.0.0_Photos")
    }
    #expect(summary.inserted == real.rows)
    let again = try fresh.dump()
    let differences = zip(lines.split(separator: "\n"), again.split(separator: "\n")).filter { $0 != $1 }
    #expect(
      Self.withoutMoments(lines, store.layout) == Self.withoutMoments(again, store.layout), "\(differences.prefix(2))")
    fresh.store.close()
    let report = try Oracle.checkStore(fresh.folder.url, fresh: true)
    #expect(report.status == 0, "\(report.output.split(separator: "\n").filter { $0.hasPrefix("FAIL") })")
  }

  /// The lines without what the moment of a save decides.
  private static func withoutMoments(_ lines: String, _ layout: StoreLayout) -> [String] {
    let names = layout.entities.flatMap { entity in
      entity.properties.compactMap { property -> String? in
        guard case .attribute(let attribute) = property, case .now? = ComputedColumn(attribute, of: entity) else {
          return nil
        }
        return property.name
      }
    }
    guard !names.isEmpty else { return lines.split(separator: "\n").map(String.init) }
    return lines.split(separator: "\n").map { line in
      names.reduce(String(line)) { line, name in
        let parts = line.components(separatedBy: "\"\(name)\":\"")
        return parts[0] + parts.dropFirst().map { $0.drop { $0 != "\"" } }.joined()
      }
    }
  }
}
