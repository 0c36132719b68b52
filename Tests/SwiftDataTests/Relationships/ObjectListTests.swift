import TestSupport
import Testing

@testable import SwiftData

@Suite("Lists of distinct objects")
struct ObjectListTests {
  @Test("Lists that grow and shrink, short and long, against arrays", arguments: [6, 12, 200])
  func random(objectCount: Int) {
    var random = SplitMix(seed: UInt64(objectCount))
    let tags = (0..<objectCount).map { Tag("\($0)") }
    for _ in 0..<3 {
      var list = ObjectList()
      var twin: [Tag] = []
      for _ in 0..<4 * objectCount {
        // A list grows at first, and shrinks later.
        let tag = tags[.random(in: 0..<objectCount, using: &random)]
        if Int.random(in: 0..<8 * objectCount, using: &random) > twin.count * 5 {
          #expect(list.append(tag) == !twin.contains(tag))
          if !twin.contains(tag) { twin.append(tag) }
        } else {
          #expect(list.remove(tag) == twin.contains(tag))
          twin.removeAll { $0 == tag }
        }
        #expect(list.count == twin.count && list.isEmpty == twin.isEmpty)
      }
      #expect(tags.allSatisfy { list.contains($0) == twin.contains($0) })
      while !twin.isEmpty {
        #expect(list.array.elementsEqual(twin) { $0 === $1 })
        list.remove(twin.removeFirst())
      }
      #expect(list.isEmpty && list.array.isEmpty)
    }
  }
}
