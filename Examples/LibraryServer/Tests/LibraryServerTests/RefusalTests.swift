import HTTPTypes
import HummingbirdTesting
import SwiftData
import Testing

@testable import LibraryServer

@Suite struct RefusalTests {
  @Test(
    "A value that breaks a rule is refused with its entity and property, and nothing is saved",
    arguments: TestPlace.all,
    [
      (#"{"isbn": "12", "title": "A", "year": 2000}"#, "isbn"),
      (#"{"isbn": "9780000000002", "title": "", "year": 2000}"#, "title"),
      (#"{"isbn": "9780000000002", "title": "A", "year": 9999}"#, "year"),
      (#"{"isbn": "9780000000002", "title": "A", "year": 2000, "copies": -1}"#, "copies"),
    ])
  func rules(_ place: TestPlace, _ example: (json: String, property: String)) async throws {
    try await place.withLibrary { client, _ in
      let good = #"{"isbn": "9780000000001", "title": "Good", "year": 2000}"#
      let reply = try await client.send(.put, "/books", "[\(good), \(example.json)]")
      #expect(reply.status == 422)
      #expect(try reply.problems.map { [$0.entity, $0.property] } == [["Book", example.property]])
      #expect(try await client.send(.get, "/books").decoded(PageReply.self).books == [])
    }
  }

  @Test(
    "JSON that is no book is refused with the place", arguments: TestPlace.all,
    [
      (#"[{"isbn": "9780000000001", "year": 2000}]"#, "0.title"),
      (#"[{"isbn": "9780000000001", "title": "A", "year": "soon"}]"#, "0.year"),
      (#"[{"isbn": "9780000000001", "title": "A", "year": 2000, "author": "Nobody"}]"#, "0.author"),
      ("[", ""),
    ])
  func unreadable(_ place: TestPlace, _ example: (json: String, property: String)) async throws {
    try await place.withLibrary { client, _ in
      let reply = try await client.send(.put, "/books", example.json)
      #expect(reply.status == 400)
      #expect(try reply.problems.map(\.property) == [example.property])
    }
  }

  @Test("A name that is taken is a conflict, and so is the removal of an author with books", arguments: TestPlace.all)
  func taken(_ place: TestPlace) async throws {
    try await place.withLibrary { client, _ in
      _ = try await client.send(.post, "/authors", LibraryTests.vazov)
      let reply = try await client.send(.post, "/authors", #"{"name": "Ivan Vazov", "born": 1900}"#)
      #expect(reply.status == 409)
      #expect(try reply.problems.map { [$0.entity, $0.property] } == [["Author", "name"]])
      #expect(try await client.send(.get, "/authors/Ivan%20Vazov").text.contains("1850"))

      _ = try await client.send(.put, "/books", LibraryTests.books)
      let denied = try await client.send(.delete, "/authors/Ivan%20Vazov")
      #expect(denied.status == 409)
      #expect(try denied.problems.map { [$0.entity, $0.property] } == [["Author", "books"]])
    }
  }

  @Test("Of many requests for the last copies each gets one, or learns that there is none", arguments: TestPlace.all)
  func lastCopies(_ place: TestPlace) async throws {
    try await place.withLibrary { client, _ in
      _ = try await client.send(
        .put, "/books", #"[{"isbn": "9780000000001", "title": "A", "year": 2000, "copies": 3}]"#)
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<12 {
          group.addTask {
            while true {
              let reply = try await client.send(.post, "/books/9780000000001/lend")
              if reply.status != 409 { return reply.status }
            }
          }
        }
        return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
      #expect(statuses == [200: 3, 422: 9])
      #expect(try await client.send(.get, "/books/9780000000001").decoded(BookReply.self).copies == 0)
      #expect(try await client.send(.post, "/books/9780000000001/return").decoded(BookReply.self).copies == 1)
    }
  }

  @Test("What does not exist is not found, and a number that is none is refused")
  func others() async throws {
    try await TestPlace.file.withLibrary { (client, _) async throws in
      for uri in ["/books/1", "/authors/Nobody", "/nothing"] { #expect(try await client.send(.get, uri).status == 404) }
      #expect(try await client.send(.post, "/books/1/lend").status == 404)
      #expect(try await client.send(.get, "/books?limit=many").status == 400)
    }
  }
}
