import ManagedModel
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@Suite("Names of properties in the history of a PostgreSQL store", TestServer.condition)
struct HistoryNamesTests {
  @Test("A name with a comma stays one name")
  func comma() throws {
    let names = ["a,b", "c"]
    let store = try EngineStore([
      EntityDescription(name: "Note", properties: names.map { .attribute($0, .integer64) })
    ])
    let object = try store.insert("Note", [["c": .integer(1)]]).inserted[0].object
    var changes = ChangeSet()
    changes.updates = [
      ChangeSet.Update(
        object: object, version: nil,
        columns: names.map { ColumnSelection(entityName: "Note", propertyName: $0) }, changedProperties: names,
        source: StoreValuesRow(values: ["a,b": .integer(2), "c": .integer(3)]))
    ]
    _ = try store.store.save(changes)
    let history = try store.store.history(HistoryRequest(after: 1))
    defer { history.close() }
    #expect(try history.next() != nil)
    #expect(try history.nextChange()?.changedProperties == names)
    #expect(try store.column("SELECT unnest(properties) FROM $_store_changes ORDER BY 1") == names)
  }
}
