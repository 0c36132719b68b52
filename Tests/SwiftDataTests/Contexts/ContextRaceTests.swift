import Foundation
import Synchronization
import Testing

@testable import SwiftData

@Suite("Contexts on several threads")
struct ContextRaceTests {
  @Test("Contexts that insert, change and delete at the same time lose nothing of each other")
  func race() async throws {
    let world = try World()
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for worker in 0..<3 {
        let container = world.container
        group.addTask {
          let context = ModelContext(container)
          var balance = 0
          for round in 0..<25 {
            for number in 0..<4 { context.insert(Book("\(worker)-\(round)-\(number)", pages: worker)) }
            balance += 4
            try context.save()
            let own = #Predicate<Book> { $0.pages == worker }
            let books = try context.fetch(FetchDescriptor(predicate: own))
            books.first?.title += "!"
            if let last = books.last {
              context.delete(last)
              balance -= 1
            }
            try context.save()
            _ = try context.fetchCount(FetchDescriptor<Book>())
          }
          return balance
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(try world.fresh.fetchCount(FetchDescriptor<Book>()) == counts && counts == 225)
    try world.check()
  }

  @Test("Objects may be released on any thread")
  func releases() async throws {
    let world = try World()
    for number in 0..<500 { world.context.insert(Book("\(number)")) }
    try world.context.save()
    for _ in 0..<20 {
      let context = world.fresh
      nonisolated(unsafe) var books = try context.all(Book.self)
      #expect(books.count == 500)
      let task = Task.detached { books = [] }
      _ = try context.fetchCount(FetchDescriptor<Book>())
      await task.value
      context.core.sweepIfDue()
      #expect(try context.fetchCount(FetchDescriptor<Book>()) == 500)
    }
  }
}
