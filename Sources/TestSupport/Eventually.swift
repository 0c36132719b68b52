package import Testing

/// Waits until a condition holds. A test whose condition does not hold within ten seconds has failed.
package func eventually(
  isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () async -> Bool
) async throws {
  for _ in 0..<1000 {
    // Not a `where` clause: it would ask a thousand times, whatever the answer.
    if await condition() { return }
    try await Task.sleep(for: .milliseconds(10))
  }
  Issue.record("what the test waits for does not happen within ten seconds", sourceLocation: sourceLocation)
}
