import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

@Suite(
  "store-tool and a database that no store can be in", TestServer.condition,
  .needsStoreTool)
struct UnusableServerTests {
  private let folder: TemporaryStore
  private let sample = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.sqlite").path
  private let model = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld").path

  init() throws { folder = try TemporaryStore() }

  @Test("Copies and migrations of a database whose texts are not in UTF-8 are refused with the way out")
  func latinDatabase() throws {
    let server = try TestServer.required()
    let name = folder.databaseSchema
    try server.withDatabase(name, "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'") {
      let address = server.address(ofDatabase: name, password: "geheim")
      let commands = [
        ["copy", sample, address], ["copy", address, folder.url.path], ["migrate", address, "--to", model],
        ["migrate", address, "--to", model, "--dry-run"],
      ]
      for command in commands {
        let result = try storeTool.run(command)
        #expect(result.status == 2, "\(command): \(result.errors)")
        for part in ["database \(name) on \(server.folder) as app", "LATIN1", "make a database with ENCODING 'UTF8'"] {
          #expect(result.errors.contains(part), "\(command): \(result.errors)")
        }
        #expect(!(result.errors + result.output).contains("geheim"), "\(command): \(result.errors)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.folder.path) == [])
    }
  }

  @Test("Copies to and from a server that is too old are refused with the way out")
  func oldServer() throws {
    let server = try FakeServer(version: "13.12")
    for command in [["copy", sample, server.address], ["copy", server.address, folder.url.path]] {
      let result = try storeTool.run(command)
      #expect(result.status == 2, "\(command): \(result.errors)")
      #expect(result.errors.contains("database library on \(server.folder) as app"), "\(command): \(result.errors)")
      #expect(result.errors.contains("the server has version 13"), "\(command): \(result.errors)")
      #expect(result.errors.contains("use PostgreSQL 14 or later"), "\(command): \(result.errors)")
      #expect(!(result.errors + result.output).contains("geheim"), "\(command): \(result.errors)")
    }
  }
}
