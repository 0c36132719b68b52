/// Waits until a condition holds, ten seconds at most; the caller then expects it.
package func eventually(
  isolation: isolated (any Actor)? = #isolation, _ condition: () async -> Bool
) async throws {
  for _ in 0..<1000 where await !condition() { try await Task.sleep(for: .milliseconds(10)) }
}
