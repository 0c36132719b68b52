import Foundation
import TestSupport
import Testing

@testable import SwiftData

struct MetaAuthor: Codable {
  var id: UUID
  var person: String
  var place: String?
  var year: String?
}

struct MetaStep: Codable { var text: String }
struct MetaBuild: Codable { var instructions: [MetaStep] }

enum MetaName: String, Codable { case one, two }
enum MetaNumber: Int, Codable { case one = 1, two }
enum MetaHistory: Codable { case alaska, fogCutter, gimlet }

@Model final class RowThing {
  var title: String
  var small: Int16 = 0
  var big: UInt64 = 0
  var price: Decimal
  var ratio: Float?
  var place: URL?
  var identity: UUID
  var moment: Date
  var photo: Data?
  var name: MetaName
  var number: MetaNumber?
  var history: MetaHistory?
  var address: PathAddress
  var author: MetaAuthor?
  var build: MetaBuild?
  var tags: [String] = []
  var missing: String?

  init(title: String, address: PathAddress) {
    self.title = title
    self.address = address
    price = 1
    identity = UUID()
    moment = .now
    name = .two
  }
}

@Suite struct ModelRowTests {
  @Test func `CD-5 Values of every kind are saved and read back`() throws {
    let store = try TemporaryStore()
    let address = PathAddress(street: "Main", city: "Sofia", isCurrent: true)
    let thing = RowThing(title: "Ключ 🗝️", address: address)
    thing.small = .min
    thing.big = .max
    thing.price = try #require(Decimal(string: "12.34"))
    thing.ratio = 0.5
    thing.place = URL(string: "https://example.org/a?b=c")
    thing.photo = Data([0, 1, 255])
    thing.number = .two
    thing.history = .fogCutter
    thing.author = MetaAuthor(id: thing.identity, person: "P", place: nil, year: "1890")
    thing.build = MetaBuild(instructions: [MetaStep(text: "stir")])
    thing.tags = ["a", "b"]
    do {
      let context = ModelContext(
        try ModelContainer(for: RowThing.self, configurations: ModelConfiguration(url: store.url)))
      context.insert(thing)
      try context.save()
    }
    let context = ModelContext(
      try ModelContainer(for: RowThing.self, configurations: ModelConfiguration(url: store.url)))
    let read = try #require(try context.fetch(FetchDescriptor<RowThing>()).first)
    #expect(read !== thing && read.title == thing.title && read.small == .min && read.big == .max)
    #expect(read.price == thing.price && read.ratio == 0.5 && read.place == thing.place)
    #expect(read.identity == thing.identity && read.moment == thing.moment && read.photo == thing.photo)
    #expect(read.name == .two && read.number == .two && read.history == .fogCutter)
    #expect(read.address.city == "Sofia" && read.address.isCurrent && read.author?.year == "1890")
    #expect(read.author?.place == nil && read.author?.id == thing.identity)
    #expect(read.build?.instructions.map(\.text) == ["stir"] && read.tags == ["a", "b"] && read.missing == nil)
  }
}
