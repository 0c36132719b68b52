import Foundation
import PostgreSQLTestSupport
import TestSupport
import Testing

private let storeTool = BuiltTool("store-tool", variable: "STORE_TOOL")

@Suite("store-tool migrate of a database", .enabled(if: storeTool.url != nil, "needs the built store-tool"))
struct MigrateServerTests {
  private let folder: TemporaryStore
  private let sample = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.sqlite").path
  private let model = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld").path

  init() throws { folder = try TemporaryStore() }

  @Test("A database is migrated by a container only, and options for files are refused")
  func options() throws {
    let address = "postgresql://app:hidden@/library?host=/nonexistent"
    for (arguments, message) in [
      ([address, "--to", model], "give --dry-run"),
      ([address, "--to", model, "--dry-run", "--plan", "a.cdm"], "--plan is for files"),
      ([sample, "--to", model, "--schema", "s"], "--schema needs a database"),
    ] {
      let result = try storeTool.run(["migrate"] + arguments)
      #expect(result.status == 64 && result.errors.contains(message), "\(result.errors)")
      #expect(!result.errors.contains("hidden"))
    }
    let result = try storeTool.run(["migrate", address, "--to", model, "--dry-run"])
    #expect(result.status == 2 && !result.errors.contains("hidden"), "\(result.errors)")
  }

  @Test("The changes and the SQL of a migration are printed, and nothing is written", TestServer.condition)
  func preview() throws {
    let address = try #require(TestServer.shared).address
    let schema = folder.databaseSchema
    func migrate(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
      let result = try storeTool.run(
        ["migrate", address, "--schema", schema, "--to", model, "--dry-run"] + arguments)
      return (result.status, result.output, result.errors)
    }
    let missing = try migrate()
    #expect(missing.status == 2 && missing.errors.contains("there is no store"), "\(missing.errors)")
    #expect(try storeTool.run(["copy", sample, address, "--schema", schema]).status == 0)
    let current = try migrate()
    #expect(current.status == 0 && current.output.contains("already"), "\(current)")
    let former = try migrate("--model-version", "Library")
    #expect(former.status == 0 && former.output.contains("ALTER TABLE"), "\(former)")
    #expect(former.output.contains("BEGIN;\n") && former.output.contains("COMMIT;"))
    #expect(try migrate("--json", "--model-version", "Library").output.contains("\"result\""))
    #expect(try migrate().output == current.output)
  }
}
