import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import SwiftData

@Suite("Values of a PostgreSQL store that fit no property", TestServer.condition)
struct MisfitTests {
  @Model final class Sample {
    var words: [String]?
    var prices: [Decimal?]?
    var sums: [Decimal]?
    var sizes: [String: Int]?
    var wide: [UInt64]?
    var price: Decimal?
    var count: Int?
    init() {}
  }

  @Test("What SQL wrote and no type reads is told in the words of the column's type; other values have no misfit")
  func reasons() throws {
    let place = try TemporaryStore()
    let container = try TestEngine.postgreSQL.container(Schema([Sample.self]), place)
    let context = ModelContext(container)
    for number in 0..<2 {
      let sample = Sample()
      (sample.words, sample.prices, sample.sizes, sample.wide) = (["a"], [1.5], ["a": 1], [.max])
      (sample.price, sample.count, sample.sums) = (1, number, [1.5])
      context.insert(sample)
    }
    try context.save()
    _ = try #require(TestServer.shared).connect().run(
      """
      UPDATE "\(place.databaseSchema)".sample SET words = '{{a,b},{c,d}}', prices = '[1, {"$decimal": "-x"}]',
      sizes = '{"a": {"$x": 1}}', wide = '[1e999]', price = 'Infinity',
      sums = '{1,-Infinity}' WHERE count = 1
      """)
    let store = container.core.stores[0]
    let reasons = [
      "words": "the column holds an array of arrays, which no property's type is",
      "prices": "the JSON has $decimal, which is no mark, or not with this content",
      "sizes": "the JSON has $x, which is no mark, or not with this content",
      "wide": "the JSON has a number beyond the bounds of Double", "price": "the number is infinite",
      "sums": "the array has an element that is beyond the bounds of its type",
    ]
    let names = ["words", "prices", "sizes", "wide", "price", "count", "sums"]
    let entity = try #require(store.number(of: "Sample"))
    let rows = try store.engine.fetch(
      keys: [1, 2].map { ObjectKey(entity: entity, key: $0) },
      columns: names.map { ColumnSelection(entityName: "Sample", propertyName: $0) })
    var seen = 0
    while try rows.next() {
      seen += 1
      let isDamaged = rows.integer(5) == 1
      for (column, name) in names.enumerated() {
        #expect(rows.misfit(column) == (isDamaged ? reasons[name] : nil), "\(name)")
      }
    }
    #expect(seen == 2)
    let samples = try ModelContext(container).fetch(FetchDescriptor<Sample>(predicate: #Predicate { $0.count == 1 }))
    let read = try #require(samples.first)
    #expect(read.words == nil && read.prices == nil && read.sizes == nil && read.wide == nil && read.price == nil)
    #expect(read.sums == nil)
  }

  struct Part: Codable, Equatable {
    var size: Int
  }

  @Model final class Truth {
    var counts: [String: Int]?
    var numbers: [Int?]?
    var ratios: [String: Double]?
    var parts: [Part]?
    var deep: [String: [Part]]?
    var flags: [String: Bool]?
    init() {}
  }

  @Test("A truth value of JSON is no number, also inside of structures")
  func truthValues() throws {
    let place = try TemporaryStore()
    let container = try TestEngine.postgreSQL.container(Schema([Truth.self]), place)
    let context = ModelContext(container)
    let truth = Truth()
    (truth.counts, truth.numbers, truth.ratios) = (["a": 1], [1, nil], ["a": 1])
    (truth.parts, truth.deep, truth.flags) = ([Part(size: 1)], ["a": [Part(size: 1)]], ["a": false])
    context.insert(truth)
    try context.save()
    let kept = try #require(try ModelContext(container).fetch(FetchDescriptor<Truth>()).first)
    #expect(kept.counts == ["a": 1] && kept.ratios == ["a": 1] && kept.flags == ["a": false])
    #expect(kept.parts == [Part(size: 1)] && kept.deep == ["a": [Part(size: 1)]])
    _ = try #require(TestServer.shared).connect().run(
      """
      UPDATE "\(place.databaseSchema)".truth SET counts = '{"a": true}', ratios = '{"a": 0.5, "b": false}',
      parts = '[{"size": true}]', deep = '{"a": [{"size": 2}, {"size": false}]}', flags = '{"a": true}'
      """)
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Truth>()).first)
    #expect(read.counts == nil && read.ratios == nil && read.parts == nil && read.deep == nil)
    #expect(read.flags == ["a": true])
  }
}
