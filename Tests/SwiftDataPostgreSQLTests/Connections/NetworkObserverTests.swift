import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("Live results over TCP", SecureServer.condition, .startsProcesses)
struct NetworkObserverTests {
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }

  private static func container(_ address: String, _ schema: String) throws -> ModelContainer {
    let configuration = PostgreSQLConfiguration(address, databaseSchema: schema, connectionLimit: 2)
    return try ModelContainer(for: Schema([Note.self]), configurations: [configuration])
  }

  @Test("An observer of a container that is connected by TCP follows the saves of another process")
  func otherProcess() async throws {
    let server = try #require(SecureServer.shared)
    let folder = try TemporaryStore()
    let password = SecureServer.password.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let address = "postgresql://reader:\(password)@127.0.0.1:\(server.port)/postgres"
    let schema = folder.databaseSchema
    let container = try Self.container(address, schema)
    let context = ModelContext(container)
    context.insert(Note("first"))
    try context.save()
    let observer = try ResultsObserver(sortBy: [SortDescriptor(\Note.text)], modelContext: context)
    #expect(observer.results.map(\.text) == ["first"])
    await #expect(processExitsWith: .success) { [address = address as String, schema = schema as String] in
      TestProcess.run {
        let context = ModelContext(try NetworkObserverTests.container(address, schema))
        for note in try context.fetch(FetchDescriptor<NetworkObserverTests.Note>()) { note.text = "first, changed" }
        context.insert(NetworkObserverTests.Note("second"))
        try context.save()
      }
    }
    try await eventually { observer.results.count == 2 }
    #expect(observer.results.map(\.text) == ["first, changed", "second"])
  }
}
