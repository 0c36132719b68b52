import Foundation

/// The rows that every contestant writes and reads: five columns, one of them optional.
struct Sample: Sendable {
  static let count = 100_000

  var name: String
  var email: String?
  var score: Int
  var rating: Double
  var joined: Date

  /// The same rows in every run: a linear congruential sequence, no randomness of the machine.
  static let all: [Sample] = {
    var state: UInt64 = 42
    func next(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    return (0..<count).map { index in
      Sample(
        name: "Player number \(next(1_000_000))",
        email: index % 4 == 0 ? nil : "player.\(index)@example.com",
        score: Int(next(1000)),
        rating: Double(next(10_000)) / 100 + 0.5,
        joined: Date(timeIntervalSinceReferenceDate: Double(next(700_000_000)) + 0.25))
    }
  }()
}
