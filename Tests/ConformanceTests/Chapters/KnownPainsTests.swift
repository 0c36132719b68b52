import Foundation
import Observation
import SwiftData
import TestSupport
import Testing

/// Behaviours that users of Apple's framework miss most, where no other chapter shows them.
@Suite("Where users of SwiftData suffer elsewhere", ChapterPlace.condition)
struct KnownPainsTests {
  enum Rank: Int, Codable { case low = 1, middle, high }

  @Model final class Task {
    var title: String
    var isDone: Bool
    var rank: Rank
    @Relationship(deleteRule: .cascade, inverse: \Step.task) var steps: [Step] = []
    init(_ title: String, isDone: Bool = false, rank: Rank = .low) {
      self.title = title
      self.isDone = isDone
      self.rank = rank
    }
  }

  @Model final class Step {
    var text: String
    var task: Task?
    init(_ text: String) { self.text = text }
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a to-many relationship has the same order at each reading`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Task.self)
    let task = Task("t")
    let words = (0..<40).map { "\($0 * 7 % 40)" }
    task.steps = words.map { Step($0) }
    store.context.insert(task)
    try store.context.save()
    #expect(task.steps.map(\.text) == words)
    let orders = try (0..<4).map { _ in
      try #require(try store.freshContext().fetch(FetchDescriptor<Task>()).first).steps.map(\.text)
    }
    #expect(Set(orders).count == 1 && Set(orders[0]) == Set(words))
    if ChapterPlace.ownStores.contains(place) { #expect(orders[0] == words) }
  }

  @Test(arguments: ChapterPlace.allCases)
  func `Booleans and enumerations are filtered and sorted`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Task.self)
    for (number, rank) in [Rank.high, .low, .middle, .low].enumerated() {
      store.context.insert(Task("\(number)", isDone: number % 2 == 0, rank: rank))
    }
    try store.context.save()
    let high = Rank.high
    let context = store.freshContext()
    #expect(
      try context.fetch(FetchDescriptor<Task>(predicate: #Predicate { $0.rank == high })).map(\.title) == ["0"])
    let order = FetchDescriptor<Task>(sortBy: [
      SortDescriptor(\.isDone), SortDescriptor(\.rank), SortDescriptor(\.title),
    ])
    #expect(try context.fetch(order).map(\.title) == ["1", "3", "2", "0"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a row that another context deletes leaves readable objects, and its identifier is never given again`(
    _ place: ChapterPlace
  ) throws {
    let store = try ChapterStore(place, Task.self)
    let task = Task("kept")
    task.steps = [Step("a")]
    store.context.insert(task)
    try store.context.save()
    let (identifier, step) = (task.persistentModelID, try #require(task.steps.first))
    let other = store.freshContext()
    try other.delete(model: Task.self)
    try other.save()
    _ = try store.context.fetchCount(FetchDescriptor<Task>())
    #expect(task.title == "kept" && step.text == "a" && task.isDeleted && task.modelContext == nil)
    #expect(step.modelContext == nil)
    for number in 0..<3 { store.context.insert(Task("\(number)")) }
    try store.context.save()
    let new = try store.context.fetchIdentifiers(FetchDescriptor<Task>())
    #expect(new.count == 3 && !new.contains(identifier))
    #expect(task.title == "kept" && task.persistentModelID == identifier)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a rollback restores every property and relationship, and observers hear of it`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Task.self)
    let task = Task("a", rank: .middle)
    task.steps = [Step("1"), Step("2")]
    store.context.insert(task)
    try store.context.save()
    let steps = task.steps
    task.title = "b"
    task.rank = .high
    task.steps.removeFirst()
    task.steps.append(Step("3"))
    steps[1].task = nil
    let heard = Heard()
    withObservationTracking {
      _ = (task.title, task.rank, task.steps.count)
    } onChange: {
      heard.note()
    }
    store.context.rollback()
    #expect(heard.isNoted)
    #expect(task.title == "a" && task.rank == .middle && Set(task.steps.map(\.text)) == ["1", "2"])
    #expect(steps.allSatisfy { $0.task === task } && !store.context.hasChanges)
  }

  private final class Heard: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false
    var isNoted: Bool { lock.withLock { value } }
    func note() { lock.withLock { value = true } }
  }

  // MARK: Structures that grow

  enum Before {
    struct Place: Codable, Equatable {
      var street: String
      enum CodingKeys: String, CodingKey { case street = "road" }
    }
    @Model final class Shop {
      var place: Place
      init(_ place: Place) { self.place = place }
    }
  }

  enum After {
    /// The new members have values in rows from before.
    struct Place: Codable, Equatable {
      var street: String
      var number: Int
      var note: String?
      enum CodingKeys: String, CodingKey { case street = "road", number, note }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        street = try container.decode(String.self, forKey: .street)
        number = try container.decodeIfPresent(Int.self, forKey: .number) ?? 1
        note = try container.decodeIfPresent(String.self, forKey: .note)
      }
    }
    @Model final class Shop {
      var place: Place
      init(_ place: Place) { self.place = place }
    }
  }

  enum Demanding {
    struct Place: Codable, Equatable {
      var street: String
      var number: Int
      enum CodingKeys: String, CodingKey { case street = "road", number }
    }
    @Model final class Shop {
      var place: Place
      init(_ place: Place) { self.place = place }
    }
  }

  /// A configuration of a new store that has one shop.
  private func storeFromBefore() throws -> (folder: URL, configuration: ModelConfiguration) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Shops-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let configuration = ModelConfiguration(url: folder.appendingPathComponent("Shops.store"))
    let context = ModelContext(try ModelContainer(for: Before.Shop.self, configurations: configuration))
    context.insert(Before.Shop(Before.Place(street: "Main")))
    try context.save()
    return (folder, configuration)
  }

  @Test func `a structure in a model gains members: rows from before have the defaults of init(from:)`() throws {
    let (folder, configuration) = try storeFromBefore()
    defer { LeftStores.remove(folder) }
    let context = ModelContext(try ModelContainer(for: After.Shop.self, configurations: configuration))
    let shop = try #require(try context.fetch(FetchDescriptor<After.Shop>()).first)
    #expect(shop.place.street == "Main" && shop.place.number == 1 && shop.place.note == nil)
    shop.place.number = 5
    try context.save()
    let found = FetchDescriptor<After.Shop>(predicate: #Predicate { $0.place.number == 5 && $0.place.street == "Main" })
    #expect(try context.fetchCount(found) == 1)
  }

  @Test func `a structure in a model gains a mandatory member without a default: it is zero in rows from before`()
    throws
  {
    let (folder, configuration) = try storeFromBefore()
    defer { LeftStores.remove(folder) }
    let context = ModelContext(try ModelContainer(for: Demanding.Shop.self, configurations: configuration))
    let shop = try #require(try context.fetch(FetchDescriptor<Demanding.Shop>()).first)
    #expect(shop.place == Demanding.Place(street: "Main", number: 0))
  }
}
