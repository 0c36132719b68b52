import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

@Suite("Use of a context: by one thread, after its release, by observers", .startsProcesses)
struct ContextUseTests {
  @Test("Two threads that use a context at once end the program")
  func twoThreads() async {
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let use = ExclusiveUse()
      use.during("saving") {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          use.during("fetching") {}
          isDone.signal()
        }
        isDone.wait()
      }
    }
    expectComplaint(end, "saving", "fetching")
  }

  /// Expects that a process ended because two threads used a context, and that its last words name both operations.
  private func expectComplaint(
    _ end: ExitTest.Result?, _ first: String, _ second: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("two threads use a ModelContext at once"), "\(text)", sourceLocation: sourceLocation)
    #expect(text.contains("(\(first)) and thread"), "\(text)", sourceLocation: sourceLocation)
    #expect(text.contains("(\(second)). A context"), "\(text)", sourceLocation: sourceLocation)
  }

  @Test("A fault that a second thread fills while the context works ends the program")
  func faultOnSecondThread() async throws {
    // The process that ends cannot remove its files.
    let folder = try TemporaryStore()
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = folder.folder.path as String] in
      setenv("TMPDIR", path, 1)
      let world = try World()
      world.context.insert(Book("A", author: Author("Karl May")))
      try world.context.save()
      let context = world.fresh
      nonisolated(unsafe) let book = try context.all(Book.self)[0]
      context.core.exclusiveUse.during("fetching") {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          _ = book.author
          isDone.signal()
        }
        isDone.wait()
      }
    }
    expectComplaint(end, "fetching", "loading a to-one relationship")
  }

  @Test("A batch of a fetch that a second thread loads while the context works ends the program")
  func batchOnSecondThread() async throws {
    let folder = try TemporaryStore()
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = folder.folder.path as String] in
      setenv("TMPDIR", path, 1)
      let world = try World()
      world.context.insert(Book("A"))
      try world.context.save()
      let context = world.fresh
      var descriptor = FetchDescriptor<Book>()
      descriptor.includePendingChanges = false
      nonisolated(unsafe) let books = try context.fetch(descriptor, batchSize: 2)
      context.core.exclusiveUse.during("fetching") {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          _ = books[0]
          isDone.signal()
        }
        isDone.wait()
      }
    }
    expectComplaint(end, "fetching", "loading a batch of a fetch")
  }

  @Test(
    "An observer of a save that uses the saving context on a second thread ends the program",
    arguments: ["willSave", "didSave"])
  func observerOnSecondThread(name: String) async throws {
    let folder = try TemporaryStore()
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = folder.folder.path as String, name = name as String] in
      setenv("TMPDIR", path, 1)
      let world = try World()
      nonisolated(unsafe) let context = world.context
      let posted = name == "willSave" ? ModelContext.willSave : ModelContext.didSave
      let observer = NotificationCenter.default.addObserver(forName: posted, object: context, queue: nil) { _ in
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          _ = try? context.fetchCount(FetchDescriptor<Book>())
          isDone.signal()
        }
        isDone.wait()
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      context.insert(Book("A"))
      try context.save()
    }
    expectComplaint(end, "posting ModelContext.\(name)", "counting")
  }

  @Test("Threads may take turns, and operations may be nested")
  func turns() {
    let use = ExclusiveUse()
    let count = Atomic<Int>(0)
    use.during("saving") { use.during("fetching") { use.check("changing an object") } }
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      use.during("fetching") { _ = count.add(1, ordering: .relaxed) }
      isDone.signal()
    }
    isDone.wait()
    use.during("saving") { _ = count.add(1, ordering: .relaxed) }
    #expect(count.load(ordering: .relaxed) == 2)
  }

  @Test("Observers of a save may fetch from the context, and change it before it is saved")
  func observers() throws {
    let world = try World()
    let book = Book("A")
    world.context.insert(book)
    nonisolated(unsafe) let context = world.context
    let container = world.container
    nonisolated(unsafe) var counts: [Int] = []
    let will = NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: context, queue: nil) {
      _ in
      for case let book as Book in context.insertedModelsArray { book.pages = 9 }
    }
    let did = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { _ in
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let count = try? ModelContext(container).fetchCount(FetchDescriptor<Book>())
        counts.append(count ?? -1)
        isDone.signal()
      }
      isDone.wait()
      counts.append((try? context.fetchCount(FetchDescriptor<Book>())) ?? -1)
    }
    defer { [will, did].forEach { NotificationCenter.default.removeObserver($0) } }
    try context.save()
    #expect(counts == [1, 1] && book.pages == 9)
    #expect(try world.fresh.all(Book.self).first?.pages == 9)
  }

  @Test("An object outlives its context, loads values, and keeps nothing alive after its own release")
  func released() throws {
    let world = try World()
    let author = Author("Karl May")
    for number in 0..<3 {
      let book = Book("\(number)", author: author)
      book.tags = [Tag("t\(number)")]
      world.context.insert(book)
    }
    try world.context.save()
    weak var core: ContextCore?
    weak var reached: Author?
    do {
      var context: ModelContext? = world.fresh
      core = context?.core
      var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
      descriptor.propertiesToFetch = [\.title]
      let books = try #require(try context?.fetch(descriptor))
      context = nil
      #expect(books[0].modelContext == nil && books.map(\.title) == ["0", "1", "2"] && books[0].pages == 0)
      #expect(books[0].author?.name == "Karl May" && books[1].tags.map(\.word) == ["t1"])
      #expect(books[0].author?.books.count == 3)
      reached = books[2].author
      books[0].title = "changed"
      books[1].tags.append(Tag("new"))
      #expect(books[0].title == "changed")
    }
    #expect(core == nil && reached == nil)
    #expect(try world.fresh.all(Book.self).map(\.title).sorted() == ["0", "1", "2"])
  }
}

