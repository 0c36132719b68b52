package import Testing

/// The body of a process that a test starts with `#expect(processExitsWith: .success)`.
package enum TestProcess {
  /// Runs the body without waits for the disk, and records an error as an issue of the test.
  ///
  /// A process that throws an error ends by a signal. The test would then fail without the error's text.
  package static func run(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
    _ = DiskSynchronization.isSkipped
    do { try body() } catch { Issue.record("\(error)", sourceLocation: sourceLocation) }
  }
}
