import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Random programs of several contexts over one store.
@Suite("Relationships while several contexts change them", .everyEngine)
struct ContextsTwinTests {
  /// The difference that a program makes.
  private func difference(of program: ContextsTwinProgram) -> String? {
    do {
      let run = try ContextsTwinRun(program)
      try run.run()
      guard TestEngine.current == .file else { return nil }
      let report = try Oracle.checkStore(run.store.url, fresh: true)
      return report.status == 0 ? nil : report.output
    } catch { return "\(error)" }
  }

  @Test(
    "Both sides agree in each context, and with the rules of merging, after each step of a random program",
    arguments: TestEngine.seeds(FullTests.areWanted ? 600 : 18))
  func twins(seed: UInt64) {
    let program = ContextsTwinProgram(seed: seed, length: 80)
    guard difference(of: program) != nil else { return }
    let shortest = program.shrunk { difference(of: $0) != nil }
    Issue.record(
      """
      seed \(seed), \(program.mode), \(program.policy), \(TestEngine.current): \(difference(of: shortest) ?? "")
      \(shortest.lines.map(\.description).joined(separator: "\n"))
      """)
  }
}
