import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

/// The random models, rows and requests of `FetchRandomTests` over PostgreSQL: the server gives what evaluation in memory gives.
///
/// The engine may leave a condition, an order or a value to memory. It then selects all rows that may satisfy the condition. A failure
/// says its seed; `FETCH_SEED` begins there, `FETCH_WORLDS` says how many worlds are made. The full run makes 100,000 fetches and as many
/// requests for values.
@Suite("Random fetches from a server", TestServer.condition)
struct RandomFetchTests {
  private static let firstSeed = UInt64(FullTests.setting("FETCH_SEED") ?? 20_261_121)
  private static let worldCount = FullTests.setting("FETCH_WORLDS") ?? (FullTests.areWanted ? 1000 : 2)
  private static let requestCount = FullTests.areWanted ? 100 : 40

  static let questions = FetchRandomQuestions<ServerStore>(
    sql: { try SelectStatement(.keys, $1, in: $0.layout).sql },
    valueSQL: { try SelectStatement($1, in: $0.layout).sql },
    isRefusal: { error in
      // A value has 64 bits; the server says so.
      (error as? PostgreSQLError)?.state == "22003"
        || (error as? StoreProblem)?.remedy == "fetch the objects, and compute in memory"
    })

  private struct Totals {
    var sizes: Set<Int> = []
    var decided = 0
    var undecided = 0
  }

  /// Runs a closure for each world.
  private func worlds(_ body: (inout FetchRandomRun<ServerStore>) throws -> Void) throws -> Totals {
    var totals = Totals()
    for number in 0..<Self.worldCount {
      let run = try world(Self.firstSeed &+ UInt64(number), body)
      totals.sizes.formUnion(run.sizes)
      totals.decided += run.decided
      totals.undecided += run.undecided
    }
    return totals
  }

  @discardableResult
  private func world(
    _ seed: UInt64, _ body: (inout FetchRandomRun<ServerStore>) throws -> Void
  ) throws -> FetchRandomRun<ServerStore> {
    let server = try #require(TestServer.shared)
    var numbers = SplitMix(seed: seed)
    let random = FetchRandomModel(&numbers)
    let folder = try TemporaryStore()
    var options = ServerOptions()
    options.schema = folder.databaseSchema
    options.connectionLimit = 2
    defer { _ = try? server.connect().execute("DROP SCHEMA \(Identifier(options.schema)) CASCADE") }
    let store = try ServerStore.open(server.address, options: options, model: random.model)
    let rows = RandomRows(of: random, &numbers).withoutNUL()
    var run = FetchRandomRun(try FetchRandomWorld(random, rows, folder, store), Self.questions, seed: seed, numbers)
    try body(&run)
    return run
  }

  @Test(
    "The length of a text is that of each row's own form, also beside a group by the text",
    arguments: [20_261_205, 20_261_323])
  func lengthsInGroups(_ seed: UInt64) throws { try world(seed) { $0.expectRequests(100) } }

  @Test("Random requests of random stores: SQL gives what evaluation in memory gives")
  func requests() throws {
    let totals = try worlds { $0.expectRequests(Self.requestCount) }
    #expect(totals.decided > totals.undecided, "\(totals.decided) of \(totals.decided + totals.undecided)")
    if FullTests.setting("FETCH_WORLDS") == nil { #expect(totals.sizes.count > 6, "the requests have to be wrapping") }
  }

  @Test("Random predicates in NSPredicate's format: text, tree and SQL say the same")
  func formats() throws {
    let totals = try worlds { try $0.expectFormats(Self.requestCount) }
    #expect(totals.decided > totals.undecided, "\(totals.decided) of \(totals.decided + totals.undecided)")
    #expect(totals.sizes.count > 4, "the predicates have to be wrapping")
  }

  @Test("Random stores give back every row, value and relationship")
  func contents() throws { _ = try worlds { try $0.expectContents() } }
}
