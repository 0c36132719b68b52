import Foundation
import SwiftData
import Testing

/// Each task has a context of its own; identifiers go from one to the other.
@Suite("Contexts and tasks")
struct ContextsAndTasksTests {
  @Model final class Parcel {
    var label: String
    var isDelivered: Bool = false
    init(label: String) { self.label = label }
  }

  actor Courier {
    private let container: ModelContainer
    init(container: ModelContainer) { self.container = container }

    func receive(_ labels: [String]) throws {
      let context = ModelContext(container)
      context.autosaveEnabled = false
      for (index, label) in labels.enumerated() {
        context.insert(Parcel(label: label))
        if index % 100 == 0 { try context.save() }
      }
      try context.save()
    }

    func deliverAll() throws {
      let context = ModelContext(container)
      for parcel in try context.fetch(FetchDescriptor<Parcel>()) { parcel.isDelivered = true }
      try context.save()
    }
  }

  @MainActor
  final class Desk {
    private let context: ModelContext
    init(context: ModelContext) { self.context = context }

    func accept(_ label: String) {
      context.insert(Parcel(label: label))
      try? context.save()
    }

    func refuse(_ parcel: Parcel) {
      context.delete(parcel)
      try? context.save()
    }
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an actor imports with saves in between`(_ place: ChapterPlace) async throws {
    let store = try ChapterStore(place, Parcel.self)
    let courier = Courier(container: store.container)
    try await courier.receive((0..<350).map { "Parcel \($0)" })
    #expect(try store.context.fetchCount(FetchDescriptor<Parcel>()) == 350)
    try await courier.deliverAll()
    #expect(try store.freshContext().fetch(FetchDescriptor<Parcel>()).allSatisfy { $0.isDelivered })
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an identifier finds the object in another task's context`(_ place: ChapterPlace) async throws {
    let store = try ChapterStore(place, Parcel.self)
    let parcel = Parcel(label: "Books")
    store.context.insert(parcel)
    try store.context.save()
    let (identifier, container) = (parcel.persistentModelID, store.container)
    let label = await Task.detached {
      let context = ModelContext(container)
      return (context.model(for: identifier) as? Parcel)?.label
    }.value
    #expect(label == "Books")
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an object is deleted by the context that has fetched it`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Parcel.self)
    store.context.insert(Parcel(label: "Books"))
    try store.context.save()
    let parcel = try #require(try store.context.fetch(FetchDescriptor<Parcel>()).first)

    let background = store.freshContext()
    let found = try #require(background.model(for: parcel.persistentModelID) as? Parcel)
    #expect(found !== parcel)
    background.delete(found)
    try background.save()
    #expect(try store.context.fetchCount(FetchDescriptor<Parcel>()) == 0)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `saves of another context reach fetched objects`(_ place: ChapterPlace) async throws {
    let store = try ChapterStore(place, Parcel.self)
    let parcel = Parcel(label: "Books")
    store.context.insert(parcel)
    try store.context.save()
    try await Courier(container: store.container).deliverAll()
    _ = try store.context.fetch(FetchDescriptor<Parcel>())
    #expect(parcel.isDelivered)
  }

  @MainActor @Test(arguments: ChapterPlace.allCases)
  func `a service of the main actor uses the main context`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Parcel.self)
    let desk = Desk(context: store.container.mainContext)
    desk.accept("Shoes")
    desk.accept("Books")
    let books = FetchDescriptor<Parcel>(predicate: #Predicate { $0.label == "Books" })
    desk.refuse(try #require(try store.container.mainContext.fetch(books).first))
    #expect(try store.freshContext().fetch(FetchDescriptor<Parcel>()).map(\.label) == ["Shoes"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `many detached tasks write at once`(_ place: ChapterPlace) async throws {
    let store = try ChapterStore(place, Parcel.self)
    let container = store.container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          let context = ModelContext(container)
          for index in 0..<20 { context.insert(Parcel(label: "\(worker)-\(index)")) }
          try context.save()
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Parcel>()) == 160)
  }
}
