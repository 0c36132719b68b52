import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("What faults cost when there are many")
struct FaultGrowthTests {
  @Test("Keys of a fetch are found in any order, however often the search is far")
  func keys() throws {
    let world = try World()
    let binding = try #require(world.context.core.container.binding(of: Book.self))
    var random = SplitMix(seed: 3)
    let keys = (1...2000).map { Int64($0) * 3 }.shuffled(using: &random)
    var fetched = FetchedKeys(binding: binding, keys: keys)
    for _ in 0..<200 {
      let place = Int.random(in: 0..<keys.count, using: &random)
      #expect(fetched.batch(from: keys[place]) == keys[place...].prefix(FetchedKeys.batchSize))
      #expect(fetched.batch(from: keys[place] + 1) == nil)
    }
  }

  @Test("Open faults are taken by entity, oldest first, and repeated ones do not pile up")
  func openFaults() {
    var faults = OpenFaults()
    for key in 1...3 as ClosedRange<Int64> {
      faults.add(key, of: 1)
      faults.add(key * 10, of: 2)
    }
    #expect((1...4).map { _ in faults.next(of: 2) } == [10, 20, 30, nil])
    #expect(faults.next(of: 1) == 1)
    for _ in 0..<100_000 { faults.add(5, of: 1) }
    var count = 0
    while faults.next(of: 1) != nil { count += 1 }
    #expect(count < 2000)
  }

  @Test("Pairs of upserted objects are forgotten when the inserted objects are released")
  func aliases() throws {
    let world = try World()
    let context = world.context
    for number in 0..<100 { context.insert(Author("\(number)")) }
    try context.save()
    for round in 0..<5 {
      for number in 0..<100 { context.insert(Author("\(number)", born: round)) }
      try context.save()
    }
    context.insert(Author("0", born: 9))
    try context.save()
    #expect(context.core.aliases.count < 250)
    #expect(try context.all(Author.self).count == 100)
  }
}
