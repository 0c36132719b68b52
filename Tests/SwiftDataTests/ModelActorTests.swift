import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

/// Keeps loaded books, so that their values can be read without a fetch.
@ModelActor actor Librarian {
  private var held: [Book] = []

  func add(_ title: String, pages: Int = 0) throws -> PersistentIdentifier {
    let book = Book(title, pages: pages)
    modelContext.insert(book)
    try modelContext.save()
    return book.persistentModelID
  }

  func hold() throws -> Int {
    held = try modelContext.fetch(FetchDescriptor<Book>())
    return held.reduce(0) { $0 + $1.pages }
  }

  var titles: [String] { held.map(\.title).sorted() }

  func title(_ id: PersistentIdentifier) -> String? { self[id, as: Book.self]?.title }

  func isTag(_ id: PersistentIdentifier) -> Bool { self[id, as: Tag.self] != nil }

  func remove(_ id: PersistentIdentifier) throws {
    guard let book = self[id, as: Book.self] else { return }
    modelContext.delete(book)
    try modelContext.save()
  }

  func insertOnly(_ title: String) { modelContext.insert(Book(title)) }

  func saveAutomatically() { modelContext.autosaveEnabled = true }

  func perform<Result: Sendable>(_ body: @Sendable (isolated Librarian) throws -> Result) rethrows -> Result {
    try body(self)
  }
}

/// Has an initializer of its own, because a property needs a value.
@ModelActor private actor NamedWorker {
  let name: String

  init(name: String, container: ModelContainer) {
    self.name = name
    modelContainer = container
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
  }

  func author() -> String? {
    modelContext.author = name
    return modelContext.editingState.author
  }
}

/// Declares the initializer that the macro would add.
@ModelActor private actor Prepared {
  var count = 0

  init(modelContainer: ModelContainer) {
    let context = ModelContext(modelContainer)
    context.author = "prepared"
    modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    self.modelContainer = modelContainer
  }

  func author() -> String? { modelContext.author }
}

/// An executor that is not serial, so that it cannot run an actor.
private final class LooseExecutor: ModelExecutor, @unchecked Sendable {
  let modelContext: ModelContext
  init(_ context: ModelContext) { modelContext = context }
  func enqueue(_ job: consuming ExecutorJob) {}
}

private actor Loose: ModelActor {
  let modelContainer: ModelContainer
  let modelExecutor: any ModelExecutor

  init(_ container: ModelContainer) {
    modelContainer = container
    modelExecutor = LooseExecutor(ModelContext(container))
  }

  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Book>()) }
}

private final class Counter: Sendable {
  private let count = Atomic<Int>(0)
  var value: Int { count.load(ordering: .relaxed) }
  func increment() { count.add(1, ordering: .relaxed) }
}

@Suite("Model actors")
struct ModelActorTests {
  let world: World

  init() throws { world = try World() }

  @Test("An actor made on the main thread works off it, on the queue of its executor")
  @MainActor func offMain() async {
    let actor = Librarian(modelContainer: world.container)
    let isMain = await actor.perform { actor in
      actor.assumeIsolated { _ in }
      (actor.modelExecutor as? DefaultSerialModelExecutor)?.checkIsolated()
      return Thread.isMainThread
    }
    #expect(!isMain)
    await actor.perform { $0.modelContext.insert(Tag("t")) }
    let container = await actor.perform { $0.modelContext.container }
    #expect(container == world.container && actor.modelContainer == world.container)
  }

