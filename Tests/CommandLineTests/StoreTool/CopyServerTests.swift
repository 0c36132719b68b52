import Foundation
import PostgreSQLTestSupport
import SQLite
import TestSupport
import Testing

/// The copies themselves are proved beside a server, in `SwiftDataPostgreSQLTests/Transfer`.
@Suite("store-tool copy to and from a database", .needsStoreTool)
struct CopyServerTests {
  private static let address = "postgresql://app:hidden@/library?host=/nonexistent"
  private let folder: TemporaryStore
  private let sample = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.sqlite").path

  init() throws { folder = try TemporaryStore() }

  @Test(
    "Options that do not fit the places are refused",
    arguments: [
      (["a.sqlite", "b.sqlite", "--schema", "s"], "--schema is for copies to or from a database"),
      (["a.sqlite", "b.sqlite", "--lenient"], "--lenient is for copies to or from a database"),
      (["a.sqlite", "b.sqlite", "--naming", "as-spelled"], "--naming is for copies to or from a database"),
      (["a.sqlite", address, "--naming", "camelCase"], "The value 'camelCase' is invalid for"),
      ([address, "b.sqlite", "--naming", "snake-case"], "--naming is for copies to a database"),
      ([address, address], "Both places are databases"),
      (["a.sqlite", address, "--force"], "--force is for copies in files"),
      (["a.sqlite", address, "--check"], "--check is for copies in files"),
      ([address, "b.sqlite", "--lenient"], "--lenient is for copies to a database"),
      ([address, "b.sqlite", "--model", "m"], "--model is for copies to a database"),
    ])
  func options(_ arguments: [String], _ message: String) throws {
    let result = try storeTool.run(["copy"] + arguments)
    #expect(result.status == 64)
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test("A server that cannot be reached is named without the password, and nothing is left")
  func unreachable() throws {
    let place = folder.url.path
    for arguments in [[sample, Self.address], [Self.address, place, "--json"]] {
      let result = try storeTool.run(["copy"] + arguments)
      #expect(result.status == 2)
      #expect(result.errors.contains("database library on /nonexistent as app"), "\(result.errors)")
      #expect(!(result.errors + result.output).contains("hidden"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.folder.path) == [])
  }

  @Test("A store goes to a server and comes back, and the dumps are equal", TestServer.condition)
  func roundTrip() throws {
    let address = try #require(TestServer.shared).address
    let sent = try storeTool.run(["copy", sample, address, "--schema", folder.databaseSchema])
    #expect(sent.status == 0, "\(sent.errors)")
    #expect(sent.output.hasSuffix("as app: written, 28 objects\n"), "\(sent.output)")
    #expect(sent.errors == "\(sample): warning: left out: the history of 1 transaction\n")
    let again = try storeTool.run(["copy", sample, address, "--schema", folder.databaseSchema])
    #expect(again.status == 2)
    #expect(again.errors.hasSuffix("has a store already — name a schema that has no tables\n"), "\(again.errors)")
    let back = folder.url.path
    let fetched = try storeTool.run(["copy", address, back, "--schema", folder.databaseSchema, "--check"])
    #expect(fetched.status == 0, "\(fetched.errors)")
    #expect(try storeTool.run(["dump", back]).output == storeTool.run(["dump", sample]).output)
  }

  @Test("A text of wrong bytes comes to a server with a warning", TestServer.condition) func wrongBytes() throws {
    let address = try #require(TestServer.shared).address
    let store = try TemporaryStore.sampleLibrary()
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    try connection.execute(
      """
      UPDATE ZCATEGORY SET ZNAME = CAST(x'41FF42' AS TEXT) WHERE Z_PK = 1;
      UPDATE ZCATEGORY SET ZNAME = 'A' || char(65533) WHERE Z_PK = 2
      """)
    connection.close()
    let sent = try storeTool.run(["copy", store.url.path, address, "--schema", folder.databaseSchema])
    #expect(sent.status == 0, "\(sent.errors)")
    #expect(sent.errors.contains("warning: 1 text is not in UTF-8: U+FFFD is written instead of the wrong bytes\n"))
  }

  @Test(
    "A store without a model needs --model, and comes back with it", TestServer.condition,
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
  func givenModel() throws {
    let address = try #require(TestServer.shared).address
    let original = try Fixtures.copyOfStore("yepher__CoreDataUtility__SingleEntitySingleAttribut.sqlite")
    let model = Fixtures.url(
      "compiled/yepher__CoreDataUtility/HEAD_TestFiles/TestFiles/SingleEntitySingleAttribut.mom"
    ).path
    let arguments = ["copy", original.url.path, address, "--schema", folder.databaseSchema]
    let refused = try storeTool.run(arguments)
    #expect(refused.status == 2 && refused.errors.contains("name the model it was made with: --model"), "\(refused)")
    let sent = try storeTool.run(arguments + ["--model", model])
    #expect(sent.status == 0, "\(sent.errors)")
    let back = folder.url.path
    #expect(try storeTool.run(["copy", address, back, "--schema", folder.databaseSchema, "--check"]).status == 0)
    let dumped = try storeTool.run(["dump", original.url.path, "--model", model])
    #expect(dumped.status == 0 && !dumped.output.isEmpty)
    #expect(try storeTool.run(["dump", back]).output == dumped.output)
  }

  @Test(
    "An address in the wrong place is refused without its password",
    arguments: [
      ["copy", "a.sqlite", "b.sqlite", address], ["check", address], ["inspect", "--json", address],
      ["diff", "a.sqlite", address], ["check", "a.sqlite", "--modl=\(address)"], [address],
    ])
  func wrongPlaces(_ arguments: [String]) throws {
    let result = try storeTool.run(arguments)
    #expect(result.status == 64)
    #expect(!result.errors.isEmpty && !(result.errors + result.output).contains("hidden"), "\(result.errors)")
  }

  @Test("A text that is no address is refused without its parts") func invalid() throws {
    let result = try storeTool.run(["copy", sample, "postgresql://app:hidden@[/x"])
    #expect(result.status == 2)
    #expect(result.errors.contains("the address is not valid"), "\(result.errors)")
    #expect(!result.errors.contains("hidden"))
  }
}
