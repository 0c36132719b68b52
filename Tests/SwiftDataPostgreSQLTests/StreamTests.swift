import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("Reading many rows of a PostgreSQL store", TestServer.condition)
struct StreamTests {
  @Model final class Row {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  private static let count = 3500

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
    #expect(try context.fetchCount(FetchDescriptor<Row>()) == Self.count + 4)
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
