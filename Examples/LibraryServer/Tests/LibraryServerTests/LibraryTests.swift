import Foundation
import HTTPTypes
import HummingbirdTesting
import SwiftData
import Testing

@testable import LibraryServer

@Suite struct LibraryTests {
  static let vazov = #"{"name": "Ivan Vazov", "born": 1850}"#
  static let books = """
    [{"isbn": "9789540900001", "title": "Под игото", "year": 1894, "copies": 3, "author": "Ivan Vazov"},
     {"isbn": "9789540900002", "title": "Нова земя", "year": 1896, "author": "Ivan Vazov"},
     {"isbn": "9789540900003", "title": "The Iliad", "year": -750}]
    """

  @Test("Authors and books are added, read and removed", arguments: TestPlace.all)
  func addAndRead(_ place: TestPlace) async throws {
    try await place.withLibrary { client, _ in
      #expect(try await client.send(.post, "/authors", Self.vazov).status == 201)
      #expect(try await client.send(.put, "/books", Self.books).status == 200)

      let book = try await client.send(.get, "/books/9789540900001").decoded(BookReply.self)
      #expect(
        book == BookReply(isbn: "9789540900001", title: "Под игото", year: 1894, copies: 3, author: "Ivan Vazov"))
      struct AuthorReply: Decodable, Equatable { var name: String, born: Int?, books: [String] }
      let author = try await client.send(.get, "/authors/Ivan%20Vazov").decoded(AuthorReply.self)
      #expect(author == AuthorReply(name: "Ivan Vazov", born: 1850, books: ["9789540900001", "9789540900002"]))
      #expect(try await client.send(.get, "/authors").decoded([AuthorReply].self) == [author])

      #expect(try await client.send(.delete, "/books/9789540900003").status == 204)
      #expect(try await client.send(.get, "/books/9789540900003").status == 404)
    }
  }

  @Test("A book that is sent again takes the new values", arguments: TestPlace.all)
  func upsert(_ place: TestPlace) async throws {
    try await place.withLibrary { client, _ in
      _ = try await client.send(.post, "/authors", Self.vazov)
      _ = try await client.send(.put, "/books", Self.books)
      let again = #"[{"isbn": "9789540900003", "title": "Iliad", "year": -740, "copies": 2}]"#
      #expect(try await client.send(.put, "/books", again).status == 200)
      let books = try await client.send(.get, "/books").decoded(PageReply.self).books
      #expect(books.count == 3)
      #expect(books.last == BookReply(isbn: "9789540900003", title: "Iliad", year: -740, copies: 2))
    }
  }

  @Test(
    "Query parameters select books",
    arguments: TestPlace.all,
    [
      ("", ["1", "2", "3"]), ("?author=Ivan%20Vazov", ["1", "2"]), ("?from=1895", ["2"]), ("?to=1894", ["1", "3"]),
      ("?title=ILIAD", ["3"]), ("?title=%D0%B8%D0%B3%D0%BE%D1%82%D0%BE&from=1800&to=1900", ["1"]),
      ("?author=Nobody", []),
    ])
  func query(_ place: TestPlace, _ example: (query: String, numbers: [String])) async throws {
    try await place.withLibrary { client, _ in
      _ = try await client.send(.post, "/authors", Self.vazov)
      _ = try await client.send(.put, "/books", Self.books)
      let page = try await client.send(.get, "/books" + example.query).decoded(PageReply.self)
      #expect(page.books.map { String($0.isbn.suffix(1)) } == example.numbers)
      #expect(page.next == nil)
    }
  }

  @Test("Pages follow one another and have each book once", arguments: TestPlace.all)
  func pages(_ place: TestPlace) async throws {
    try await place.withLibrary { client, _ in
      let books = (0..<25).map { #"{"isbn": "\#(9_780_000_000_000 + $0)", "title": "Volume \#($0)", "year": 2000}"# }
      _ = try await client.send(.put, "/books", "[\(books.joined(separator: ","))]")
      var seen: [String] = []
      var sizes: [Int] = []
      var after = ""
      while true {
        let page = try await client.send(.get, "/books?limit=10\(after)").decoded(PageReply.self)
        seen += page.books.map(\.isbn)
        sizes.append(page.books.count)
        guard let next = page.next else { break }
        after = "&after=\(next)"
      }
      #expect(sizes == [10, 10, 5])
      #expect(seen == (0..<25).map { "\(9_780_000_000_000 + $0)" })
    }
  }

  @Test("Events tell of other requests' saves", arguments: TestPlace.all)
  func events(_ place: TestPlace) async throws {
    try await place.withLibrary { client, desk in
      _ = try await client.send(.put, "/books", Self.books.replacing(#", "author": "Ivan Vazov""#, with: ""))
      let follower = BookFollower(modelContainer: desk.container)
      try await follower.follow(BookQuery(from: 1800))
      let change = #"[{"isbn": "9789540900004", "title": "Чичовци", "year": 1885}]"#
      _ = try await client.send(.put, "/books", change)
      let added = try #require(try await follower.next())
      #expect(added.map(\.name) == ["added"])
      #expect(try JSONDecoder().decode(BookReply.self, from: added[0].json).title == "Чичовци")

      _ = try await client.send(.delete, "/books/9789540900004")
      let removed = try #require(try await follower.next())
      #expect(removed.map(\.name) == ["removed"])
      #expect(String(decoding: removed[0].json, as: UTF8.self) == #"{"isbn":"9789540900004"}"#)
    }
  }
}
