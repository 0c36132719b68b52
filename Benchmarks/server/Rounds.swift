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
