import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// The engines over which the conformance tests run.
enum TestEngine: String, CaseIterable, Sendable, CustomTestStringConvertible {
  /// A Core Data store on disk.
  case file
  /// A Core Data store in memory.
  case memory
  /// Rows in dictionaries; see ``MemoryEngine``.
  case dictionaries

  /// Whether the engine carries out batch changes.
  static let hasBatches = true

  /// The seeds of a random test.
  static func seeds(_ count: UInt64) -> Range<UInt64> { 0..<count }

  /// The engine of the containers that tests make.
  @TaskLocal static var current = TestEngine.file

  var testDescription: String { rawValue }

  func container(_ schema: Schema, _ store: TemporaryStore) throws -> ModelContainer {
    switch self {
    case .file: try ModelContainer(for: schema, configurations: ModelConfiguration(url: store.url))
    case .memory: try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    case .dictionaries: try Self.dictionaries(schema, [ModelConfiguration(isStoredInMemoryOnly: true)])
    }
  }

  /// A container whose stores all are ``MemoryEngine``s.
  static func dictionaries(_ schema: Schema, _ configurations: [ModelConfiguration]) throws -> ModelContainer {
    let opening = ContainerOpening(
      schema: schema, migrationPlan: nil, configurations: configurations, openStore: { MemoryEngine($1) })
    return ModelContainer(core: try opening.open(), migrationPlan: nil)
  }
}

/// Runs a test once over each engine.
struct EveryEngine: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    for engine in [TestEngine.file, .dictionaries] {
      try await TestEngine.$current.withValue(engine) { try await function() }
    }
  }
}

extension Trait where Self == EveryEngine {
  /// Runs each test once over each engine.
  static var everyEngine: EveryEngine { EveryEngine() }
}
