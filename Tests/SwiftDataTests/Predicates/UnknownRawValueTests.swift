import Foundation
import SQLite
import SwiftData
import TestSupport
import Testing

/// Another program has stored a raw value that the enumeration does not have. The property reads as `nil`.
@Suite("Predicates on optional enumerations with unknown raw values")
struct UnknownRawValueTests {
  enum Colour: String, Codable { case red, blue }
  enum Rank: Int, Codable { case low = 1, high = 5 }

  @Model final class Shelf {
    var name = ""
    var paint: Paint?
    init(_ name: String, _ paint: Paint?) {
      self.name = name
      self.paint = paint
    }
  }

  @Model final class Paint {
    var number = 0
    var colour: Colour?
    var rank: Rank?
    @Relationship(inverse: \Shelf.paint) var shelves: [Shelf] = []
    init(_ number: Int, _ colour: Colour?, _ rank: Rank?) {
      self.number = number
      self.colour = colour
      self.rank = rank
    }
  }

  private let store: TemporaryStore
  private let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try ModelContainer(for: Paint.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    let values: [(Colour?, Rank?)] = [(.red, .low), (nil, nil), (.blue, .high)]
    for (index, (colour, rank)) in values.enumerated() {
      let paint = Paint(index, colour, rank)
      context.insert(paint)
      context.insert(Shelf("s\(index)", paint))
    }
    context.insert(Shelf("bare", nil))
    try context.save()
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    try connection.execute("UPDATE ZPAINT SET ZCOLOUR = 'green', ZRANK = 3 WHERE ZNUMBER = 2")
    connection.close()
  }

  private static let red = Colour.red
  private static let green = "green"
  private static let noColour: Colour? = nil
  private static let blueOrNone: [Colour?] = [.blue, nil]

  private static let predicates: [(Predicate<Paint>, [Int])] = [
    (#Predicate { $0.colour == nil }, [1, 2]), (#Predicate { $0.colour != nil }, [0]),
    (#Predicate { $0.colour == noColour }, [1, 2]), (#Predicate { $0.colour != red }, [1, 2]),
    (#Predicate { $0.colour == red }, [0]), (#Predicate { blueOrNone.contains($0.colour) }, [1, 2]),
    (#Predicate { ($0.colour ?? red) == red }, [0, 1, 2]), (#Predicate { $0.colour?.rawValue == green }, []),
    (#Predicate { $0.colour?.rawValue != green }, [0, 1, 2]), (#Predicate { $0.colour?.rawValue == nil }, [1, 2]),
    (#Predicate { $0.rank == nil }, [1, 2]), (#Predicate { $0.rank != nil && $0.colour != nil }, [0]),
    (#Predicate { $0.rank?.rawValue == 3 }, []), (#Predicate { ($0.rank?.rawValue ?? 7) == 7 }, [1, 2]),
    (#Predicate { paint in paint.shelves.contains { $0.paint?.colour == nil } }, [1, 2]),
    (#Predicate { $0.colour.flatMap { $0 == red } == nil }, [1, 2]),
  ]

  @Test(arguments: predicates.indices)
  func `A fetch selects the objects for which the predicate is true in memory`(_ index: Int) throws {
    let (predicate, expected) = Self.predicates[index]
    let order = [SortDescriptor(\Paint.number)]
    let all = try ModelContext(container).fetch(FetchDescriptor<Paint>(sortBy: order))
    #expect(try all.filter { try predicate.evaluate($0) }.map(\.number) == expected)
    let descriptor = FetchDescriptor<Paint>(predicate: predicate, sortBy: order)
    let context = ModelContext(container)
    #expect(try context.fetch(descriptor).map(\.number) == expected)
    #expect(try context.fetchCount(descriptor) == expected.count)
  }

  @Test func `A path through an object that is missing is nil, too`() throws {
    let predicate = #Predicate<Shelf> { $0.paint?.colour == nil }
    let names = try ModelContext(container).fetch(FetchDescriptor<Shelf>(predicate: predicate)).map(\.name)
    #expect(names.sorted() == ["bare", "s1", "s2"])
  }

  @Test func `Objects without a case are deleted and counted as they are fetched`() throws {
    let context = ModelContext(container)
    try context.delete(model: Shelf.self)
    try context.delete(model: Paint.self, where: #Predicate { $0.colour == nil })
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Paint>()).map(\.number) == [0])
  }
}
