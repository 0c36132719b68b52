import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

@Suite(
  "store-tool copy with another rule for names", TestServer.condition,
  .needsStoreTool)
struct CopyNamingTests {
  @Test("Tables and columns have the names of the model, and a copy back needs no option")
  func asSpelled() throws {
    let folder = try TemporaryStore()
    let server = try #require(TestServer.shared)
    let (schema, sample) = (
      folder.databaseSchema, Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.sqlite").path
    )
    let sent = try storeTool.run(["copy", sample, server.address, "--schema", schema, "--naming", "as-spelled"])
    #expect(sent.status == 0, "\(sent.errors)")
    let tables = try server.connect().column(
      "SELECT table_name::text FROM information_schema.tables WHERE table_schema = $1", [.text(schema)])
    #expect(tables.contains("LibraryCard") && !tables.contains("library_card"), "\(tables)")
    let back = folder.url.path
    #expect(try storeTool.run(["copy", server.address, back, "--schema", schema, "--check"]).status == 0)
    #expect(try storeTool.run(["dump", back]).output == storeTool.run(["dump", sample]).output)
  }
}
