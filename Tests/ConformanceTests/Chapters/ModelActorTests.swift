import Foundation
import SwiftData
import Testing

/// An actor with a context of its own works in the background.
@Suite("Model actors")
struct ModelActorTests {
  @Model final class Job {
    var title: String
    var isDone: Bool = false
    init(title: String) { self.title = title }
  }

  struct Order: Codable, Sendable {
    var title: String
    var isDone: Bool
  }

  @ModelActor
  actor Processor {
    func finishAll() throws {
      let descriptor = FetchDescriptor<Job>(predicate: #Predicate { !$0.isDone })
      for job in try modelContext.fetch(descriptor) { job.isDone = true }
      try modelContext.save()
    }

    func synchronize(_ orders: [Order]) throws {
      modelContext.autosaveEnabled = false
      for order in orders {
        // A captured structure is `Codable`, so that a predicate may ask for its properties.
        let existing = try modelContext.fetch(
          FetchDescriptor<Job>(
            predicate: #Predicate { job in
              job.title == order.title
            }))
        if let job = existing.first {
          job.isDone = order.isDone
        } else {
          let job = Job(title: order.title)
          job.isDone = order.isDone
          modelContext.insert(job)
        }
      }
      try modelContext.save()
    }

    func title(of identifier: PersistentIdentifier) -> String? { self[identifier, as: Job.self]?.title }

    func isOnMainThread() -> Bool { Thread.isMainThread }
  }

  // The members that the macro would make may be written by hand.
  @ModelActor
  actor Spelled {
    nonisolated let modelExecutor: any ModelExecutor
    nonisolated let modelContainer: ModelContainer
    init(modelContainer: ModelContainer) {
      let modelContext = ModelContext(modelContainer)
      modelExecutor = DefaultSerialModelExecutor(modelContext: modelContext)
      self.modelContainer = modelContainer
    }

    func add(_ title: String) throws {
      modelContext.insert(Job(title: title))
      try modelContext.save()
    }
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an actor changes many objects and brings them up to date`(_ place: ChapterPlace) async throws {
    let store = try ChapterStore(place, Job.self)
    let processor = Processor(modelContainer: store.container)
    try await processor.synchronize([Order(title: "a", isDone: true), Order(title: "b", isDone: false)])
    try await processor.synchronize([Order(title: "a", isDone: false), Order(title: "c", isDone: false)])
    let byTitle = FetchDescriptor<Job>(sortBy: [SortDescriptor(\.title)])
    #expect(try store.context.fetch(byTitle).map(\.title) == ["a", "b", "c"])
    #expect(try store.context.fetch(byTitle).allSatisfy { !$0.isDone })
    try await processor.finishAll()
    #expect(try store.context.fetch(byTitle).allSatisfy { $0.isDone })
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an actor finds objects by identifiers`(_ place: ChapterPlace) async throws {
    let store = try ChapterStore(place, Job.self)
    let job = Job(title: "Sweep")
    store.context.insert(job)
    try store.context.save()
    let identifier = job.persistentModelID
    #expect(await Processor(modelContainer: store.container).title(of: identifier) == "Sweep")
  }

  @MainActor @Test func `an actor made on the main actor works elsewhere`() async throws {
    let store = try ChapterStore(.memory, Job.self)
    let processor = Processor(modelContainer: store.container)
    #expect(await !processor.isOnMainThread())
    #expect(processor.modelContainer === store.container)
  }

  @Test func `an actor's members may be written by hand`() async throws {
    let store = try ChapterStore(.memory, Job.self)
    try await Spelled(modelContainer: store.container).add("Dust")
    #expect(try store.context.fetch(FetchDescriptor<Job>()).map(\.title) == ["Dust"])
  }
}
