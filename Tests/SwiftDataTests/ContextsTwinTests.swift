import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Random programs of several contexts over one store.
@Suite("Relationships while several contexts change them", .everyEngine)
struct ContextsTwinTests {
  static var seeds: Range<UInt64> {
    let first = UInt64(FullTests.setting("FIRST") ?? 0)
    return first..<first + UInt64(FullTests.setting("COUNT") ?? 24)
  }

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
    arguments: ContextsTwinTests.seeds)
  func twins(seed: UInt64) {
    let program = ContextsTwinProgram(seed: seed, length: 80)
    guard difference(of: program) != nil else { return }
    let shortest = program.shrunk { difference(of: $0) != nil }
    Issue.record(
      """
      seed \(seed), \(program.mode), \(TestEngine.current): \(difference(of: shortest) ?? "")
      \(shortest.lines.map(\.description).joined(separator: "\n"))
      """)
  }
}