/// A class whose value must be even; see ``AutosaveTests``.
enum AutosaveModels {
  @Model final class Even {
    @Attribute(.minimum(2)) var number: Int
    init(_ number: Int) { self.number = number }
  }
}

@Suite("Saving automatically")
struct AutosaveTests {
  @Test("After a failed autosave the next change tries again, and a notification names the failure")
  @MainActor func retry() async throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: AutosaveModels.Even.self, configurations: ModelConfiguration(url: store.url))
    let context = container.mainContext
    var failures: [SwiftDataError] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.autosaveDidFail, object: context, queue: nil
    ) { notification in
      nonisolated(unsafe) let notification = notification
      MainActor.assumeIsolated {
        if let error = notification.userInfo?[ModelContext.autosaveErrorKey] as? SwiftDataError {
          failures.append(error)
        }
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let even = AutosaveModels.Even(1)
    context.insert(even)
    try await eventually { !failures.isEmpty }
    #expect(failures == [.modelValidationFailure] && context.hasChanges)
    // The second assignment to a changed property is a change, too.
    even.number = 4
    try await eventually { !context.hasChanges }
    #expect(!context.hasChanges && failures.count == 1)
    even.number = 6
    try await eventually { !context.hasChanges }
    let read = try ModelContext(container).fetch(FetchDescriptor<AutosaveModels.Even>())
    #expect(read.map(\.number) == [6])
  }

  @Test("A context of an actor saves automatically only after that is enabled")
  @MainActor func ownContext() async throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: AutosaveModels.Even.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    context.insert(AutosaveModels.Even(2))
    try await Task.sleep(for: .milliseconds(400))
    #expect(context.hasChanges)
    context.autosaveEnabled = true
    try await eventually { !context.hasChanges }
    #expect(!context.hasChanges)
    context.autosaveEnabled = false
    context.insert(AutosaveModels.Even(4))
    try await Task.sleep(for: .milliseconds(400))
    #expect(context.hasChanges)
  }
}
