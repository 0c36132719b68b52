import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

@testable import LibraryServer

@Suite struct EventTests {
  @Test(
    "A client gets each event as it happens, and the end when the server shuts down", .timeLimit(.minutes(2)),
    arguments: TestPlace.all)
  func events(_ place: TestPlace) async throws {
    let rest = try await place.withLibrary(.live) { client, _ in
      let port = try #require(client.client.port)
      let request = HTTPClientRequest(url: "http://localhost:\(port)/books/events?from=1800")
      let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
      let texts = EventTexts(response.body)
      #expect(try await texts.next() == ": following")

      let books = #"""
        [{"isbn": "9789540900003", "title": "The Iliad", "year": -750},
         {"isbn": "9789540900004", "title": "Чичовци", "year": 1885}]
        """#
      #expect(try await client.send(.put, "/books", books).status == 200)
      let added = try #require(try await texts.next())
      #expect(added.hasPrefix("event: added\ndata: {"))
      #expect(added.contains("Чичовци"))
      #expect(try await client.send(.delete, "/books/9789540900003").status == 204)
      #expect(try await client.send(.delete, "/books/9789540900004").status == 204)
      #expect(try await texts.next() == #"event: removed\#ndata: {"isbn":"9789540900004"}"#)
      return texts
    }
    #expect(try await rest.next() == nil)
  }
}

/// The events of a response. An empty line ends each.
private actor EventTexts {
  private var parts: HTTPClientResponse.Body.AsyncIterator
  private var bytes: [UInt8] = []

  init(_ body: HTTPClientResponse.Body) { parts = body.makeAsyncIterator() }

  func next() async throws -> String? {
    while true {
      if let end = bytes.firstRange(of: Array("\n\n".utf8)) {
        defer { bytes.removeSubrange(..<end.upperBound) }
        return String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      }
      var waiting = parts
      guard let part = try await waiting.next(isolation: self) else { return nil }
      parts = waiting
      bytes += part.readableBytesView
    }
  }
}
