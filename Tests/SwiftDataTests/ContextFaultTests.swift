import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Saves of a context that the system lets fail")
struct ContextFaultTests {
  @Test(
    "After a failure at any call the context has all its changes yet, and saves them when the cause is gone",
    arguments: FaultyFileSystem.Fault.allCases, [false, true])
  func anyCall(_ fault: FaultyFileSystem.Fault, isPersistent: Bool) throws {
    let total = try run(fault, at: 0, isPersistent: isPersistent).calls
    let isFull = ProcessInfo.processInfo.environment["OPENSWIFTDATA_FULL_TESTS"] != nil
    var failures = 0
    for number in stride(from: 1, through: total, by: isFull ? 1 : max(1, total / 5)) {
      if try run(fault, at: number, isPersistent: isPersistent).hasFailed { failures += 1 }
    }
    // SQLite tries again where somebody held a lock for a moment.
    #expect(failures > 0 || (fault == .busy && !isPersistent))
  }

  private func run(_ fault: FaultyFileSystem.Fault, at number: Int, isPersistent: Bool) throws
    -> (calls: Int, hasFailed: Bool)
  {
    let store = try TemporaryStore()
    let disk = FaultyFileSystem(store.folder)
    let container = try ContextLibrary.container(store)
    let context = ModelContext(container)
    let author = Author("Karl May", born: 1842)
    let books = (0..<4).map { Book("Book \($0)", pages: $0, author: author) }
    books[0].chapters = [Chapter("I"), Chapter("II")]
    books[1].tags = [Tag("old")]
    books.forEach { context.insert($0) }
    try context.save()

    books[1].title = "Changed"
    books[1].tags.append(Tag("new"))
    context.delete(books[0])
    let added = (0..<10).map { Book("Added \($0)", pages: 100 + $0) }
    added.forEach { context.insert($0) }
    context.insert(Author("Karl May", born: 1843))
    let insertions = context.insertedModelsArray.count
    disk.arm(fault, at: number, isPersistent: isPersistent)
    let result = Result { try context.save() }
    disk.disarm()
    let comment = Comment(rawValue: "\(fault) at call \(number) of \(disk.count)")
    if case .failure(let error) = result {
      #expect(error is SwiftDataError, comment)
      #expect("\(error)".contains(store.url.path), "\(comment): \(error)")
      #expect(context.hasChanges && context.insertedModelsArray.count == insertions, comment)
      #expect(context.deletedModelsArray.contains { $0 === books[0] }, comment)
      #expect(books[1].title == "Changed" && books[1].tags.count == 2 && books[1].hasChanges, comment)
      #expect(added.allSatisfy { $0.persistentModelID.storeIdentifier == nil }, comment)
      let titles = try ModelContext(container).fetch(FetchDescriptor<Book>()).map(\.title).sorted()
      #expect(titles == ["Book 0", "Book 1", "Book 2", "Book 3"], comment)
      #expect(throws: Never.self, comment) { try context.save() }
    }
    #expect(!context.hasChanges, comment)
    let other = ModelContext(container)
    let titles = try other.fetch(FetchDescriptor<Book>()).map(\.title).sorted()
    #expect(titles == (0..<10).map { "Added \($0)" } + ["Book 2", "Book 3", "Changed"], comment)
    #expect(try other.fetchCount(FetchDescriptor<Chapter>()) == 0, comment)
    #expect(try other.fetch(FetchDescriptor<Author>()).map(\.born) == [1843], comment)
    let changed = try other.fetch(FetchDescriptor<Book>()).first { $0.title == "Changed" }
    #expect(changed?.tags.map(\.word).sorted() == ["new", "old"], comment)
    return (disk.count, (try? result.get()) == nil)
  }
}
