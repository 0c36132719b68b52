import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

@Suite("store-tool migrate of a database", .needsStoreTool)
struct MigrateServerTests {
  private let folder: TemporaryStore
  private let sample = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.sqlite").path
  private let model = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld").path

  init() throws { folder = try TemporaryStore() }

  @Test("Options for files are refused for a database, and an error has no password")
  func options() throws {
    let address = "postgresql://app:hidden@/library?host=/nonexistent"
    for (arguments, message) in [
      ([address, "--to", model, "--output", "a.sqlite"], "--output is for files"),
      ([address, "--to", model, "--keep-backup"], "--keep-backup is for files"),
      ([address, "--to", model, "--dry-run", "--plan", "a.cdm"], "--plan is for files"),
      ([sample, "--to", model, "--schema", "s"], "--schema needs a database"),
    ] {
      let result = try storeTool.run(["migrate"] + arguments)
      #expect(result.status == 64 && result.errors.contains(message), "\(result.errors)")
      #expect(!result.errors.contains("hidden"))
    }
    for options in [[], ["--dry-run"]] {
      let result = try storeTool.run(["migrate", address, "--to", model] + options)
      #expect(result.status == 2 && !result.errors.contains("hidden"), "\(result.errors)")
      #expect(result.errors.contains("database library on /nonexistent as app"), "\(result.errors)")
    }
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

  private static func model(_ attributes: String, _ entities: String = "") -> String {
    """
    <model><entity name="Note"><attribute name="text" optional="YES" attributeType="String"/>\(attributes)</entity>\(entities)</model>
    """
  }

  private func write(_ model: String, _ name: String) throws -> String {
    let bundle = folder.folder.appendingPathComponent("\(name).xcdatamodel")
    try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
    try Data(model.utf8).write(to: bundle.appendingPathComponent("contents"))
    return bundle.path
  }

  @Test(
    "A store in a database is migrated in one transaction, and rows in the way leave it as it was", TestServer.condition
  )
  func migration() throws {
    let server = try #require(TestServer.shared)
    let schema = folder.databaseSchema
    let first = try write(
      Self.model("", #"<entity name="Old"><attribute name="n" optional="YES" attributeType="Integer 64"/></entity>"#),
      "First")
    let second = try write(
      Self.model(#"<attribute name="stars" attributeType="Integer 16" defaultValueString="3"/>"#), "Second")
    let third = try write(
      Self.model(
        #"<attribute name="stars" attributeType="Integer 16" defaultValueString="3"/><attribute name="title" attributeType="String"/>"#
      ), "Third")
    let lines = folder.folder.appendingPathComponent("lines.jsonl")
    try Data("{\"$entity\":\"Note\",\"text\":\"x\"}\n{\"$entity\":\"Old\",\"n\":1}\n".utf8).write(to: lines)
    #expect(try storeTool.run(["import", folder.url.path, lines.path, "--model", first]).status == 0)
    #expect(try storeTool.run(["copy", folder.url.path, server.address, "--schema", schema]).status == 0)
    func migrate(_ model: String, _ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
      let result = try storeTool.run(["migrate", server.address, "--schema", schema, "--to", model] + arguments)
      return (result.status, result.output, result.errors)
    }
    func columns() throws -> [String] {
      try server.connect().column(
        "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = $1 AND column_name NOT LIKE E'\\\\_%' AND table_name IN ('note', 'old') ORDER BY 1",
        [.text(schema)])
    }
    #expect(try columns() == ["note.text", "old.n"])
    let planned = try migrate(second, "--dry-run")
    #expect(planned.status == 0 && planned.output.contains("left behind: 1 object of entity “Old”"), "\(planned)")
    #expect(try columns() == ["note.text", "old.n"])
    let kept = try migrate(second, "--keep-entities")
    #expect(kept.status == 0 && kept.output.hasSuffix("migrated\n"), "\(kept)")
    #expect(try columns() == ["note.stars", "note.text", "old.n"])
    #expect(
      try server.connect().run("SELECT stars::bigint FROM \"\(schema)\".note").integer(0, 0) == 3)
    let done = try migrate(second)
    #expect(done.status == 0 && done.output.hasSuffix("migrated\n"), "\(done)")
    #expect(try columns() == ["note.stars", "note.text"])
    let again = try migrate(second)
    #expect(again.status == 0 && again.output.hasSuffix("already\n"), "\(again)")
    let refused = try migrate(third)
    #expect(refused.status == 1 && refused.errors.contains("1 row would have no value of it"), "\(refused)")
    #expect(refused.errors.contains("schema “\(schema)” of database"), "\(refused)")
    #expect(try migrate(third, "--json").output.contains("\"rows\" : 1"))
    #expect(try columns() == ["note.stars", "note.text"])
    // The store is whole: it comes back with its object.
    let back = folder.folder.appendingPathComponent("back.sqlite").path
    let fetched = try storeTool.run(["copy", server.address, back, "--schema", schema, "--check"])
    #expect(fetched.status == 0, "\(fetched.errors)")
    #expect(try storeTool.run(["dump", back]).output.contains("\"stars\":3"))
  }

  @Test("Rows with equal values of a new constraint become one row, if asked to", TestServer.condition)
  func duplicates() throws {
    let server = try #require(TestServer.shared)
    let schema = folder.databaseSchema
    let first = try write(Self.model(""), "First")
    let unique = """
      <uniquenessConstraints><uniquenessConstraint><constraint value="text"/></uniquenessConstraint></uniquenessConstraints>
      """
    let second = try write(Self.model(unique), "Second")
    let lines = folder.folder.appendingPathComponent("lines.jsonl")
    try Data("{\"$entity\":\"Note\",\"text\":\"x\"}\n{\"$entity\":\"Note\",\"text\":\"x\"}\n".utf8).write(to: lines)
    #expect(try storeTool.run(["import", folder.url.path, lines.path, "--model", first]).status == 0)
    #expect(try storeTool.run(["copy", folder.url.path, server.address, "--schema", schema]).status == 0)
    let arguments = ["migrate", server.address, "--schema", schema, "--to", second]
    let refused = try storeTool.run(arguments)
    #expect(refused.status == 1 && refused.errors.contains("--duplicates"), "\(refused.errors)")
    let planned = try storeTool.run(arguments + ["--duplicates", "upsert", "--dry-run"])
    #expect(
      planned.output.contains("-- then rows of entity “Note” with equal “text” become one row"), "\(planned.output)")
    let done = try storeTool.run(arguments + ["--duplicates", "upsert"])
    #expect(done.status == 0, "\(done.errors)")
    #expect(try server.connect().column("SELECT _id::text FROM \"\(schema)\".note") == ["2"])
  }
}
