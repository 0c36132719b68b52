import ManagedModel
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// Random models with random rows, and requests of them: what SQL gives is what evaluation in memory gives.
///
/// A failure says its seed; `FETCH_SEED` begins there, `FETCH_WORLDS` says how many worlds are made. The full run makes 100,000
/// fetches and 100,000 requests for values.
@Suite struct FetchRandomTests {
  private static let firstSeed = UInt64(FullTests.setting("FETCH_SEED") ?? 20_261_121)
  private static let worldCount = FullTests.setting("FETCH_WORLDS") ?? (FullTests.areWanted ? 1000 : 8)
  private static let requestCount = FullTests.areWanted ? 100 : 40

  private static let questions = FetchRandomQuestions<PersistentStore>(
    sql: { try SelectStatement($1, in: $0.layout).sql }, valueSQL: { try SelectStatement($1, in: $0.layout).sql })

  /// Runs a closure for each world; gives back the numbers of rows that requests had.
  private func worlds(_ body: (inout FetchRandomRun<PersistentStore>) throws -> Void) throws -> Set<Int> {
    var sizes: Set<Int> = []
    for number in 0..<Self.worldCount {
      let seed = Self.firstSeed &+ UInt64(number)
      var numbers = SplitMix(seed: seed)
      let world = try FetchRandomWorld(&numbers)
      var run = FetchRandomRun(world, Self.questions, seed: seed, numbers)
      try body(&run)
      #expect(run.undecided == 0, "seed \(seed)")
      sizes.formUnion(run.sizes)
    }
    return sizes
  }

  @Test("Random requests of random stores: SQL gives what evaluation in memory gives")
  func requests() throws {
    let sizes = try worlds { $0.expectRequests(Self.requestCount) }
    if FullTests.setting("FETCH_WORLDS") == nil { #expect(sizes.count > 10, "the requests have to be wrapping") }
  }

  @Test("Random predicates in NSPredicate's format: text, tree and SQL say the same")
  func formats() throws {
    let sizes = try worlds { try $0.expectFormats(Self.requestCount) }
    #expect(sizes.count > 6, "the predicates have to be wrapping")
  }

  @Test("Random stores give back every row, value and relationship")
  func contents() throws { _ = try worlds { try $0.expectContents() } }
}
