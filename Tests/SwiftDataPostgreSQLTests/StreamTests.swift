import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import Synchronization
import TestSupport
import Testing

@Suite("Reading many rows of a PostgreSQL store", TestServer.condition)
struct StreamTests {
  @Model final class Row {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  private static let count = 4500

  let store: TemporaryStore
  let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.postgreSQL.container(Schema([Row.self]), store)
    let context = ModelContext(container)
    for number in 0..<Self.count { context.insert(Row(number)) }
    try context.save()
  }

  private var inOrder: FetchDescriptor<Row> { FetchDescriptor(sortBy: [SortDescriptor(\.number)]) }

  @Test("An enumeration passes each object once, in order, whatever is saved meanwhile")
  func enumeration() throws {
    let context = ModelContext(container)
    var seen: [Int] = []
    try context.enumerate(inOrder, batchSize: 400) { row in
      seen.append(row.number)
      guard row.number % 1000 == 0 else { return }
      let writing = ModelContext(container)
      writing.insert(Row(-1 - row.number))
      try writing.save()
    }
    #expect(seen == Array(0..<Self.count))
    #expect(try context.fetchCount(FetchDescriptor<Row>()) == Self.count + 5)
  }

  @Test("Enumerations within one another, more than there are connections, and ended ones leave connections to others")
  func nesting() throws {
    func enumerate(_ depth: Int) throws -> Int {
      var sum = 0
      struct Enough: Error {}
      do {
        try ModelContext(container).enumerate(inOrder, batchSize: 100) { row in
          guard row.number < 1200 else { throw Enough() }
          sum += 1
          if row.number == 5, depth > 0 { sum += try enumerate(depth - 1) }
        }
      } catch is Enough {}
      return sum
    }
    #expect(try enumerate(6) == 7 * 1200)
    for _ in 0..<10 { #expect(try enumerate(0) == 1200) }
  }

  /// A container over the store, and how many cursors its fetches open.
  private func countingContainer(
    _ address: String? = nil, connectionLimit: Int = 4
  ) throws -> (container: ModelContainer, cursors: () -> Int) {
    let count = Count()
    var configuration = PostgreSQLConfiguration(
      try address ?? #require(TestServer.shared).address, databaseSchema: store.databaseSchema,
      connectionLimit: connectionLimit)
    configuration.log = { sql in if sql.hasPrefix("DECLARE") { count.cursors.withLock { $0 += 1 } } }
    let container = try ModelContainer(for: Schema([Row.self]), configurations: [configuration])
    return (
      container,
      {
        count.cursors.withLock { count in
          defer { count = 0 }; return count
        }
      }
    )
  }

  private final class Count: Sendable { let cursors = Mutex(0) }

  @Test("A fetch that had many rows the last time reads through a cursor, as long as it has many")
  func manyRows() throws {
    let (container, cursors) = try countingContainer()
    func numbers(below bound: Int, limit: Int? = nil) throws -> [Int] {
      var descriptor = FetchDescriptor<Row>(
        predicate: #Predicate { $0.number < bound }, sortBy: [SortDescriptor(\.number)])
      descriptor.fetchLimit = limit
      return try ModelContext(container).fetch(descriptor).map(\.number)
    }
    let all = Array(0..<Self.count)
    for (bound, expected) in [
      (5000, 0), (5000, 1), (4499, 1), (3000, 1), (2000, 1), (10, 1), (10, 0), (5000, 0), (5000, 1),
      (3, 1), (3, 0),
    ] {
      #expect(try numbers(below: bound) == Array(all.prefix(bound)))
      #expect(cursors() == expected, "below \(bound)")
    }
    for (limit, expected) in [(4100, 0), (4100, 1), (1001, 1), (1000, 0), (4000, 0), (4000, 1), (2, 0), (4500, 0)] {
      #expect(try numbers(below: 5000, limit: limit) == Array(all.prefix(limit)))
      #expect(cursors() == expected, "\(limit) rows")
    }
  }

  @Test("A fetch, or an enumeration, of many rows without a connection to spare reads them at once")
  func noConnectionToSpare() throws {
    let (container, cursors) = try countingContainer(connectionLimit: 2)
    for _ in 0..<3 {
      #expect(try ModelContext(container).fetch(inOrder).map(\.number) == Array(0..<Self.count))
      #expect(cursors() == 0)
    }
    for (limit, expected) in [(2, 0), (3, 1)] {
      let (container, cursors) = try countingContainer(connectionLimit: limit)
      var seen: [Int] = []
      try ModelContext(container).enumerate(inOrder) { seen.append($0.number) }
      #expect(seen == Array(0..<Self.count) && cursors() == expected, "at most \(limit) connections")
    }
  }

  @Test("A fetch through a cursor that is cut at any message throws or is whole, and so is the next one")
  func cuts() throws {
    let proxy = try CuttingProxy(to: #require(TestServer.shared).folder)
    let (container, cursors) = try countingContainer("postgresql://app@/postgres?host=\(proxy.folder)")
    let all = Array(0..<Self.count)
    #expect(try ModelContext(container).fetch(inOrder).map(\.number) == all)
    var (messages, errors) = (0, 0)
    while true {
      let context = ModelContext(container)
      proxy.cut(after: messages, CuttingProxy.Cut.allCases[messages % 2])
      do {
        let found = try context.fetch(inOrder)
        #expect(found.map(\.number) == all, "message \(messages)")
      } catch let error as SwiftDataError {
        errors += 1
        #expect("\(error)".contains("connection"), "\(error)")
      }
      let hasCut = proxy.stop()
      #expect(try context.fetch(inOrder).map(\.number) == all, "after message \(messages)")
      #expect(cursors() > 0)
      guard hasCut else { break }
      messages += 1
    }
    // The beginning is made anew over another connection; each later part has several messages.
    #expect(messages > 20)
    #expect(errors > 5)
    #expect(errors < messages)
  }

  @Test("Numbers and moments have the server's form, both ways")
  func forms() throws {
    let connection = try #require(TestServer.shared).connect()
    for text in [
      "0", "1", "-1", "10000", "-10000.0001", "0.0001", "0.00001", "123456789012345678901234567890.12345678",
      "99999999999999999999999999999999999999", "0.5", "1000000000000", "-0.001",
    ] {
      let number = try #require(Decimal(string: text))
      var bytes: [UInt8] = []
      Numeric.append(number, to: &bytes)
      let result = try connection.run("SELECT $1::text, $1", [Parameter(.numeric, bytes)])
      #expect(result.text(0, 0) == text)
      #expect(result.bytes(0, 1).flatMap { Numeric.text($0) } == text)
    }
    for (seconds, text) in [
      (0.0, "2001-01-01 00:00:00+00"), (-31_622_400, "2000-01-01 00:00:00+00"),
      (0.000_001, "2001-01-01 00:00:00.000001+00"),
      (-0.5, "2000-12-31 23:59:59.5+00"), (.infinity, "infinity"),
    ] {
      var bytes: [UInt8] = []
      BinaryForm.append(try #require(BinaryForm.microseconds(seconds)), to: &bytes)
      let result = try connection.run("SELECT ($1 AT TIME ZONE 'UTC')::text, $1", [Parameter(.moment, bytes)])
      #expect(result.text(0, 0).map { $0 + (text == "infinity" ? "" : "+00") } == text)
      #expect(result.bytes(0, 1)?.bigEndianInteger.map { BinaryForm.seconds($0) } == seconds)
    }
  }
}
