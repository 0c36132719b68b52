import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import Synchronization
import TestSupport
import Testing

/// The connection is lost at the commit of a save, and no other one can be made.
@Suite("A commit whose answer is lost", TestServer.condition)
struct LostCommitTests {
  private static let model = ModelDescription(entities: [
    EntityDescription(name: "Account", properties: [.attribute("number", .integer64)])
  ])

  private func insert(_ number: Int64, into store: ServerStore) throws {
    var changes = ChangeSet()
    changes.insertions = [
      ChangeSet.Insertion(
        entity: try store.entities.existingEntity("Account").number,
        columns: [ColumnSelection(entityName: "Account", propertyName: "number")],
        source: StoreValuesRow(values: ["number": .integer(number)]))
    ]
    _ = try store.save(changes)
  }

  @Test(
    "If the server cannot be asked, the error says that nobody knows, and the save is done once or not at all",
    arguments: CuttingProxy.Cut.allCases)
  func unknownOutcome(_ cut: CuttingProxy.Cut) throws {
    let temporary = try TemporaryStore()
    let server = try #require(TestServer.shared)
    let proxy = try CuttingProxy(to: server.folder)
    var options = ServerOptions()
    options.schema = temporary.databaseSchema
    options.deadline = 1
    let isLosing = Mutex(false)
    let store = try ServerStore.open(
      "postgresql://app@/postgres?host=\(proxy.folder)", options: options, model: Self.model
    ) { sql in
      guard sql == "COMMIT", isLosing.withLock({ $0 }) else { return }
      proxy.cut(after: 0, cut)
      proxy.refuse()
    }
    try insert(1, into: store)
    isLosing.withLock { $0 = true }
    let error = try #require(#expect(throws: StoreProblem.self) { try insert(2, into: store) })
    for words in [proxy.folder, "could not be asked within 1 second whether", "all or none"] {
      #expect(error.problem.contains(words), "\(error)")
    }
    #expect(error.remedy?.contains("save again if the changes are missing") == true, "\(error)")
    #expect(proxy.stop() && proxy.refusedCount > 0)

    isLosing.withLock { $0 = false }
    proxy.accept()
    let expected: [Int64] = cut == .afterMessage ? [1, 2] : [1]
    let connection = try server.connect()
    func numbers() throws -> [Int64] {
      let rows = try connection.run("SELECT number FROM \(Identifier(options.schema)).account ORDER BY 1")
      return (0..<rows.rowCount).map { rows.integer($0, 0) }
    }
    #expect(try numbers() == expected)
    // The store finds the server again.
    try insert(3, into: store)
    #expect(try numbers() == expected + [3])
  }
}
