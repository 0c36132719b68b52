import Foundation

/// Times of pieces of work that take turns, so that what disturbs the machine disturbs all of them.
struct Rounds {
  /// Median of each, in seconds.
  private(set) var medians: [Double] = []

  /// The first round warms caches and is not counted.
  init(_ count: Int, _ works: [() throws -> Void]) throws {
    var seconds = [[Double]](repeating: [], count: works.count)
    for round in 0...count {
      for (index, work) in works.enumerated() {
        let clock = ContinuousClock()
        let start = clock.now
        try work()
        let time = (clock.now - start).components
        if round > 0 { seconds[index].append(Double(time.seconds) + Double(time.attoseconds) / 1e18) }
      }
    }
    medians = seconds.map { $0.sorted()[$0.count / 2] }
  }
}

/// Memory of this process that is in the machine's, in bytes; 0 where the system does not say.
func residentMemory() -> Int {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
  let fields = text.split(separator: " ")
  return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
}
