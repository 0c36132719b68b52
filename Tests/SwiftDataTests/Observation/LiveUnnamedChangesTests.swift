import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Live results after changes that nobody names row by row")
struct LiveUnnamedChangesTests {
  @Test("They update the objects whose values differ, and no others")
  func differing() throws {
    let world = try World()
    let author = Author("A")
    world.context.insert(author)
    for number in 0..<6 { world.context.insert(Book("\(number)", pages: number, author: author)) }
    try world.context.save()
    let observer = try ResultsObserver<Book, Never>(sortBy: [SortDescriptor(\.title)], modelContext: world.fresh)
    let stream = observer.makeStream()
    let held = Array(observer.results)
    #expect(held.allSatisfy { $0.author?.name == "A" })
    let there = ModelContext(try ContextLibrary.container(world.store))
    let theirs = try there.all(Book.self).sorted { $0.title < $1.title }
    theirs[1].pages = 70
    theirs[2].author = nil
    there.delete(theirs[3])
    there.insert(Book("new"))
    try there.save()
    observer.modelContext.core.inbox.receive(ChangedRows(isComplete: false))
    #expect(observer.results.map(\.title) == ["0", "1", "2", "4", "5", "new"])
    let changes = try #require(stream.next()).changes.map { change in
      switch change {
      case .insert(let book, _): "insert \(book.title)"
      case .move(let book, _, _): "move \(book.title)"
      case .delete(let book, _): "delete \(book.title)"
      case .update(let book, _): "update \(book.title)"
      }
    }
    #expect(changes == ["delete 3", "update 1", "update 2", "insert new"])
    #expect(held.map(\.pages) == [0, 70, 2, 3, 4, 5] && held[2].author == nil && held[0].author?.books.count == 4)
  }
}
