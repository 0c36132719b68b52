import Foundation
import Observation
import Testing

@testable import SwiftData

@Suite("Observers that save or roll back during a change", .everyEngine)
struct ObserverSaveTests {
  let world: World
  let author: Author
  let book: Book

  init() throws {
    world = try World()
    author = Author("A")
    book = Book("old", author: author)
    world.context.insert(book)
    try world.context.save()
  }

  enum Act: CaseIterable { case save, rollback }

  /// Runs a change while an observer of all values saves or rolls back once.
  private func observing(_ act: Act, _ change: () -> Void) throws -> Int {
    nonisolated(unsafe) let context = world.context
    nonisolated(unsafe) var calls = 0
    withObservationTracking {
      _ = (book.title, book.author, author.books, author.name, author.born)
    } onChange: {
      calls += 1
      guard calls == 1 else { return }
      switch act {
      case .save: try? context.save()
      case .rollback: context.rollback()
      }
    }
    change()
    return calls
  }

  private func saved() throws -> (title: String, author: String?) {
    let book = try #require(try world.fresh.all(Book.self).first)
    return (book.title, book.author?.name)
  }

  @Test("An assignment is saved by the next save", arguments: Act.allCases)
  func assignment(act: Act) throws {
    #expect(try observing(act) { book.title = "new" } > 0)
    #expect(book.title == "new" && book.hasChanges)
    try world.context.save()
    #expect(try saved().title == "new")
  }

  @Test("A change of an inverse is saved by the next save", arguments: Act.allCases)
  func inverse(act: Act) throws {
    #expect(try observing(act) { book.author = nil } > 0)
    #expect(author.books.isEmpty)
    try world.context.save()
    #expect(try saved().author == nil)
  }

  @Test(
    "A rollback drops what was changed before, and nothing that an observer saves meanwhile", arguments: Act.allCases)
  func rollback(act: Act) throws {
    author.born = 1842
    book.title = "changed"
    #expect(try observing(act) { world.context.rollback() } > 0)
    #expect(author.born == nil && book.title == "old" && !world.context.hasChanges)
    try world.context.save()
    #expect(try saved().title == "old")
  }

  @Test("A save by an observer of willSave is refused; the outer save writes what the observer changed")
  func willSave() throws {
    nonisolated(unsafe) let (context, author) = (world.context, author)
    nonisolated(unsafe) var failures: [any Error] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: context, queue: nil
    ) { _ in
      author.born = 1842
      do { try context.save() } catch { failures.append(error) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    book.title = "new"
    try context.save()
    #expect(failures.count == 1)
    guard case SwiftDataError.contextIsBusy? = failures.first else {
      Issue.record("\(failures)")
      return
    }
    #expect("\(failures)".contains("willSave"))
    #expect(try saved().title == "new" && world.fresh.all(Author.self).first?.born == 1842)
  }
}
