import Foundation
import SwiftData
import TestSupport
import Testing

/// A number of double precision becomes one of single precision, for the object and for predicates alike.
@Suite("Migration of numbers", ChapterPlace.condition) struct MigrationNumberTests {
  struct Place: Codable, Hashable { var height: Double }
  struct FlatPlace: Codable, Hashable { var height: Float }

  enum Precise {
    @Model final class Trip {
      var name: String
      var price: Double
      var place: Place
      init(_ name: String, _ price: Double) {
        (self.name, self.price, place) = (name, price, Place(height: price))
      }
    }
  }

  enum Single {
    @Model final class Trip {
      var name: String
      @Attribute(.unique) var price: Float
      var place: FlatPlace
      init(_ name: String) { (self.name, price, place) = (name, 0, FlatPlace(height: 0)) }
    }
  }

  enum Exact {
    @Model final class Trip {
      var name: String
      var price: Decimal
      init(_ name: String) { (self.name, price) = (name, 0) }
    }
  }

  private func trips(_ prices: [Double], in configuration: ModelConfiguration) throws {
    let context = ModelContext(try ModelContainer(for: Precise.Trip.self, configurations: configuration))
    for (number, price) in prices.enumerated() { context.insert(Precise.Trip("\(number)", price)) }
    try context.save()
  }

  @Test("A predicate finds the number that the object has")
  func found() throws {
    let store = try TemporaryStore(name: "Trips.store")
    let configuration = ModelConfiguration(url: store.url)
    try trips([0.1, 1.000_000_01], in: configuration)
    let context = ModelContext(try ModelContainer(for: Single.Trip.self, configurations: configuration))
    let (tenth, one): (Float, Float) = (0.1, 1)
    func names(_ predicate: Predicate<Single.Trip>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
    }
    #expect(try names(#Predicate { $0.price == tenth }) == ["0"])
    #expect(try names(#Predicate { $0.price == one }) == ["1"])
    #expect(try names(#Predicate { $0.place.height == tenth }) == ["0"])
    #expect(try names(#Predicate { $0.price > one }) == [])
  }

  @Test(
    "Numbers that single precision does not hold, or no longer tells apart, are in the way",
    arguments: [
      [1e300], [-1e-300], [1, 1.000_000_01],
    ])
  func refused(prices: [Double]) throws {
    let store = try TemporaryStore(name: "Trips.store")
    let configuration = ModelConfiguration(url: store.url)
    try trips(prices, in: configuration)
    #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Single.Trip.self, configurations: configuration)
    }
  }

  @Test("Numbers beyond the bounds of decimal numbers are in the way", arguments: [1e200, -1e200, 1e-200])
  func beyondDecimals(price: Double) throws {
    let store = try TemporaryStore(name: "Trips.store")
    let configuration = ModelConfiguration(url: store.url)
    try trips([price], in: configuration)
    #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Exact.Trip.self, configurations: configuration)
    }
  }
}
