import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("A container for some classes of a deep hierarchy")
struct DeepHierarchyContainerTests {
  typealias Models = DeepHierarchy
  typealias Asset = Models.Asset

  /// Classes to which no relationship leads, from any class that the others reach.
  private static let unreached: Set<String> = [
    "Truck", "Tanker", "Lorry", "Sedan", "Taxi", "Limousine", "CarFerry", "RiverFerry", "Report", "Sale",
  ]

  private func container(_ types: [any PersistentModel.Type], _ store: TemporaryStore) throws -> ModelContainer {
    try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: store.url))
  }

  private func check(_ store: TemporaryStore, fresh: Bool = true) throws {
    guard Fixtures.areAvailable else { return }
    try Oracle.expectSound(store.url, fresh: fresh)
  }

  @Test(
    "The base alone, and a leaf alone, bring the classes above and the classes that relationships lead to",
    arguments: ["Asset", "Penthouse", "Camper"])
  func closure(_ name: String) throws {
    let store = try TemporaryStore()
    let given = try #require(Models.classes.first { "\($0)" == name })
    let container = try container([given], store)
    let known = Set(container.schema.entities.map(\.name))
    #expect(known.isDisjoint(with: Self.unreached) && known.count == 26 - Self.unreached.count + 3)
    let context = ModelContext(container)
    let assets = Models.makers.map { $0("new") }.filter { known.contains("\(type(of: $0))") }
    for (number, asset) in assets.enumerated() {
      asset.name = "\(type(of: asset))"
      asset.successor = assets[(number + 1) % assets.count]
      asset.remarks = [Models.Remark("\(number)")]
      (asset as? Models.Vehicle)?.plate = "\(number)"
      context.insert(asset)
    }
    try context.save()
    let expected = assets.map(DeepHierarchyWorld.sketch).sorted()
    let read = ModelContext(try self.container([given], store))
    #expect(try read.fetch(FetchDescriptor<Asset>()).map(DeepHierarchyWorld.sketch).sorted() == expected)
    #expect(try read.fetchCount(FetchDescriptor<Models.Flat>()) == 2)
    try check(store)

    // The other classes are added to the same store.
    let whole = ModelContext(try self.container(Models.classes, store))
    #expect(try whole.fetch(FetchDescriptor<Asset>()).map(DeepHierarchyWorld.sketch).sorted() == expected)
    whole.insert(Models.Taxi("taxi"))
    try whole.save()
    #expect(try whole.fetchCount(FetchDescriptor<Asset>()) == assets.count + 1)
    try check(store, fresh: false)
  }

  @Test("An object of a class that the container lacks is refused by name, and nothing is saved")
  func unknownClass() throws {
    let store = try TemporaryStore()
    let container = try container([Asset.self], store)
    let context = ModelContext(container)
    let base = Asset("base")
    base.successor = Models.Limousine("limousine")
    context.insert(base)
    let error = #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    #expect(error?.explanation?.contains("Limousine") == true)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Asset>()) == 0)
  }
}
