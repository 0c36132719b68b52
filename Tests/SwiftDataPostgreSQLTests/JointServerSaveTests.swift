import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("A save into a file and into PostgreSQL is all or nothing", TestServer.condition)
struct JointServerSaveTests {
  @Model final class Local {
    @Attribute(.unique) var name: String
    init(_ name: String) { self.name = name }
  }

  @Model final class Remote {
    @Attribute(.unique) var name: String
    init(_ name: String) { self.name = name }
  }

  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    let server = try #require(TestServer.shared)
    container = try ModelContainer(
      for: Schema([Local.self, Remote.self]),
      configurations: [
        PostgreSQLConfiguration(
          server.address, name: "remote", schema: Schema([Remote.self]),
          databaseSchema: store.databaseSchema),
        ModelConfiguration("local", schema: Schema([Local.self]), url: store.url),
      ])
    context = ModelContext(container)
    context.autosaveEnabled = false
  }

  private func counts() throws -> [Int] {
    let context = ModelContext(container)
    return try [context.fetchCount(FetchDescriptor<Local>()), context.fetchCount(FetchDescriptor<Remote>())]
  }

  private func occupy() throws {
    let other = ModelContext(container)
    other.insert(Local("taken"))
    other.insert(Remote("taken"))
    try other.save()
  }

  @Test("If either store refuses, neither is written, and all stays pending", arguments: [false, true])
  func refusal(fileRefuses: Bool) throws {
    try occupy()
    context.uniquenessPolicy = .fail
    context.insert(Local(fileRefuses ? "taken" : "new"))
    context.insert(Remote(fileRefuses ? "new" : "taken"))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try counts() == [1, 1])
    #expect(context.insertedModelsArray.count == 2)
    #expect(context.insertedModelsArray.allSatisfy { $0.persistentModelID.storeIdentifier == nil })
    context.uniquenessPolicy = .upsert
    try context.save()
    #expect(try counts() == (fileRefuses ? [1, 2] : [2, 1]))
  }
}
