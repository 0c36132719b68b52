import CoreDataStore
import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import StoreTransfer
import TestSupport
import Testing

/// A search index is no part of the rows, so a copy leaves it out.
@Suite("Copies of stores with a search index", TestServer.condition)
struct SearchTransferTests {
  @Test("A copy in either direction names the search index that it leaves out")
  func leftOut() throws {
    let world = try TransferWorld()
    let model = ModelDescription(entities: [
      EntityDescription(name: "Book", properties: [.attribute(AttributeDescription(name: "title", type: .string))])
    ])
    let file = try PersistentStore.open(at: world.folder.url, model: model)
    defer { file.close() }
    try file.makeSearchIndex(on: ["title"], of: "Book")
    #expect(try world.send(file).differences == ["left out: the search index of “Book”"])

    let server = try ServerStore.open(world.address, options: world.options, model: model)
    #expect(throws: SearchError.noIndex(entity: "Book")) { try server.searchedAttributes(of: "Book") }
    try server.makeSearchIndex(on: ["title"], of: "Book")
    let (back, report) = try world.fetch()
    defer { back.close() }
    #expect(report.differences == ["left out: the search index of “Book”"])
    #expect(throws: SearchError.noIndex(entity: "Book")) { try back.searchedAttributes(of: "Book") }
  }
}
