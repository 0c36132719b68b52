import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@testable import PostgreSQLStore

@Suite("A server that cannot do what a save asks", TestServer.condition)
struct ServerLimitTests {
  @Model final class Picture {
    var number: Int
    var bytes: Data?
    init(_ number: Int, _ bytes: Data? = nil) {
      self.number = number
      self.bytes = bytes
    }
  }

  private static let schema = Schema([Picture.self])

  @Test("A save that finds a file of the server full saves nothing, and says so; smaller saves go on")
  func fullFile() throws {
    let server = try #require(try TestServer.another(fileLimit: 20 << 20))
    _ = try fill(server)
  }

  @Test(
    "A save that finds the server's disk full saves nothing, and says so with the way out; smaller saves go on",
    TestServer.smallDisks)
  func fullDisk() throws {
    let server = try #require(try TestServer.another(diskSize: 36 << 20))
    let message = try fill(server)
    #expect(message.contains("No space left on device (53100)"), "\(message)")
    #expect(message.contains("free the server's resources, and try again"), "\(message)")
  }

  /// Saves pictures until a save fails for the lack of room; expects that nothing of that save is there, and that a small one
  /// goes on.
  ///
  /// - Returns: the error's text.
  private func fill(_ server: TestServer) throws -> String {
    let configuration = PostgreSQLConfiguration(server.address, connectionLimit: 3)
    let container = try ModelContainer(for: Self.schema, configurations: [configuration])
    var random = SplitMix(seed: 3)
    var saved = 0
    var failure: (any Error)?
    while failure == nil, saved < 60 {
      let context = ModelContext(container)
      context.autosaveEnabled = false
      // Bytes that the server cannot compress.
      let bytes = Data((0..<(1 << 17)).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } })
      context.insert(Picture(saved, bytes))
      context.insert(Picture(-1))
      do {
        try context.save()
        saved += 1
      } catch {
        failure = error
        #expect(context.hasChanges)
      }
    }
    let message = "\(try #require(failure))"
    #expect(saved > 5 && message.contains("database postgres on \(server.folder)"), "\(message)")
    let reading = ModelContext(container)
    #expect(try reading.fetchCount(FetchDescriptor<Picture>()) == saved * 2)
    #expect(try reading.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == saved)
    reading.insert(Picture(1000))
    try reading.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Picture>()) == saved * 2 + 1)
    return message
  }

  @Test(
    "A user without the right to write, or to make a store, gets an error that names the right, and nothing is written")
  func missingRights() throws {
    let server = try #require(TestServer.shared)
    let store = try TemporaryStore()
    let role = "reader_\(store.databaseSchema)"
    let connection = try server.connect()
    func open() throws -> ModelContainer {
      let address = server.address.replacing("app@", with: "\(role)@")
      let configuration = PostgreSQLConfiguration(address, databaseSchema: store.databaseSchema, connectionLimit: 2)
      return try ModelContainer(for: Self.schema, configurations: [configuration])
    }
    try connection.execute("CREATE ROLE \(Identifier(role)) LOGIN")
    let making = #expect(throws: SwiftDataError.self) { _ = try open() }
    let text = "\(String(describing: making))"
    #expect(
      text.contains("permission denied") && text.contains("AUTHORIZATION \"\(role)\""), "\(text)")

    let own = PostgreSQLConfiguration(server.address, databaseSchema: store.databaseSchema, connectionLimit: 2)
    let writing = ModelContext(try ModelContainer(for: Self.schema, configurations: [own]))
    writing.insert(Picture(1))
    try writing.save()
    let schema = Identifier(store.databaseSchema)
    try connection.execute(
      "GRANT USAGE ON SCHEMA \(schema) TO \(Identifier(role)); GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(Identifier(role))"
    )
    let context = ModelContext(try open())
    #expect(try context.fetch(FetchDescriptor<Picture>()).map(\.number) == [1])
    context.insert(Picture(2))
    let saving = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(
      "\(String(describing: saving))".contains(
        "USAGE on the schema “\(store.databaseSchema)” and its sequences, and SELECT, INSERT, UPDATE and DELETE on its tables"
      ),
      "\(String(describing: saving))")
    #expect(try ModelContext(writing.container).fetchCount(FetchDescriptor<Picture>()) == 1)

    try connection.execute(
      """
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA \(schema) TO \(Identifier(role));
      GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(Identifier(role));
      ALTER TABLE \(schema).picture ENABLE ROW LEVEL SECURITY;
      CREATE POLICY small ON \(schema).picture USING (number < 5)
      """)
    try context.save()
    context.insert(Picture(9))
    let refused = "\(String(describing: #expect(throws: SwiftDataError.self) { try context.save() }))"
    #expect(refused.contains("give the row values that the policies of its table allow"), "\(refused)")
    #expect(try ModelContext(writing.container).fetchCount(FetchDescriptor<Picture>()) == 2)
  }

  @Test("A server that is too old, or has texts in another encoding, is refused with the way out")
  func versions() {
    #expect(StoreRecords.refusal(ofVersion: 130_012, encoding: "UTF8")?.problem == "the server has version 13")
    #expect(StoreRecords.refusal(ofVersion: 130_012, encoding: "UTF8")?.remedy == "use PostgreSQL 14 or later")
    #expect(StoreRecords.refusal(ofVersion: 90_624, encoding: "UTF8") != nil)
    #expect(StoreRecords.refusal(ofVersion: 140_000, encoding: "UTF8") == nil)
    #expect(StoreRecords.refusal(ofVersion: 170_002, encoding: "UTF8") == nil)
    #expect(StoreRecords.refusal(ofVersion: 150_004, encoding: "LATIN1")?.problem.contains("LATIN1") == true)
    #expect(StoreRecords.refusal(ofVersion: 150_004, encoding: nil) != nil)
  }
}