  @Test("Actors whose work waits leave the shared threads to other tasks")
  func waiting() async {
    let gate = DispatchSemaphore(value: 0)
    let count = 24
    let actors = (0..<count).map { _ in Librarian(modelContainer: world.container) }
    let results = await withTaskGroup(of: DispatchTimeoutResult.self) { group in
      for actor in actors { group.addTask { await actor.perform { _ in gate.wait(timeout: .now() + 60) } } }
      // If actors waited on the shared threads, this task would start only after the first of them has given up.
      group.addTask {
        for _ in 0..<count { gate.signal() }
        return .success
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count == count + 1 && results.allSatisfy { $0 == .success })
  }

  @Test("Many actors save and read at once, and every object arrives", .everyEngine)
  func many() async throws {
    let world = try World()
    let container = world.container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<16 {
        group.addTask {
          let actor = Librarian(modelContainer: container)
          for book in 0..<10 {
            let id = try await actor.add("\(number) \(book)", pages: 1)
            #expect(await actor.title(id) == "\(number) \(book)")
            _ = try await actor.hold()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try world.fresh.fetchCount(FetchDescriptor<Book>()) == 160)
    try world.check()
  }

  @Test("Changes that other contexts save reach an actor's objects on its own turn", .everyEngine)
  func othersChanges() async throws {
    let world = try World()
    let first = Librarian(modelContainer: world.container)
    let second = Librarian(modelContainer: world.container)
    let id = try await first.add("before")
    _ = try await second.hold()
    try await first.perform { actor in
      actor[id, as: Book.self]?.title = "after"
      try actor.modelContext.save()
    }
    try await eventually { await second.titles == ["after"] }
    #expect(await second.titles == ["after"])
  }

  @Test("Identifiers lead from one actor to the objects of another", .everyEngine)
  func identifiers() async throws {
    let world = try World()
    let first = Librarian(modelContainer: world.container)
    let second = Librarian(modelContainer: world.container)
    let id = try await first.add("A")
    #expect(await second.title(id) == "A")
    #expect(await second.isTag(id) == false)
    try await first.remove(id)
    #expect(await first.title(id) == nil)
    try await eventually { await second.title(id) == nil }
    #expect(await second.title(id) == nil)
    let third = Librarian(modelContainer: world.container)
    #expect(await third.title(id) == nil, "a row that is gone")
  }

  @Test("An actor released while its work waits finishes the work, and is gone afterwards")
  func release() async throws {
    let gate = DispatchSemaphore(value: 0)
    let finished = Counter()
    var actor: Librarian? = Librarian(modelContainer: world.container)
    weak let executor = actor?.modelExecutor as? DefaultSerialModelExecutor
    weak let context = executor?.modelContext
    let tasks = try start(#require(actor), gate, finished)
    actor = nil
    gate.signal()
    for task in tasks { try await task.value }
    #expect(finished.value == 50)
    #expect(try world.fresh.fetchCount(FetchDescriptor<Book>()) == 50)
    try await eventually { executor == nil && context == nil }
    #expect(executor == nil && context == nil)
  }

  /// Lets an actor wait, and gives it fifty pieces of work meanwhile.
  private func start(
    _ actor: Librarian, _ gate: DispatchSemaphore, _ finished: Counter
  ) -> [Task<Void, any Error>] {
    let first = Task<Void, any Error> { await actor.perform { _ in gate.wait() } }
    let others = (0..<50).map { number in
      Task<Void, any Error> {
        _ = try await actor.add("\(number)")
        finished.increment()
      }
    }
    return [first] + others
  }

  @Test("An actor saves automatically on its own queue")
  func autosave() async throws {
    let actor = Librarian(modelContainer: world.container)
    await actor.saveAutomatically()
    await actor.insertOnly("A")
    let world = world
    try await eventually { (try? world.fresh.fetchCount(FetchDescriptor<Book>())) == 1 }
    #expect(try world.fresh.fetchCount(FetchDescriptor<Book>()) == 1)
  }

  @Test("A context that belonged to the main actor belongs to the executor it is given to")
  @MainActor func adopted() async throws {
    let context = ModelContext(world.container)
    context.autosaveEnabled = true
    context.insert(Book("A"))
    let executor = DefaultSerialModelExecutor(modelContext: context)
    let world = world
    try await eventually { (try? world.fresh.fetchCount(FetchDescriptor<Book>())) == 1 }
    #expect(try world.fresh.fetchCount(FetchDescriptor<Book>()) == 1)
    withExtendedLifetime(executor) {}
  }

  @Test("An actor may write its own initializer, also the one that the macro would add")
  func ownInitializers() async throws {
    #expect(await NamedWorker(name: "N", container: world.container).author() == "N")
    #expect(await Prepared(modelContainer: world.container).author() == "prepared")
  }

  @Test("An actor with an executor that is not serial still runs")
  func looseExecutor() async throws {
    let count = try await Loose(world.container).count()
    #expect(count == 0)
  }
}
