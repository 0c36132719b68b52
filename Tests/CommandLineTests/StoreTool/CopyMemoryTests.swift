import Foundation
import PostgreSQLTestSupport
import SQLite
import TestSupport
import Testing

@Suite(
  "Memory of store-tool copy", TestServer.condition, .needsStoreTool)
struct CopyMemoryTests {
  /// Runs a program, and prints the largest memory that it had, in kilobytes.
  private static let script = """
    import resource, subprocess, sys
    status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    sys.exit(status)
    """

  /// The kilobytes of a copy's process.
  private func peak(_ source: String, _ target: String, schema: String) throws -> Int {
    let tool = try #require(storeTool.url).path
    let result = try RunningProgram.run(
      "python3", ["-c", Self.script, tool, "copy", source, target, "--schema", schema])
    #expect(result.status == 0, "\(result.errors)")
    return try #require(Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  /// Copies the sample store with more authors of 600 bytes, each with a book, to the server and back.
  private func peaks(authors count: Int) throws -> (sending: Int, fetching: Int) {
    let folder = try TemporaryStore.sampleLibrary()
    let connection = try Connection(path: folder.url.path, mode: .readWrite)
    try connection.execute(
      """
      BEGIN;
      WITH RECURSIVE number(n) AS (SELECT 1001 UNION ALL SELECT n + 1 FROM number WHERE n < 1000 + \(count))
      INSERT INTO ZAUTHOR SELECT n, Z_ENT, 1, ZBIRTHDATE, hex(zeroblob(300)), ZFAMILYNAME || n, ZGIVENNAME, ZHOMEPAGE, ZIDENTIFIER, NULL
      FROM number, ZAUTHOR WHERE Z_PK = (SELECT min(Z_PK) FROM ZAUTHOR);
      INSERT INTO Z_1BOOKS SELECT Z_PK, (SELECT min(Z_5BOOKS) FROM Z_1BOOKS) FROM ZAUTHOR WHERE Z_PK > 1000;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 1000 + \(count) WHERE Z_NAME = 'Author';
      COMMIT
      """)
    connection.close()
    let (address, schema) = (try #require(TestServer.shared).address, folder.databaseSchema)
    let sending = try peak(folder.url.path, address, schema: schema)
    let back = folder.folder.appendingPathComponent("back.sqlite").path
    return (sending, try peak(address, back, schema: schema))
  }

  @Test(
    "A copy of 100,000 objects takes no more memory than one of 1,000",
    .enabled(if: FullTests.areWanted, "\(FullTests.explanation)"))
  func constant() throws {
    let (few, many) = (try peaks(authors: 1_000), try peaks(authors: 100_000))
    print("kilobytes of 1,000 and 100,000 objects: to a server \(few.sending), \(many.sending);", terminator: " ")
    print("from it \(few.fetching), \(many.fetching)")
    // The objects are 70 MB.
    #expect(many.sending - few.sending < 20_000)
    #expect(many.fetching - few.fetching < 20_000)
  }
}
