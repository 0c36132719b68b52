import Foundation
import SwiftData
import SwiftDataPostgreSQL
import Synchronization

/// Times a PostgreSQL store beside the client library doing the same work by statements written by hand, in the same database and
/// in turn. The last argument is the address of an empty database:
///
///     tools/server-demo/run swift run -c release server-benchmark [--rows=100000]
@main struct ServerBenchmark {
  struct WrongRows: Error {}

  static func main() throws {
    let options = CommandLine.arguments.dropFirst().filter { $0.hasPrefix("--rows=") }
    let count = options.last.flatMap { Int($0.dropFirst("--rows=".count)) } ?? 100_000
    guard let address = CommandLine.arguments.dropFirst().last, !address.hasPrefix("--"), count >= 100 else {
      print("Usage: tools/server-demo/run server-benchmark [--rows=ROWS]    (skipped: no address of a server)")
      exit(64)
    }
    let schema = "benchmark"
    let sent = Mutex(0)
    var configuration = PostgreSQLConfiguration(address, databaseSchema: schema)
    // A save sends BEGIN with its first statement.
    configuration.log = { sql in if !sql.hasPrefix("BEGIN") { sent.withLock { $0 += 1 } } }
    let container = try ModelContainer(for: Entry.self, Account.self, configurations: configuration)
    let connection = try BareConnection(address)
    let bare = BareLibrary(connection: connection, schema: schema)

    func fresh() -> ModelContext {
      let context = ModelContext(container)
      context.autosaveEnabled = false
      return context
    }

    func clear(_ table: String) throws {
      try connection.execute("TRUNCATE \(schema).\(table), \(schema)._store_changes, \(schema)._store_transactions")
    }

    func line(_ work: String, _ times: [Double], unit: (name: String, factor: Double) = ("ms", 1000), note: String = "")
    {
      print(
        String(
          format: "| %@ | %.1f %@ (× %.2f) | %.1f %@ (× 1.00) | %@ |", work, times[0] * unit.factor, unit.name,
          times[0] / times[1], times[1] * unit.factor, unit.name, note))
    }

    print("| work | SwiftData over PostgreSQL | bare libpq | round trips |\n| --- | ---: | ---: | ---: |")

    // Inserting: each round into an empty table; the objects and rows are made as a part of it, the emptying is taken off.
    let inserting = try Rounds(
      3,
      [
        { try clear("entry") },
        {
          try clear("entry")
          let context = fresh()
          for number in 0..<count { context.insert(Entry(number)) }
          try context.save()
        },
        {
          try clear("entry")
          try bare.insert((0..<count).map { Row($0) })
        },
      ]
    ).medians
    line("insert \(count) in one save, with history", [inserting[1] - inserting[0], inserting[2] - inserting[0]])

    let checksum = (0..<count).reduce(0) { $0 &+ Row($1).checksum }
    let fetching = try Rounds(
      5,
      [
        {
          let found = try fresh().fetch(FetchDescriptor<Entry>())
          guard found.reduce(0, { $0 &+ $1.checksum }) == checksum else { throw WrongRows() }
        },
        {
          let found = try bare.fetchAll()
          guard found.reduce(0, { $0 &+ $1.checksum }) == checksum else { throw WrongRows() }
        },
      ]
    ).medians
    line("fetch all \(count)", fetching)

    let accounts = count / 2
    let filling = fresh()
    for number in 0..<accounts { filling.insert(Account(number)) }
    try filling.save()
    var round = 0
    let upserting = try Rounds(
      3,
      [
        {
          round += 1
          let context = fresh()
          for number in 0..<accounts { context.insert(Account(number, round: round)) }
          try context.save()
        },
        {
          round += 1
          try bare.upsert(
            (0..<accounts).map { number in
              var row = Row(number)
              row.title = "\(row.title) \(round)"
              return row
            })
        },
      ]
    ).medians
    line("upsert \(accounts) by a unique value, with history", upserting)

    // Small work: many times, with an index for the fetch.
    try connection.execute("CREATE INDEX entry_code ON \(schema).entry (code); ANALYZE \(schema).entry")
    try SmallWork(reading: fresh(), writing: fresh(), bare: bare, count: count).run { work, ours, byHand in
      let repetitions = 500
      let times = try Rounds(
        3, [{ for _ in 0..<repetitions { try ours() } }, { for _ in 0..<repetitions { try byHand() } }]
      ).medians
      // Statements are prepared and keys at hand by now.
      sent.withLock { $0 = 0 }
      let before = connection.roundTrips
      for _ in 0..<repetitions { try ours() }
      for _ in 0..<repetitions { try byHand() }
      let trips = [sent.withLock { $0 }, connection.roundTrips - before].map { Double($0) / Double(repetitions) }
      line(
        work, times.map { $0 / Double(repetitions) }, unit: ("µs", 1e6),
        note: String(format: "%.2f : %.2f", trips[0], trips[1]))
    }
  }
}
