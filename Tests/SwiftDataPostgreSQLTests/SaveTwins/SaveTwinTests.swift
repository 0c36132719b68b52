import PostgreSQLTestSupport
import SwiftData
import TestSupport
import Testing

/// Random programs of two contexts over a file and over a server.
///
/// A failure shows the shortest program that it found, and the first step that has two results. `SAVE_TWIN_SEED` begins with another
/// program, `SAVE_TWIN_COUNT` runs so many.
@Suite("Random saves over a file and over a server", TestServer.condition)
struct SaveTwinTests {
  private static let firstSeed = UInt64(FullTests.setting("SAVE_TWIN_SEED") ?? 0)
  private static let count = UInt64(FullTests.setting("SAVE_TWIN_COUNT") ?? (FullTests.areWanted ? 200 : 4))

  /// The steps of a program; each has a seed of its own, so that the others do the same without it.
  private struct Program {
    let seed: UInt64
    var steps: [UInt64]

    init(seed: UInt64, count: Int) {
      var random = SplitMix(seed: seed &* 7_919 &+ 1)
      self.seed = seed
      steps = (0..<count).map { _ in random.next() }
    }
  }

  /// The first difference between the sides; `nil` if there is none.
  private func difference(of program: Program) throws -> String? {
    let (file, server) = (
      try SaveTwinSide(.file, policies: program.seed), try SaveTwinSide(.postgreSQL, policies: program.seed)
    )
    defer { server.drop() }
    var told: [String] = []
    for step in program.steps {
      let (one, other) = (file.take(step), server.take(step))
      guard one == other else { return "\(told.joined(separator: "\n"))\n\(Self.differingLines(one, other))" }
      told.append(one.split(separator: "\n").first.map(String.init) ?? "")
    }
    let (one, other) = (file.history(), server.history())
    return one == other ? nil : "\(told.joined(separator: "\n"))\n\(Self.differingLines(one, other))"
  }

  private static func differingLines(_ file: String, _ server: String) -> String {
    let (file, server) = (file.split(separator: "\n"), server.split(separator: "\n"))
    return server.difference(from: file).map { change in
      switch change {
      case .insert(_, let line, _): "server: \(line)"
      case .remove(_, let line, _): "file: \(line)"
      }
    }.sorted().joined(separator: "\n")
  }

  @Test("Both show the same after each step, and tell the same history", arguments: firstSeed..<firstSeed + count)
  func twins(seed: UInt64) throws {
    var program = Program(seed: seed, count: 90)
    guard var found = try difference(of: program) else { return }
    // Leaves out as many steps as the difference does not need, first in large parts.
    var size = program.steps.count / 2
    while size > 0 {
      var start = 0
      while start < program.steps.count {
        var shorter = program
        shorter.steps.removeSubrange(start..<min(start + size, program.steps.count))
        if let other = try difference(of: shorter) { (program, found) = (shorter, other) } else { start += size }
      }
      size /= 2
    }
    Issue.record("seed \(seed), steps \(program.steps)\n\(found)")
  }
}
