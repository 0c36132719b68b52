/// Waits until a condition holds, ten seconds at most; the caller then expects it.
package func eventually(
  isolation: isolated (any Actor)? = #isolation, _ condition: () async -> Bool
) async throws {
  for _ in 0..<1000 {
    // Not a `where` clause: it would ask a thousand times, whatever the answer.
    if await condition() { return }
    try await Task.sleep(for: .milliseconds(10))
  }
}
