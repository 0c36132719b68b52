import Foundation
import SwiftData
import TestSupport
import Testing

/// Shops, of which no two are at one place.
private enum Town {
  enum Side: String, Codable { case left, right }
  struct Address: Codable, Equatable {
    var street: String
    var number: Int?
    var side = Side.left
  }

  @Model final class Shop {
    #Unique<Shop>([\.address.street, \.address.number], [\.owner, \.address.side])
    var address: Address
    var owner: String?
    var sales: Int
    init(_ street: String, _ number: Int?, _ side: Side = .left, owner: String? = nil, sales: Int) {
      (address, self.owner, self.sales) = (Address(street: street, number: number, side: side), owner, sales)
    }
  }
}

private typealias Shop = Town.Shop

@Suite("Elements of structures as unique values", ChapterPlace.condition)
struct UniqueElementTests {
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore(name: "Town.store") }

  private func open() throws -> ModelContext {
    ModelContext(try ModelContainer(for: Shop.self, configurations: ModelConfiguration(url: store.url)))
  }

  private func shops() throws -> [String] {
    try open().fetch(FetchDescriptor<Shop>(sortBy: [SortDescriptor(\.sales)])).map {
      "\($0.address.street) \($0.address.number.map(String.init) ?? "-") \($0.address.side.rawValue) \($0.owner ?? "-") \($0.sales)"
    }
  }

  @Test("An insertion with the elements of an object updates it, and nil equals nothing")
  func upsert() throws {
    let context = try open()
    context.insert(Shop("Main", 1, sales: 1))
    context.insert(Shop("Main", nil, sales: 2))
    context.insert(Shop("Main", nil, sales: 3))
    try context.save()
    context.insert(Shop("Main", 1, Town.Side.right, sales: 4))
    context.insert(Shop("Main", 2, sales: 5))
    try context.save()
    #expect(
      try shops() == ["Main - left - 2", "Main - left - 3", "Main 1 right - 4", "Main 2 left - 5"])
  }

  @Test("Two insertions of one save become one object, by an element and a value of its own")
  func twins() throws {
    let context = try open()
    context.insert(Shop("Main", 1, Town.Side.right, owner: "Ann", sales: 1))
    context.insert(Shop("Side", 2, Town.Side.right, owner: "Ann", sales: 2))
    context.insert(Shop("Side", 3, Town.Side.left, owner: "Ann", sales: 3))
    try context.save()
    #expect(try shops() == ["Side 2 right Ann 2", "Side 3 left Ann 3"])
  }

  @Test("An element that an update gives up or takes counts in the same save")
  func updates() throws {
    let context = try open()
    let (first, second) = (Shop("Main", 1, sales: 1), Shop("Main", 2, sales: 2))
    context.insert(first)
    context.insert(second)
    try context.save()
    first.address.number = 3
    context.insert(Shop("Main", 1, sales: 10))
    context.insert(Shop("Main", 3, Town.Side.right, sales: 30))
    try context.save()
    #expect(try shops() == ["Main 2 left - 2", "Main 1 left - 10", "Main 3 right - 30"])
    (first.address.number, second.address.number) = (2, 3)
    try context.save()
    #expect(try shops() == ["Main 3 left - 2", "Main 1 left - 10", "Main 2 right - 30"])
    second.address.number = 2
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.errorDescription?.contains("address.number") == true, "\(String(describing: error))")
  }

  @Test("Other policies know the elements, too")
  func policies() throws {
    let context = try open()
    context.insert(Shop("Main", 1, sales: 1))
    try context.save()
    context.uniquenessPolicy = .keepExisting
    context.insert(Shop("Main", 1, Town.Side.right, sales: 2))
    try context.save()
    #expect(try shops() == ["Main 1 left - 1"])
    context.uniquenessPolicy = .fail
    context.insert(Shop("Main", 1, Town.Side.right, sales: 3))
    #expect(throws: SwiftDataError.self) { try context.save() }
  }
}
