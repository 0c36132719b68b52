import Foundation
import ManagedModel
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// A migration makes texts of numbers, which the settings of a role may cut.
@Suite("Migrations under a role whose numbers have few digits", TestServer.condition)
struct RoleDigitsTests {
  private func address() throws -> String {
    try #require(TestServer.shared).address + "&options=-c%20extra_float_digits%3D-10%20-c%20DateStyle%3DGerman"
  }

  private static func entities(_ types: (AttributeType, AttributeType)) -> [EntityDescription] {
    [EntityDescription(name: "Sample", properties: [.attribute("ratio", types.0), .attribute("share", types.1)])]
  }

  @Test("A decimal number has all digits of the floating-point number that it was") func decimals() throws {
    let store = try EngineStore(Self.entities((.double, .float)))
    try store.execute("INSERT INTO $sample (ratio, share) VALUES ('0.30000000000000004', '0.1234567')")
    var options = ServerOptions()
    options.schema = store.schema
    let model = ModelDescription(entities: Self.entities((.decimal, .decimal)))
    try ServerMigrator(address(), options: options).migrate(to: model)
    #expect(try store.column("SELECT ratio::text FROM $sample") == ["0.30000000000000004"])
    #expect(try store.column("SELECT share::text FROM $sample") == ["0.1234567"])
  }

  @Test("Arrays of numbers and of dates that become JSON keep their values") func arrays() throws {
    typealias First = ArrayMigrationTests.First
    typealias Second = ArrayMigrationTests.Second
    let store = try TemporaryStore()
    func context(_ version: any VersionedSchema.Type) throws -> ModelContext {
      let configuration = PostgreSQLConfiguration(
        try address(), databaseSchema: store.databaseSchema, connectionLimit: 4)
      return ModelContext(
        try ModelContainer(for: Schema(versionedSchema: version), configurations: [configuration]))
    }
    let writing = try context(First.self)
    let book = First.Book("A")
    book.ratios = [0.1 + 0.2, 123456.789012345678, 1e-7 / 3, -9.3e18 / 7]
    book.dates = [Date(timeIntervalSinceReferenceDate: 700_000_000.123456)]
    writing.insert(book)
    try writing.save()
    let found = try #require(try context(Second.self).fetch(FetchDescriptor<Second.Book>()).first)
    #expect(found.ratios == book.ratios && found.dates == book.dates)
  }
}
