import Foundation
import PostgreSQLTestSupport
import SwiftDataPostgreSQL
import TestSupport
import Testing

@testable import SwiftData

/// The engine over which the shared suites run here: a PostgreSQL store.
///
/// The suites stand in `SwiftDataTests`, and are part of this target through symbolic links. Where they compare with the rows of a
/// file, they do so for a file only.
enum TestEngine: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case file, memory, dictionaries, postgreSQL

  static let allCases: [TestEngine] = TestServer.shared == nil ? [] : [.postgreSQL]

  /// Whether the engine carries out batch changes.
  static let hasBatches = true

  /// Whether the shared suites run behind PgBouncer: `OPENSWIFTDATA_POOLER=1`, as in `make test-full`.
  static let usesPooler = ProcessInfo.processInfo.environment["OPENSWIFTDATA_POOLER"] != nil

  /// The seeds of a random test: a few, since a store of many tables takes the server long to make.
  static func seeds(_ count: UInt64) -> Range<UInt64> { 0..<max(FullTests.areWanted ? 2 : 1, count / 4) }

  @TaskLocal static var current = TestEngine.postgreSQL

  var testDescription: String { rawValue }

  func container(_ schema: Schema, _ store: TemporaryStore) throws -> ModelContainer {
    switch self {
    case .file: return try ModelContainer(for: schema, configurations: ModelConfiguration(url: store.url))
    case .memory: return try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    case .dictionaries: return try Self.dictionaries(schema, [ModelConfiguration(isStoredInMemoryOnly: true)])
    case .postgreSQL:
      let server = try TestServer.required()
      let pooler = Self.usesPooler ? TestPooler.shared : nil
      let configuration = PostgreSQLConfiguration(
        pooler?.address ?? server.address, databaseSchema: store.databaseSchema, connectionLimit: 4,
        sessions: pooler == nil ? .own : .shared)
      return try ModelContainer(for: schema, configurations: [configuration])
    }
  }

  /// A container whose stores all are ``MemoryEngine``s.
  static func dictionaries(_ schema: Schema, _ configurations: [ModelConfiguration]) throws -> ModelContainer {
    let opening = ContainerOpening(
      schema: schema, migrationPlan: nil, configurations: configurations, openStore: { MemoryEngine($1) })
    return ModelContainer(core: try opening.open(), migrationPlan: nil)
  }
}

/// Runs a test once, over a PostgreSQL store; skips it visibly where there is no server.
struct EveryEngine: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func prepare(for test: Test) async throws {
    _ = try TestServer.required()
  }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws { try await function() }
}

extension Trait where Self == EveryEngine {
  /// Runs each test over a PostgreSQL store.
  static var everyEngine: EveryEngine { EveryEngine() }
}
