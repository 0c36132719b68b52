import TestSupport
import Testing

@testable import SwiftData

@Suite("What came to and went from the members of a to-many relationship")
struct MemberDifferenceTests {
  @Test("Random lists, with repetitions and in other orders, against sets")
  func random() {
    var random = SplitMix(seed: 1)
    let tags = (0..<24).map { Tag("\($0)") }
    for _ in 0..<500 {
      let old = Array(tags.shuffled(using: &random).prefix(.random(in: 0...20, using: &random)))
      var new = old
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        let place = Int.random(in: 0...new.count, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0: new.insert(tags[.random(in: 0..<24, using: &random)], at: place)
        case 1: if place < new.count { new.remove(at: place) }
        default: if place < new.count { new.swapAt(place, 0) }
        }
      }
      let change = MemberDifference(from: old, to: new)
      #expect(Set(change.added.map { ObjectIdentifier($0) }) == identifiers(new).subtracting(identifiers(old)))
      #expect(Set(change.removed.map { ObjectIdentifier($0) }) == identifiers(old).subtracting(identifiers(new)))
      #expect(change.added.count == identifiers(new).subtracting(identifiers(old)).count)
      #expect(change.hasRepetitions == (identifiers(new).count < new.count))
    }
  }

  private func identifiers(_ tags: [Tag]) -> Set<ObjectIdentifier> { Set(tags.map { ObjectIdentifier($0) }) }
}
