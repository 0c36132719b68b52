import Foundation

/// The times of workloads, in rounds: every contestant does every piece of work once per round, in turn, so that a machine
/// whose speed drifts drifts for all.
struct Measurement {
  /// Counts the processor's time instead of the clock's, for a machine that others use meanwhile; waiting for the disk is left out.
  var countsProcessorTime = false
  var rounds = 5

  struct Disagreement: Error, CustomStringConvertible {
    let workload: String
    let sums: Set<Int>
    var description: String { "\(workload): the contestants read different things: \(sums)" }
  }

  /// The median of one workload in seconds, by contestant.
  func medians(of workload: Workload) throws -> [Contestant: Double] {
    let contestants = Contestant.allCases.filter { workload.trials[$0] != nil }
    var seconds: [Contestant: [Double]] = [:]
    for round in 0...rounds {
      var sums: Set<Int> = []
      for offset in contestants.indices {
        let contestant = contestants[(offset + round) % contestants.count]
        guard let trial = workload.trials[contestant] else { continue }
        let (time, sum) = try inTemporaryFolder { folder in
          let work = try trial(folder)
          let start = now()
          let sum = try work()
          return (now() - start, sum)
        }
        sums.insert(sum)
        // The first round warms caches and is not counted.
        if round > 0 || rounds == 0 { seconds[contestant, default: []].append(time) }
      }
      guard sums.count == 1 else { throw Disagreement(workload: workload.name, sums: sums) }
    }
    return seconds.mapValues { $0.sorted()[$0.count / 2] / Double(workload.parts) }
  }

  /// Seconds since some moment.
  private func now() -> Double {
    var time = timespec()
    clock_gettime(countsProcessorTime ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// Runs something with a folder that goes afterwards.
func inTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("benchmarks-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder)
}
