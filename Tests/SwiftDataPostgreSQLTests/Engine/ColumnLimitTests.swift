import Foundation
import ManagedModel
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import SwiftData
import TestSupport
import Testing

@Suite("Values at the limits of a column of PostgreSQL", TestServer.condition)
struct ColumnLimitTests {
  @Test(
    "A number that single precision would make infinite is refused with entity and property, before anything is sent")
  func singlePrecision() throws {
    let store = try EngineStore([
      EntityDescription(name: "Sample", properties: [.attribute("share", .float), .attribute("name", .string)])
    ])
    try store.insert("Sample", [["share": .real(Double(Float.greatestFiniteMagnitude))]])
    let statements = store.statements {
      for number in [1e39, -1e300, 3.5e38] {
        let error = #expect(throws: SaveError.self) {
          try store.insert("Sample", [["name": .text("a"), "share": .real(number)]])
        }
        #expect(
          error == .unstorable(entity: "Sample", property: "share", .beyondSinglePrecision),
          "\(String(describing: error))")
        #expect(error?.problem.contains("single precision") == true)
      }
    }
    #expect(statements.allSatisfy { !$0.contains("INSERT") }, "\(statements)")
    // Infinity is a value of the type, and not-a-number is none, as over SQLite.
    try store.insert("Sample", [["share": .real(.infinity)], ["share": .real(-.infinity)]])
    #expect(throws: SaveError.unstorable(entity: "Sample", property: "share", .notANumber)) {
      try store.insert("Sample", [["share": .real(.nan)]])
    }
    #expect(try store.store.count(FetchRequest(entityName: "Sample")) == 3)
  }

  enum Fee: Codable, Equatable {
    case free
    case amount(Decimal)
    case share(of: Decimal)
  }

  @Model final class Ticket {
    var number: Int
    var fee: Fee = ColumnLimitTests.Fee.free
    init(_ number: Int, _ fee: Fee) {
      self.number = number
      self.fee = fee
    }
  }

  @Test("The decimal payload of a case keeps all of its digits, and predicates find it")
  func payloads() throws {
    let amounts = ["1234567890123456789012345678.0123456789", "0.1", "-3.3333333333333333333333333", "7"]
    let container = try TestEngine.postgreSQL.container(Schema([Ticket.self]), try TemporaryStore())
    let context = ModelContext(container)
    for (number, text) in amounts.enumerated() {
      let amount = try #require(Decimal(string: text))
      context.insert(Ticket(number * 2, .amount(amount)))
      context.insert(Ticket(number * 2 + 1, .share(of: amount)))
    }
    try context.save()
    let reading = ModelContext(container)
    let read = try reading.fetch(FetchDescriptor<Ticket>(sortBy: [SortDescriptor(\.number)])).map(\.fee)
    #expect(read == amounts.compactMap { Decimal(string: $0) }.flatMap { [Fee.amount($0), .share(of: $0)] })
    for fee in read {
      #expect(try reading.fetchCount(FetchDescriptor<Ticket>(predicate: #Predicate { $0.fee == fee })) == 1, "\(fee)")
    }
  }

  @Model final class Company {
    var name: String
    @Relationship(inverse: \Assistant.company) var assistants: [Assistant] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Assistant {
    var name: String
    @Relationship(.transient) var company: Company?
    init(_ name: String) { self.name = name }
  }

  @Test(
    "A to-many relationship with a transient inverse is kept by neither engine, and hinders none",
    arguments: [TestEngine.file, .postgreSQL])
  func transientInverse(_ engine: TestEngine) throws {
    let temporary = try TemporaryStore()
    let container = try engine.container(Schema([Company.self, Assistant.self]), temporary)
    let context = ModelContext(container)
    context.insert(Company("A"))
    context.insert(Assistant("B"))
    try context.save()
    let reading = ModelContext(container)
    #expect(try reading.fetch(FetchDescriptor<Company>()).map(\.name) == ["A"])
    #expect(try reading.fetch(FetchDescriptor<Assistant>()).map(\.name) == ["B"])
    #expect(throws: (any Error).self) {
      try reading.fetchCount(FetchDescriptor<Company>(predicate: #Predicate { !$0.assistants.isEmpty }))
    }
  }
}
