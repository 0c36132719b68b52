import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

@Suite("A database schema whose store is replaced while it is open", TestServer.condition)
struct ReplacedSchemaTests {
  private static let account = EntityDescription(name: "Account", properties: [.attribute("amount", .integer64)])

  private func changes(_ object: ObjectKey, isDeletion: Bool) -> ChangeSet {
    var changes = ChangeSet()
    if isDeletion {
      changes.deletions = [.init(object: object, version: nil)]
    } else {
      changes.updates = [
        ChangeSet.Update(
          object: object, version: nil,
          columns: [ColumnSelection(entityName: "Account", propertyName: "amount")], changedProperties: ["amount"],
          source: StoreValuesRow(values: ["amount": .integer(7)]))
      ]
    }
    return changes
  }

  @Test("A save changes nothing in the new store, and the error says what happened", arguments: [false, true])
  func replaced(isDeletion: Bool) throws {
    let former = try EngineStore([Self.account])
    let object = try former.insert("Account", [["amount": .integer(1)]]).inserted[0].object
    let other = try former.connect()
    try other.execute("DROP SCHEMA \(former.schema) CASCADE")
    var options = ServerOptions()
    options.schema = former.schema
    let new = try ServerStore.open(
      try #require(TestServer.shared).address, options: options, model: ModelDescription(entities: [Self.account]))
    var changes = ChangeSet()
    changes.insertions = [
      ChangeSet.Insertion(
        entity: object.entity, columns: [ColumnSelection(entityName: "Account", propertyName: "amount")],
        source: StoreValuesRow(values: ["amount": .integer(2)]))
    ]
    let made = try new.save(changes).inserted[0].object
    try #require(made.key == object.key)
    let error = #expect(throws: StoreChangedError.self) {
      try former.store.save(self.changes(object, isDeletion: isDeletion))
    }
    #expect(error?.change == .replaced)
    #expect(error?.problem.contains("has another store than the one that was opened") == true)
    #expect(try other.run("SELECT amount FROM \(former.schema).account").integer(0, 0) == 2)
  }

  @Test("The error of a store without its record says so")
  func emptied() throws {
    let store = try EngineStore([Self.account])
    let object = try store.insert("Account", [["amount": .integer(1)]]).inserted[0].object
    let other = try store.connect()
    try other.execute("DELETE FROM \(store.schema)._store")
    let error = #expect(throws: StoreChangedError.self) {
      try store.store.save(changes(object, isDeletion: false))
    }
    #expect(error?.change == .emptied)
    #expect(try other.run("SELECT amount FROM \(store.schema).account").integer(0, 0) == 1)
  }
}
