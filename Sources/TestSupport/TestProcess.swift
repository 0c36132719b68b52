package import Testing

/// The body of a process that a test starts with `#expect(processExitsWith: .success)`.
package enum TestProcess {
  /// Runs the body without waits for the disk, as the test's own process does. An error becomes an issue of the test, with its text.
  ///
  /// An error that leaves the process's body ends the process by a signal, and the test does not learn which error it was.
  package static func run(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
    _ = DiskSynchronization.isSkipped
    do { try body() } catch { Issue.record("\(error)", sourceLocation: sourceLocation) }
  }
}
