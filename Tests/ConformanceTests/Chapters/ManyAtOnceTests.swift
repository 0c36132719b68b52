import Foundation
import SwiftData
import Testing

/// Changes of many objects by a predicate, without loading them.
@Suite("Many objects at once")
struct ManyAtOnceTests {
  @Model final class Ware {
    var name: String
    var price: Int
    var isSold: Bool = false
    @Relationship(deleteRule: .cascade, inverse: \Part.ware) var parts: [Part] = []
    init(name: String, price: Int) {
      self.name = name
      self.price = price
    }
  }

  @Model final class Part {
    var ware: Ware?
    init() {}
  }

  private func filled(_ place: ChapterPlace) throws -> ChapterStore {
    let store = try ChapterStore(place, Ware.self)
    for number in 1...10 {
      let ware = Ware(name: "Ware \(number)", price: number)
      ware.parts = [Part(), Part()]
      store.context.insert(ware)
    }
    try store.context.save()
    return store
  }

  private let byPrice = FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.price)])

  @Test(arguments: ChapterPlace.allCases)
  func `an update sets values and computed values`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.freshContext()
    try context.update(model: Ware.self, where: #Predicate { $0.price > 7 }) { wares in
      wares.set(\.isSold, to: true)
      wares.set(\.price, to: #Expression { $0.price * 10 })
    }
    try context.save()
    let wares = try store.freshContext().fetch(byPrice)
    #expect(wares.map(\.price) == [1, 2, 3, 4, 5, 6, 7, 80, 90, 100])
    #expect(wares.filter(\.isSold).count == 3)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a deletion follows the delete rules`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.freshContext()
    try context.delete(model: Ware.self, where: #Predicate { $0.price < 4 })
    try context.save()
    #expect(try store.freshContext().fetch(byPrice).map(\.price) == Array(4...10))
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Part>()) == 14)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a rollback undoes what is not saved`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    try store.context.delete(model: Ware.self)
    #expect(try store.context.fetchCount(byPrice) == 0)
    store.context.rollback()
    #expect(try store.context.fetchCount(byPrice) == 10)
    #expect(try store.freshContext().fetchCount(byPrice) == 10)
  }
}
