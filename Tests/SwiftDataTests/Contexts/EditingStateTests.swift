import Foundation
import StoreRequests
import StoreTestSupport
import SwiftData
import TestSupport
import Testing

@Suite("The editing state of a context")
struct EditingStateTests {
  @Test("Each context has an identity of its own, which stays when the author changes")
  func identity() throws {
    let world = try World()
    let first = world.context.editingState
    #expect(first.author == nil && first.id != world.fresh.editingState.id)
    world.context.author = "importer"
    #expect(world.context.editingState.author == "importer" && world.context.editingState.id == first.id)
    let state = EditingState(author: "sync")
    world.context.editingState = state
    #expect(world.context.author == "sync" && world.context.editingState.id == state.id)
  }

  @Test("A save records the author in the history (CD-7)")
  func history() throws {
    let world = try World()
    let authors = [nil, "importer", "sync", nil]
    for author in authors {
      world.context.editingState.author = author
      world.context.insert(Tag(author ?? ""))
      try world.context.save()
    }
    let rows = try PlainSQL.rows(
      world.store.url,
      """
      SELECT s.ZNAME FROM ATRANSACTION t LEFT JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS ORDER BY t.Z_PK
      """)
    #expect(rows.map { $0[0] } == authors.map { author in author.map { .text($0) } ?? .null })
  }
}
