import Foundation
import SwiftData

/// Follows the books of a query for one client: what this server and all others that share the database save.
@ModelActor
actor BookFollower {
  private var differences: ResultsDifferences<Book, Never>.Iterator?

  /// Begins with the books as they are now.
  func follow(_ query: BookQuery) throws {
    differences = try ResultsObserver(fetchDescriptor: query.descriptor, modelContext: modelContext)
      .differences.makeAsyncIterator()
  }

  /// Waits for the next changes; `nil` when the task is cancelled.
  func next() async throws -> [BookEvent]? {
    guard var waiting = differences else { return nil }
    let difference = await waiting.next(isolation: self)
    differences = waiting
    return try difference?.changes.compactMap { change in
      switch change {
      case .insert(let book, _): BookEvent(name: "added", json: try JSONEncoder().encode(book))
      case .update(let book, _): BookEvent(name: "changed", json: try JSONEncoder().encode(book))
      case .delete(let book, _): BookEvent(name: "removed", json: try JSONEncoder().encode(["isbn": book.isbn]))
      case .move: nil
      }
    }
  }
}

/// What happened to a book.
struct BookEvent: Sendable {
  let name: String
  let json: Data
}

/// The changes that a follower waits for, as a sequence.
struct BookEvents: AsyncSequence, Sendable {
  let follower: BookFollower

  struct Iterator: AsyncIteratorProtocol {
    let follower: BookFollower
    mutating func next() async throws -> [BookEvent]? { try await follower.next() }
  }

  func makeAsyncIterator() -> Iterator { Iterator(follower: follower) }
}
