/// A random number generator with a seed (SplitMix64): every run of a test takes the same path.
package struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to a count, which it never is.
  package mutating func below(_ count: Int) -> Int { count < 1 ? 0 : Int.random(in: 0..<count, using: &self) }

  /// Returns `true` once in so many calls on average.
  package mutating func once(in count: Int) -> Bool { below(count) == 0 }
}
