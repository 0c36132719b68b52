import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Live results over several stores of a container")
struct LiveSeveralStoresTests {
  @Test("They follow changes of the objects of each store, unsaved ones and those of other contexts")
  func follow() throws {
    let store = try TemporaryStore()
    let schema = Schema(ContextLibrary.types)
    let configurations = ["one", "two"].map { name in
      ModelConfiguration(name, schema: schema, url: store.folder.appendingPathComponent(name))
    }
    let container = try ModelContainer(for: schema, configurations: configurations)
    let context = ModelContext(container)
    for (index, configuration) in configurations.enumerated() {
      for pages in 0..<2 { try context.insert(Book("\(index)\(pages)", pages: pages), into: configuration) }
    }
    try context.save()
    let observer = try ResultsObserver<Book, Never>(
      filterBy: #Predicate { $0.pages < 5 }, sortBy: [SortDescriptor(\.title)], modelContext: context)
    let twin = LiveTwin("books", observer)
    let held = try context.all(Book.self)
    func titles() -> [String] { observer.results.map(\.title) }
    for title in ["00", "10"] {
      let book = try #require(held.first { $0.title == title })
      book.pages = 9
      #expect(!titles().contains(title))
      book.pages = 1
      #expect(titles().contains(title))
      context.delete(book)
      #expect(!titles().contains(title))
    }
    try context.save()
    try twin.check("a save")
    let other = ModelContext(container)
    for (book, configuration) in zip(try other.all(Book.self), configurations) {
      book.title += " changed"
      try other.insert(Book("new"), into: configuration)
    }
    try other.save()
    #expect(titles() == ["01 changed", "11 changed", "new", "new"])
    try twin.check("another context's save")
  }
}
