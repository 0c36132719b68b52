import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Changes by predicates and aggregates of a class in several stores")
struct BatchSeveralStoresTests {
  @Model final class Coin {
    var value: Int
    @Attribute(.unique) var serial: Int
    init(_ value: Int, serial: Int) {
      self.value = value
      self.serial = serial
    }
  }

  private func world() throws -> (TemporaryStore, ModelContainer) {
    let store = try TemporaryStore()
    let schema = Schema([Coin.self])
    let urls = ["A", "B"].map { store.folder.appendingPathComponent("\($0).store") }
    for (index, url) in urls.enumerated() {
      let context = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
      // The first store has one coin of each value, the second has five coins.
      for serial in 0..<(index == 0 ? 1 : 5) { context.insert(Coin(serial, serial: serial)) }
      try context.save()
    }
    let configurations = zip(["A", "B"], urls).map { ModelConfiguration($0, schema: schema, url: $1) }
    return (store, try ModelContainer(for: schema, configurations: configurations))
  }

  @Test("Each store makes its part")
  func parts() throws {
    let (store, container) = try world()
    defer { _ = store }
    let context = ModelContext(container)
    #expect(try context.sum(of: \Coin.value) == 10 && context.count(distinct: \Coin.value) == 5)
    #expect(try context.aggregate(Coin.self, by: \.value, .count) == [0: 2, 1: 1, 2: 1, 3: 1, 4: 1])
    try context.update(model: Coin.self) { $0.set(\.value, to: #Expression { $0.value + 1 }) }
    try context.delete(model: Coin.self, where: #Predicate { $0.value == 1 })
    #expect(context.core.unit.batches.count == 2)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Coin>()).map(\.value).sorted() == [2, 3, 4, 5])
  }

  @Test("If one store refuses a change by a predicate, no store is written, and the changes stay pending")
  func refusal() throws {
    let (store, container) = try world()
    defer { _ = store }
    let context = ModelContext(container)
    // The first store has one row, so its value is unique there.
    try context.update(model: Coin.self) {
      $0.set(\.value, to: #Expression { $0.value + 10 })
      $0.set(\.serial, to: 7)
    }
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try context.fetch(FetchDescriptor<Coin>()).map(\.value).sorted() == [10, 10, 11, 12, 13, 14])
    context.rollback()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Coin>()).map(\.value).sorted() == [0, 0, 1, 2, 3, 4])
  }
}
