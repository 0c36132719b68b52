import CoreDataStore
import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import PropertyLists
import StoreTransfer
import SwiftDataPostgreSQL
import TestSupport
import Testing

@testable import SwiftData

@Suite("Copies of arrays to PostgreSQL and back", TestServer.condition)
struct ArrayTransferTests {
  typealias Sample = ArrayColumnTests.Sample

  @Test(
    "A file's arrays become array columns if each value comes back byte for byte, else JSON", arguments: [true, false])
  func fromFile(isExact: Bool) throws {
    let world = try TransferWorld()
    let samples = [ArrayColumnTests.filled(1), Sample(2)]
    if !isExact { samples[1].dates = [Date(timeIntervalSinceReferenceDate: 700_000_000.123456789)] }
    let container = try ModelContainer(
      for: Schema([Sample.self]), configurations: ModelConfiguration(url: world.folder.url))
    let context = ModelContext(container)
    for sample in samples { context.insert(sample) }
    try context.save()
    let store = try PersistentStore.open(at: world.folder.url, options: StoreOptions(isReadOnly: true))
    defer { store.close() }
    _ = try world.send(store)
    let rows = try #require(TestServer.shared).connect().run(
      "SELECT pg_typeof(tags)::text, pg_typeof(ratios)::text, pg_typeof(dates)::text, pg_typeof(kinds)::text FROM \"\(world.options.schema)\".sample"
    )
    #expect(rows.text(0, 0) == "text[]" && rows.text(0, 1) == "double precision[]" && rows.text(0, 3) == "jsonb")
    #expect(rows.text(0, 2) == (isExact ? "timestamp with time zone[]" : "jsonb"))
    let opened = try TestEngine.postgreSQL.container(Schema([Sample.self]), world.folder)
    let read = try ModelContext(opened).fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.number)]))
    try #require(read.count == 2)
    for (read, sample) in zip(read, samples) { ArrayColumnTests.expectEqual(read, sample) }
    let back = try world.fetch()
    defer { back.store.close() }
    let difference = difference(try TransferWorld.dump(store), try TransferWorld.dump(back.store))
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test("An archive fits an array column only if it is that of an array of the column's elements")
  func fits() throws {
    func keeps(_ value: ArchivedValue) throws -> Bool { ArrayForm.keeps(try value.archived(), of: .string) }
    #expect(try keeps(.list([])) && keeps(.list([.string("a"), .string("")])))
    #expect(try !keeps(.list([.string("a")], .mutableArray)) && !keeps(.list([.string("a", isMutable: true)])))
    #expect(try !keeps(.list([.string("a"), .null])) && !keeps(.list([.integer(1)])) && !keeps(.string("a")))
    #expect(!ArrayForm.keeps(Data("{}".utf8), of: .string) && !ArrayForm.keeps(Data(), of: .decimal))
  }
}
