import Foundation
import SQLite
import StoreInspection
import TestSupport
import Testing

@Suite("store-tool copy", .needsStoreTool)
struct CopyStoreTests: StoreToolSuite {
  let store: TemporaryStore

  init() throws { store = try .sampleLibrary() }

  @Test("A copy of a store in use has what waits in the log") func log() throws {
    let writer = try Connection(path: store.url.path, mode: .readWrite)
    defer { writer.close() }
    try writer.setPragma("journal_mode", "WAL")
    try writer.execute("UPDATE ZITEM SET ZTITLE = 'waits in the log'")
    // A reader of an older state and a writer that is not done hold nothing up.
    try writer.execute("BEGIN IMMEDIATE; UPDATE ZITEM SET ZTITLE = 'not saved'")
    let before = names
    let result = try storeTool.run(["copy", store.url.path, place("Copy.sqlite"), "--check"])
    #expect(result.status == 0, "\(result.errors)")
    let size = try FileManager.default.attributesOfItem(atPath: place("Copy.sqlite"))[.size] as? Int ?? 0
    #expect(result.output == "\(place("Copy.sqlite")): written, \(size) bytes\n" && result.errors.isEmpty)
    #expect(names == (["Copy.sqlite"] + before).sorted())
    let titles = try storeTool.run(["sql", place("Copy.sqlite"), "SELECT DISTINCT title FROM Book", "--csv"])
    #expect(titles.output == "title\r\nwaits in the log\r\n")
  }

  @Test("A file that exists is replaced with --force only") func force() throws {
    let copy = place("Copy.sqlite")
    #expect(try storeTool.run(["copy", store.url.path, copy]).status == 0)
    let again = try storeTool.run(["copy", store.url.path, copy])
    #expect(again.status == 2)
    #expect(again.errors == "\(copy): error: the file exists already — name another place, or use --force\n")
    #expect(try storeTool.run(["copy", store.url.path, copy, "--force"]).status == 0)
    // The size is that of the store, not of a link to it.
    let link = place("Link.sqlite")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "Copy.sqlite")
    let linked = try storeTool.run(["copy", store.url.path, link, "--force", "--json"])
    #expect(try JSONObject(linked.output)["bytes"] as? Int == Data(contentsOf: URL(fileURLWithPath: copy)).count)
    let itself = try storeTool.run(["copy", store.url.path, store.url.path, "--force"])
    #expect(itself.status == 2)
    #expect(itself.errors.contains("it is the store that is copied"))
    #expect(try StoreChecker.check(store.url) == [])
  }

  @Test("JSON has the sizes, and with --check the number of errors", .damagesStores) func json() throws {
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    try connection.execute("DROP INDEX ZCHAPTER_ZBOOK_INDEX")
    connection.close()
    let result = try storeTool.run(["copy", store.url.path, place("Copy.sqlite"), "--check", "--json"])
    #expect(result.status == 1)
    let document = try JSONObject(result.output)
    #expect(document["errorCount"] as? Int == 1 && document["files"] as? Int == 0)
    #expect(document["path"] as? String == place("Copy.sqlite"))
    #expect(result.errors.contains("CD-4 ZCHAPTER_ZBOOK_INDEX: is missing"))
  }

  @Test("Findings keep their status if the summary cannot be written", .damagesStores, arguments: [false, true])
  func findingsWithoutSummary(_ json: Bool) throws {
    try execute("DROP INDEX ZCHAPTER_ZBOOK_INDEX")
    let result = try storeTool.run(
      ["copy", path, place("Copy.sqlite"), "--check"] + (json ? ["--json"] : []), after: "exec > /dev/full")
    #expect(result.status == 1)
    #expect(result.errors.contains("CD-4 ZCHAPTER_ZBOOK_INDEX: is missing"), "\(result.errors)")
    #expect(
      result.errors.contains(
        "standard output: error: the output cannot be written: No space left on device, but the copy is written to"),
      "\(result.errors)")
  }

  @Test("A store that is none, a missing folder and a full disk are told, and nothing is left") func failures() throws {
    try Data("notes".utf8).write(to: store.folder.appendingPathComponent("notes"))
    let before = names
    for (arguments, message) in [
      ([place("none"), place("x")], "the store does not exist"),
      ([place("notes"), place("x")], "is no SQLite database"),
      ([store.url.path, place("no/x")], "there is no folder"),
    ] {
      let result = try storeTool.run(["copy"] + arguments)
      #expect(result.status == 2 && result.errors.contains(message), "\(result.errors)")
      #expect(names == before)
    }
    // 64 blocks of 512 bytes are less than the store has.
    let full = try storeTool.run(["copy", store.url.path, place("x")], after: "ulimit -f 64")
    #expect(full.status == 2 && full.errors.contains("error: "), "\(full.errors)")
    #expect(names == before)
  }
}
