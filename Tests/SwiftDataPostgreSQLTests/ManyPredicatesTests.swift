import Foundation
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import SwiftData

/// PostgreSQL has at most 65,535 parameters in a statement.
@Suite("Compositions of many predicates", TestServer.condition)
struct ManyPredicatesTests {
  @Model final class Item {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  @Test("Predicates that compute may be many; too many give an error that says so")
  func computed() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try TestEngine.postgreSQL.container(Schema([Item.self]), store))
    for number in [0, 1, 2, .max] { context.insert(Item(number)) }
    try context.save()
    func fetch(_ count: Int) throws -> [Int] {
      let many = (0..<count).map { number in #Predicate<Item> { $0.number + 1 == number } }
      let order = [SortDescriptor<Item>(\.number)]
      return try context.fetch(FetchDescriptor(predicate: Predicate(any: many), sortBy: order)).map(\.number)
    }
    #expect(try fetch(1200) == [0, 1, 2])
    let error = try #require(throws: SwiftDataError.self) { try fetch(6000) }
    #expect("\(error)".contains("more values than the protocol can carry") && "\(error)".utf8.count < 2000)
    #expect(try fetch(3) == [0, 1])
    withExtendedLifetime(store) {}
  }
}
