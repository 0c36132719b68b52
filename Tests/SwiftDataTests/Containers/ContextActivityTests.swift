import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

@Suite("The counters of a container's work")
struct ContextActivityTests {
  @Model final class Shelf {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Volume {
    var title: String
    var shelf: Shelf?
    init(_ title: String, _ shelf: Shelf?) {
      self.title = title
      self.shelf = shelf
    }
  }

  private final class Sums: Sendable {
    private let sums = Mutex<[ContextActivity: Int]>([:])
    func add(_ activity: ContextActivity, _ amount: Int) { sums.withLock { $0[activity, default: 0] += amount } }
    func take() -> [ContextActivity: Int] {
      sums.withLock { sums in
        defer { sums = [:] }
        return sums
      }
    }
  }

  @Test("Saves, fetches and faults of all contexts are told with their amounts, as long as there is a handler")
  func amounts() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(for: Shelf.self, configurations: ModelConfiguration(url: store.url))
    let sums = Sums()
    #expect(container.activityHandler == nil)
    container.activityHandler = { sums.add($0, $1) }
    let context = ModelContext(container)
    let shelf = Shelf("a")
    for number in 0..<5 { context.insert(Volume("\(number)", shelf)) }
    try context.save()
    #expect(sums.take() == [.saves: 1, .savedObjects: 6])
    try context.save()
    #expect(sums.take() == [:])

    let other = ModelContext(container)
    let volumes = try other.fetch(FetchDescriptor<Volume>())
    #expect(sums.take() == [.fetches: 1, .fetchedObjects: 5])
    #expect(volumes.allSatisfy { $0.shelf?.name == "a" })
    #expect(sums.take() == [.faults: 1])
    #expect(try other.fetchCount(FetchDescriptor<Volume>()) == 5)
    #expect(try other.fetchIdentifiers(FetchDescriptor<Volume>()).count == 5)
    #expect(sums.take() == [.fetches: 2])
    try other.enumerate(FetchDescriptor<Volume>(), batchSize: 2) { _ in }
    #expect(sums.take() == [.fetches: 1, .fetchedObjects: 5])

    // The shelf loses a member, which is a change of it as well.
    volumes[0].title = "changed"
    other.delete(volumes[1])
    try other.save()
    #expect(sums.take() == [.saves: 1, .savedObjects: 3])
    try other.delete(model: Volume.self)
    try other.save()
    let deleted = sums.take()
    #expect(deleted[.saves] == 1 && deleted[.savedObjects] == 5)

    container.activityHandler = nil
    context.insert(Shelf("b"))
    try context.save()
    #expect(sums.take() == [:])
  }
}
