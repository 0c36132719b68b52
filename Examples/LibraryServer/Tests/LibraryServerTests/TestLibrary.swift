import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import SwiftData
import Testing

@testable import LibraryServer

/// Where the tests keep their books: in a file, and in the database that `TEST_DATABASE_URL` names, in a schema for each test.
enum TestPlace: CaseIterable, CustomTestStringConvertible {
  case file, server

  static let address = ProcessInfo.processInfo.environment["TEST_DATABASE_URL"]
  static let all: [TestPlace] = address == nil ? [.file] : [.file, .server]

  var testDescription: String { self == .file ? "a file" : "PostgreSQL" }

  var database: Database {
    let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "_")
    switch (self, Self.address) {
    case (.server, let address?): return .server(address: address, schema: name)
    default: return .file(FileManager.default.temporaryDirectory.appending(path: name + ".store"))
    }
  }

  /// Runs a test with an empty library; a file is gone afterwards.
  @discardableResult
  func withLibrary<Result: Sendable>(
    _ setup: TestingSetup = .router, _ test: @escaping @Sendable (Client, Desk) async throws -> Result
  ) async throws -> Result {
    let database = database
    defer {
      if case .file(let url) = database {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
      }
    }
    let desk = Desk(try database.container())
    var logger = Logger(label: "tests")
    logger.logLevel = .critical
    let application = Application(router: Router.library(desk), logger: logger)
    return try await application.test(setup) { client in try await test(Client(client: client), desk) }
  }
}

/// A client that speaks JSON.
struct Client: Sendable {
  let client: any TestClientProtocol

  func send(_ method: HTTPRequest.Method, _ uri: String, _ json: String? = nil) async throws -> Reply {
    let response = try await client.executeRequest(
      uri: uri, method: method, headers: [:], body: json.map { ByteBuffer(string: $0) })
    return Reply(status: response.status.code, text: String(buffer: response.body))
  }
}

struct Reply: Sendable {
  let status: Int
  let text: String

  func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }
  var problems: [Refusal.Problem] { get throws { try decoded(Refusal.Body.self).problems ?? [] } }
}

/// A book as a client sees it.
struct BookReply: Decodable, Equatable {
  var isbn: String
  var title: String
  var year: Int
  var copies: Int
  var author: String?
}

struct PageReply: Decodable {
  var books: [BookReply]
  var next: String?
}
