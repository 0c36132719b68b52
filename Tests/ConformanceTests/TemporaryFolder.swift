import Foundation
import TestSupport
import Testing

/// Gives each test a folder of its own and removes it after the test.
struct TemporaryFolder: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  /// The folder of the running test.
  @TaskLocal static var url = FileManager.default.temporaryDirectory

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Conformance-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { LeftStores.remove(folder, of: test.sourceLocation.fileID) }
    try await Self.$url.withValue(folder) { try await function() }
  }
}

extension Trait where Self == TemporaryFolder {
  static var temporaryFolder: TemporaryFolder { TemporaryFolder() }
}
