import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Fetches between changes: what was changed once may change again, and what a fetch does not read does not matter to it.
@Suite struct PendingValueTests {
  @Model final class Item {
    var name: String
    var number: Int
    var price: Double
    var note: String?
    var group: Group?

    init(_ number: Int) {
      name = "n\(number)"
      self.number = number
      price = Double(number)
    }
  }

  @Model final class Group {
    var size: Double
    @Relationship(inverse: \Item.group) var items: [Item] = []
    init(_ size: Double) { self.size = size }
  }

  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Item.self, Group.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    context.autosaveEnabled = false
    for number in 0..<40 { context.insert(Item(number)) }
    try context.save()
  }

  private func numbers(_ predicate: Predicate<Item>) throws -> [Int] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])).map(\.number)
  }

  @Test(
    "Any sequence of changes and fetches gives what memory has",
    arguments: 1...(FullTests.areWanted ? 30 : 3) as ClosedRange<UInt64>)
  func twin(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var items = try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.number)]))
    for step in 0..<150 {
      let index = Int.random(in: items.indices, using: &random)
      switch Int.random(in: 0...7, using: &random) {
      case 0:
        let item = Item(Int.random(in: 0...50, using: &random))
        context.insert(item)
        items.append(item)
      case 1: context.delete(items.remove(at: index))
      case 2...4: items[index].number = .random(in: 0...5, using: &random)
      case 5: items[index].name = "n\(Int.random(in: 0...5, using: &random))"
      case 6: items[index].note = Bool.random(using: &random) ? nil : "x"
      default: if step % 20 == 19 { try context.save() }
      }
      let number = Int.random(in: 0...5, using: &random)
      let name = "n\(number)"
      for predicate in [
        #Predicate<Item> { $0.number == number }, #Predicate { $0.name == name }, #Predicate { $0.note == "x" },
        #Predicate { $0.number == number && $0.name != name }, #Predicate { $0.number > number },
      ] {
        let expected = try Set(items.filter { try predicate.evaluate($0) }.map(ObjectIdentifier.init))
        let found = try context.fetch(FetchDescriptor(predicate: predicate))
        #expect(found.count == expected.count && Set(found.map(ObjectIdentifier.init)) == expected, "step \(step)")
        #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == expected.count, "step \(step)")
      }
      var descriptor = FetchDescriptor<Item>(sortBy: [SortDescriptor(\.number), SortDescriptor(\.name)])
      descriptor.fetchLimit = 5
      descriptor.fetchOffset = 2
      let wanted = items.map { [$0.number, Int($0.name.dropFirst()) ?? 0] }.sorted { $0.lexicographicallyPrecedes($1) }
      let got = try context.fetch(descriptor).map(\.number)
      #expect(got == wanted.dropFirst(2).prefix(5).map { $0[0] }, "step \(step)")
    }
  }

  @Test func `The greatest limits and offsets do not trap`() throws {
    try #require(context.fetch(FetchDescriptor<Item>()).first).number = 100
    var descriptor = FetchDescriptor<Item>()
    descriptor.fetchLimit = .max
    #expect(try context.fetch(descriptor).count == 40 && context.fetchCount(descriptor) == 40)
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).count == 39)
    descriptor.fetchOffset = .max
    #expect(try context.fetch(descriptor).isEmpty && context.fetchCount(descriptor) == 0)
    descriptor.fetchOffset = .min
    #expect(try context.fetch(descriptor).count == 40)
  }

  @Test func `A number of another kind finds unsaved objects as well`() throws {
    let group = Group(1)
    context.insert(group)
    for number in 100..<120 { context.insert(Item(number)) }
    for format in ["price == 105", "price == 105.0", "number == 105.0", "number == 105"] {
      #expect(try context.fetch(FetchDescriptor<Item>(format: format)).map(\.number) == [105], "\(format)")
    }
    #expect(try context.fetch(FetchDescriptor<Item>(format: "number == 105.5")).isEmpty)
    try #require(context.fetch(FetchDescriptor<Item>(format: "number == 7")).first).group = group
    try context.save()
    group.size = 2
    for format in ["group.size == 2", "group.size == 2.0"] {
      #expect(try context.fetch(FetchDescriptor<Item>(format: format)).map(\.number) == [7], "\(format)")
    }
    #expect(try context.fetch(FetchDescriptor<Item>(format: "group.size == 1")).isEmpty)
  }

  @Test func `A changed object takes the values that another context saved, and is found by them`() throws {
    let item = try #require(context.fetch(FetchDescriptor<Item>(predicate: #Predicate { $0.number == 3 })).first)
    item.price = 50
    let other = ModelContext(container)
    try #require(other.fetch(FetchDescriptor<Item>(predicate: #Predicate { $0.number == 3 })).first).name = "other"
    try other.save()
    #expect(item.name == "n3")
    #expect(try numbers(#Predicate { $0.name == "n3" }).isEmpty)
    #expect(try numbers(#Predicate { $0.name == "other" && $0.price == 50 }) == [3])
    #expect(item.name == "other" && item.price == 50)
    try context.save()
    #expect(try numbers(#Predicate { $0.name == "other" }) == [3])
  }
}
