import Foundation
import ManagedModel
import TestSupport
import Testing

/// Real models through `generate-models`, the compiler, and back to what Core Data wrote.
///
/// Everything with `OPENSWIFTDATA_FULL_TESTS` set; otherwise a small model.
@Suite(
  "Generated code", .serialized, .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"),
  .enabled(if: BuildProducts.shared != nil, "\(BuildProducts.explanation)"))
struct GeneratedCodeTests {
  /// For work on a few models: a part of their paths.
  private static let only = ProcessInfo.processInfo.environment["OPENSWIFTDATA_ONLY_MODEL"]

  static let models: [FixtureModel] =
    if let only {
      FixtureModel.all.filter { $0.testDescription.contains(only) }
    } else if FullTests.areWanted {
      FixtureModel.all
    } else {
      [FixtureModel(.bundle, "models/alemar11__CoreDataPlus/SampleModel3.xcdatamodeld")]
    }

  @Test("VH-1 … VH-8 Every version compiles, and every entity's hash is the model's", arguments: models)
  func hashes(model: FixtureModel) async throws {
    let versions = try model.versions()
    let compiled = try await compile(model)
    let found = compiled.versions
    try #require(found.count == versions.count)
    var entities = 0
    for (version, found) in zip(versions, found) {
      let expected = try VersionHashes(version).hashes
      entities += expected.count
      let wrong = Set(expected.keys).union(found.hashes.keys).filter { expected[$0] != found.hashes[$0] }
      #expect(wrong.isEmpty, "\(found.schema): \(wrong.sorted())")
    }
    let plan = compiled.summary.plan
    #expect(plan == found.map(\.schema).filter { plan.contains($0) }, "the plan's order is the versions'")
    #expect(compiled.summary.stageCount == max(plan.count - 1, 0))
    let time = compiled.compileTime.formatted(.units(allowed: [.minutes, .seconds]))
    print(
      "HASHES \(model.testDescription): \(found.count) versions, \(entities) entities, \(compiled.lineCount) lines, \(time)"
    )
  }

  @Test("CD-2 … CD-5 The compiled classes read every object of real stores as plain SQL does", arguments: models)
  func stores(model: FixtureModel) async throws {
    let versions = try model.versions()
    let stores = try model.stores(of: versions)
    if stores.isEmpty { try Test.cancel("no real store was made with this model") }
    let compiled = try await compile(model)
    for store in stores {
      let schema = compiled.versions[store.version].schema
      let untouched = try Fixtures.copyOfStore(store.name)
      let expected = try StoreRows(untouched.url, model: versions[store.version])
      #expect(expected.problems.isEmpty, "\(store.name): \(expected.problems.prefix(5))")
      let copy = try Fixtures.copyOfStore(store.name)
      let read = try await compiled.read(copy.url, schema: schema)
      let differences = read.differences(from: expected.store)
      #expect(differences.isEmpty, "\(store.name): \(differences.count), \(differences.prefix(8))")
      let counts = "\(read.objectCount) objects, \(read.valueCount) values, \(expected.danglingCount) dangling keys"
      print("STORE \(store.name) by \(schema): \(counts)")
      withExtendedLifetime((untouched, copy)) {}
    }
  }

  private func compile(_ model: FixtureModel) async throws -> CompiledModel {
    try await CompiledModels.shared.model(at: model.url, with: #require(BuildProducts.shared))
  }
}

extension ReadStore {
  /// What differs, object by object and property by property.
  fileprivate func differences(from expected: ReadStore) -> [String] {
    var differences: [String] = []
    for entity in Set(objects.keys).union(expected.objects.keys).sorted() {
      let (mine, theirs) = (objects[entity] ?? [:], expected.objects[entity] ?? [:])
      for key in Set(mine.keys).union(theirs.keys).sorted() {
        guard let left = mine[key], let right = theirs[key] else {
          differences.append("\(entity) \(key): \(mine[key] == nil ? "not read" : "not in the store")")
          continue
        }
        for name in Set(left.keys).union(right.keys).sorted() where left[name] != right[name] {
          differences.append("\(entity) \(key).\(name): \(left[name].described) for \(right[name].described)")
        }
      }
    }
    return differences
  }
}

extension ReadValue? {
  fileprivate var described: String { map { "\($0)".prefix(160).description } ?? "nil" }
}
