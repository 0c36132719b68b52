import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import TestSupport
import Testing

@Suite(
  "generate-models over a PostgreSQL database", TestServer.condition,
  .enabled(if: GenerateModelsTool.url != nil, "needs the built generate-models"))
struct DatabaseInputTests {
  /// Its schemas have the names that the expected classes have, and that the tests of the library give to schemas of the shared server.
  private static let ownServer = try? TestServer.another()

  let server: TestServer
  let output: OutputFolder
  /// The tests' server asks for no password, so that any password is right.
  private let address: String

  init() throws {
    server = try #require(Self.ownServer)
    output = try OutputFolder()
    address = server.address.replacingOccurrences(of: "//app@", with: "//app:secret@")
  }

  private func makeSchema(_ name: String, _ sql: String) throws {
    let connection = try server.connect()
    try connection.execute("CREATE SCHEMA \(Identifier(name)); SET search_path = \(Identifier(name))")
    try connection.execute(sql)
  }

  @Test("Tables of another program become the classes that the library makes of them")
  func foreignTables() throws {
    let tests = Fixtures.packageRoot.appendingPathComponent("Tests/PostgreSQLModelTests")
    try makeSchema("museum", String(contentsOf: tests.appendingPathComponent("Museum.sql"), encoding: .utf8))
    let arguments = [address, "--schema", "museum", "--output", output.path]
    let result = try GenerateModelsTool.run(arguments)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("as app: warning: table “shown”: it is a view, and left out\n"))
    #expect(result.errors.contains("no store opens them as they are"))
    var expected: [String: String] = [:]
    for name in output.names {
      expected[name] = try String(
        contentsOf: tests.appendingPathComponent("Generated/Museum/\(name)"), encoding: .utf8)
    }
    #expect(try output.contents() == expected)
    #expect(output.names.count == 3)
    let check = try GenerateModelsTool.run(arguments + ["--check"])
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    #expect(![result, check].contains { ($0.output + $0.errors).contains("secret") })
  }

  @Test("A store becomes its classes, and equals the model that made it")
  func store() throws {
    let (temporary, bundle) = (
      try TemporaryStore(),
      try output.bundle(
        """
        <model><entity name="Book"><attribute name="title" attributeType="String" optional="YES"/></entity></model>
        """)
    )
    var options = ServerOptions()
    options.schema = temporary.databaseSchema
    let attribute = AttributeDescription(name: "title", type: .string, isOptional: true)
    _ = try ServerStore.open(
      server.address, options: options,
      model: ModelDescription(entities: [EntityDescription(name: "Book", properties: [.attribute(attribute)])]))
    let result = try GenerateModelsTool.run(address, "--schema", options.schema, "--output", output.path)
    #expect(result.status == 0 && !result.errors.contains("warning"), "\(result.errors)")
    #expect(try output.names.contains { try output.text($0).contains("final class Book {\n    var title: String?") })
    let difference = try GenerateModelsTool.run("--diff", bundle, address, "--schema", options.schema)
    #expect(difference.output.contains("Nothing that a store or a class depends on differs"), "\(difference.output)")
    #expect(difference.output.contains("database postgres on") && !difference.output.contains("secret"))
  }

  @Test("Without the program that reads databases, or with another one, a message says how to install it")
  func missingProgram() throws {
    let temporary = try TemporaryStore()
    let copy = temporary.folder.appendingPathComponent("generate-models")
    // A program that another test starts may inherit a file that this process writes, and one that is open for writing cannot be run.
    let original = try #require(GenerateModelsTool.url).resolvingSymlinksInPath().path
    #expect(try BuiltTool(url: URL(fileURLWithPath: "/bin/cp")).run([original, copy.path]).status == 0)
    let result = try BuiltTool(url: copy).run([address, "--output", output.path])
    #expect(result.status == 2)
    #expect(
      result.errors.contains("postgresql-model, which reads databases, is not beside generate-models"),
      "\(result.errors)")
    #expect(result.errors.contains("swift build --product postgresql-model"))
    let program = temporary.folder.appendingPathComponent("postgresql-model")
    try Data("#!/bin/sh\nexit 1\n".utf8).write(to: program)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    let other = try BuiltTool(url: copy).run([address, "--output", output.path])
    #expect(other.status == 2)
    #expect(
      other.errors.contains(
        "gave no answer that can be read — install generate-models and postgresql-model of one version"))
  }

  @Test("Wrong databases, schemas, versions and options are told, without the password")
  func mistakes() throws {
    let schema = try TemporaryStore().databaseSchema
    try makeSchema(schema, "CREATE TABLE t (k text PRIMARY KEY)")
    for (arguments, status, part) in [
      (
        ["postgresql://app:secret@127.0.0.1:1/nowhere"], 2,
        "generate-models: error: database nowhere on 127.0.0.1:1 as app: "
      ),
      (["postgresql://app:secret@[::1"], 2, "the address is not valid"),
      ([address, "--schema", "nosuch"], 2, "the database has no schema “nosuch”"),
      ([address, "--schema", schema, "--versions", "V7"], 2, "as app: error: the model has no version “V7”"),
      ([address, address], 64, "Unexpected argument 'postgresql://…'"),
      ([address, "--versions=\(address)", "--frobnicate"], 64, "Unknown option"),
      ([address, "--schema", ""], 64, "The name of --schema is empty"),
      ([GenerateModelsTool.library, "--schema", "public"], 64, "--schema names a schema of a database"),
    ] as [([String], Int32, String)] {
      let result = try GenerateModelsTool.run(arguments + ["--output", output.path])
      #expect(result.status == status, "\(arguments): \(result.errors)")
      #expect(result.errors.contains(part) && !result.errors.contains("secret"), "\(result.errors)")
      #expect(output.names.isEmpty)
    }
  }
}
