import Foundation
import ManagedModel
import SQLite
import StoreTestSupport
import TestSupport
import Testing

@testable import StoreInspection

/// Our own check against the independent one, fact by fact: on real stores, and on damage of every kind.
@Suite(
  .damagesStores("damage that both checkers are to find"),
  .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
struct CheckerAgreementTests {
  /// The facts under which the independent checker finds failures, for each store; one process for all of them.
  private func oracle(_ stores: [URL], fresh: Bool = false) throws -> [Set<String>] {
    let report = try Oracle.run(
      script: "import check_store\nsys.exit(check_store.main(sys.argv[1:]))",
      ["--json"] + (fresh ? ["--fresh"] : []) + stores.map(\.path))
    let reports = try #require(
      try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [[String: Any]], "\(report.output)")
    return try reports.map { report in
      if let error = report["error"] as? String { return ["unreadable: \(error)"] }
      let checks = try #require(report["checks"] as? [[String: Any]])
      return Set(checks.filter { $0["status"] as? String == "FAIL" }.compactMap { $0["fact"] as? String })
    }
  }

  /// Where we judge real stores otherwise on purpose: the store, the facts of ours and of the independent check alone.
  private static let differences: [(store: String, isStrict: Bool, own: Set<String>, other: Set<String>, why: String)] =
    [
      (
        "wireapp__wire-ios-data-model__store2-99-0.wiredatabase", true, [], ["CD-2"],
        "a renamed join table is one finding of ours (CD-3.3): it is known by its columns, and no foreign table besides"
      )
    ]

  @Test("CD-1 … CD-8, VH-1 … VH-14: real stores fail by the facts by which they fail independently")
  func realStores() throws { try compareRealStores(isStrict: false) }

  @Test(
    "CD-1 … CD-8, VH-1 … VH-14: real stores fail by the same facts where nothing is tolerated",
    .enabled(if: FullTests.areWanted, "\(FullTests.explanation)"))
  func strictRealStores() throws { try compareRealStores(isStrict: true) }

  private func compareRealStores(isStrict: Bool) throws {
    let copies = try FixtureStores.all.map { try Fixtures.copyOfStore($0) }
    let expected = try oracle(copies.map(\.url), fresh: isStrict)
    try #require(expected.count == copies.count)
    for (copy, facts) in zip(copies, expected) {
      let name = copy.url.lastPathComponent
      let difference = Self.differences.first { $0.store == name && $0.isStrict == isStrict }
      let report = try StoreChecker.report(copy.url, isStrict: isStrict)
      let own = Set(report.errors.map(\.fact))
      #expect(
        own == facts.union(difference?.own ?? []).subtracting(difference?.other ?? []),
        "\(name): \(report.errors.filter { !facts.contains($0.fact) })")
      if !isStrict { #expect(report.isSound) }
    }
  }

  @Test("CD-1 … CD-8: the undamaged sample has no errors, in both checks and without any tolerance")
  func sample() throws {
    let store = try CheckerSampleStore.make()
    #expect(try oracle([store.url]) == [[]])
    #expect(try oracle([store.url], fresh: true) == [[]])
    let report = try StoreChecker.report(store.url, isStrict: true)
    #expect(report.findings == [])
    #expect(report.groups.filter { $0.status == .skipped }.map(\.rule) == [.searchIndexes])
  }

  @Test(
    "CD-1 … CD-8: damage is found by the facts by which it is found independently, but for differences that are listed")
  func damage() throws {
    let stores = try damagedStores()
    let expected = try oracle(stores.map(\.url))
    try #require(expected.count == stores.count)
    for (index, damage) in CheckerDamage.all.enumerated() {
      let before = try Data(contentsOf: stores[index].url)
      let report = try StoreChecker.report(stores[index].url)
      let own = Set(report.errors.map(\.fact))
      #expect(
        own == expected[index].union(damage.own).subtracting(damage.other),
        "\(damage.name): \(report.errors); independently \(expected[index].sorted())")
      #expect(
        report.findings.contains { $0.rule == damage.rule && $0.severity == damage.severity },
        "\(damage.name): \(report.findings)")
      #expect(
        damage.own.isDisjoint(with: expected[index]) && damage.other.isSubset(of: expected[index]), "\(damage.name)")
      #expect(try Data(contentsOf: stores[index].url) == before, "\(damage.name)")
    }
  }

  @Test(
    "CD-1 … CD-8: damage is found by the same facts where nothing is tolerated",
    .enabled(if: FullTests.areWanted, "\(FullTests.explanation)"))
  func strictDamage() throws {
    let stores = try damagedStores()
    let expected = try oracle(stores.map(\.url), fresh: true)
    try #require(expected.count == stores.count)
    for (index, damage) in CheckerDamage.all.enumerated() {
      let report = try StoreChecker.report(stores[index].url, isStrict: true)
      let own = Set(report.errors.map(\.fact))
      #expect(
        own
          == expected[index].union(damage.own).union(damage.strictOwn).subtracting(damage.other)
          .subtracting(damage.strictOther),
        "\(damage.name): \(report.errors); independently \(expected[index].sorted())")
    }
  }

  @Test("Every rule has its kind of damage")
  func completeness() {
    let rules = Set(CheckerDamage.all.map(\.rule))
    #expect(CheckRule.allCases.filter { !rules.contains($0) } == [.creationOrder])
  }

  /// A copy of the sample for each kind of damage.
  private func damagedStores() throws -> [TemporaryStore] {
    let sample = try CheckerSampleStore.make()
    return try CheckerDamage.all.map { damage in
      let copy = try TemporaryStore(name: sample.url.lastPathComponent)
      for name in try FileManager.default.contentsOfDirectory(atPath: sample.folder.path) {
        try FileManager.default.copyItem(
          at: sample.folder.appendingPathComponent(name), to: copy.folder.appendingPathComponent(name))
      }
      try damage.apply(to: copy.url)
      return copy
    }
  }
}
