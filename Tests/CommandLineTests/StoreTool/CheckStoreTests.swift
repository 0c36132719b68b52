import CoreDataStore
import Foundation
import SQLite
import StoreInspection
import TestSupport
import Testing

@Suite("store-tool check", .needsStoreTool)
struct CheckStoreTests {
  /// A copy of the sample store in a folder of its own, changed.
  private func sample(_ script: String = "") throws -> TemporaryStore {
    let store = try TemporaryStore.sampleLibrary()
    if !script.isEmpty {
      let connection = try Connection(path: store.url.path, mode: .readWrite)
      defer { connection.close() }
      try connection.execute(script)
    }
    return store
  }

  /// The verdict on the sample store.
  private static let sound = "54 of 66 rules hold, 12 had nothing to look at"

  private func reports(_ text: String) throws -> [[String: Any]] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
  }

  @Test("Findings stand below their rule, with the way out, and the status is 1", .damagesStores)
  func findings() throws {
    let store = try sample("DROP INDEX ZCHAPTER_ZBOOK_INDEX; UPDATE ZCHAPTER SET ZBOOK = 99 WHERE Z_PK = 1")
    let result = try storeTool.run(["check", store.url.path])
    #expect(result.status == 1)
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.contains("FAIL  indexes of keys  (1 of 9)"))
    #expect(lines.contains("      error: ZCHAPTER_ZBOOK_INDEX: is missing"))
    #expect(lines.contains("      → Make it: CREATE INDEX ZCHAPTER_ZBOOK_INDEX ON ZCHAPTER (ZBOOK)"))
    #expect(lines.contains("      warning: Chapter.book: leads to no object: 1 of 8, first at Z_PK 1"))
    #expect(lines.contains("      → Set the key to NULL: it is read as nil."))
    #expect(
      lines.first
        == "\(store.url.path): 1 of 54 rules is broken, 12 had nothing to look at (1 error, 1 warning)")
  }

  @Test("What Core Data leaves behind is reported, and is no error", .damagesStores)
  func warnings() throws {
    let store = try sample("UPDATE ZCHAPTER SET ZBOOK = 99 WHERE Z_PK = 1")
    let result = try storeTool.run(["check", store.url.path])
    #expect(result.status == 0)
    #expect(result.output.contains("warning: Chapter.book: leads to no object"))
  }

  @Test(
    "--strict makes an error of what is tolerated, as does --fresh", .damagesStores, arguments: ["--strict", "--fresh"])
  func strict(_ flag: String) throws {
    let store = try sample("PRAGMA user_version = 7")
    #expect(try storeTool.run(["check", store.url.path]).status == 0)
    let result = try storeTool.run(["check", flag, store.url.path])
    #expect(result.status == 1)
    #expect(result.output.contains("error: user_version: is 7 instead of 0"))
    let sound = try sample()
    #expect(try storeTool.run(["check", flag, sound.url.path]).status == 0)
  }

  @Test("JSON has every rule with its fact, and every finding with its severity and way out", .damagesStores)
  func json() throws {
    let store = try sample("UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Author'")
    let result = try storeTool.run(["check", "--json", store.url.path])
    #expect(result.status == 1)
    let report = try #require(try reports(result.output).first)
    #expect(report["store"] as? String == store.url.path)
    #expect(report["status"] as? String == "failed")
    #expect(report["errorCount"] as? Int == 1)
    let checks = try #require(report["checks"] as? [[String: Any]])
    #expect(checks.compactMap { $0["id"] as? String } == CheckRule.allCases.map(\.rawValue))
    let failed = try #require(checks.first { $0["status"] as? String == "failed" })
    #expect(failed["id"] as? String == "maxima")
    #expect(failed["fact"] as? String == "CD-1.2")
    #expect(failed["failed"] as? Int == 1)
    let finding = try #require((failed["findings"] as? [[String: Any]])?.first)
    #expect(finding["severity"] as? String == "error")
    #expect(finding["subject"] as? String == "Author")
    #expect(finding["problem"] as? String == "Z_MAX is 0, and the largest Z_PK of ZAUTHOR is 4")
    #expect((finding["repair"] as? String)?.hasPrefix("Set Z_MAX") == true)
    let skipped = try #require(checks.first { $0["id"] as? String == "location-rows" })
    #expect(skipped["reason"] as? String == "none asked for")
  }

  @Test("Many findings of a rule are cut short, and --verbose prints all", .damagesStores)
  func verbose() throws {
    let names = ["ZBOOK", "ZITEM", "ZMEMBER", "ZCATEGORY", "ZPARENT", "ZCARD", "ZOWNER"]
    let store = try sample(names.map { "CREATE TABLE APP\($0) (A);" }.joined())
    let short = try storeTool.run(["check", store.url.path])
    #expect(short.output.contains("      … and 2 more\n"))
    let long = try storeTool.run(["check", "--verbose", store.url.path])
    #expect(!long.output.contains("… and"))
    for name in names { #expect(long.output.contains("APP\(name)")) }
  }

  @Test("Folders are searched for stores at any depth, whatever their names; other databases are passed over")
  func folders() throws {
    let store = try sample()
    let inner = store.folder.appendingPathComponent("a/b")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: store.url, to: inner.appendingPathComponent("no extension"))
    try Data("SQLite format 3".utf8).write(to: inner.appendingPathComponent("text"))
    let other = try Connection(path: inner.appendingPathComponent("other.sqlite").path, mode: .create)
    try other.execute("CREATE TABLE A (B)")
    other.close()
    try FileManager.default.createSymbolicLink(
      atPath: inner.appendingPathComponent("round").path, withDestinationPath: store.folder.path)
    let result = try storeTool.run(["check", store.folder.path])
    #expect(result.status == 0)
    #expect(
      result.output
        == "\(store.folder.path)/Library.sqlite: \(Self.sound)\n\(store.folder.path)/a/b/no extension: \(Self.sound)\n")
    let empty = try TemporaryStore()
    let nothing = try storeTool.run(["check", empty.folder.path])
    #expect(nothing.status == 2)
    #expect(nothing.errors.contains("there is no store in it"))
  }

  @Test("Of several stores the one that cannot be opened decides the status; the others are checked")
  func several() throws {
    let store = try sample()
    let missing = store.folder.appendingPathComponent("missing.store").path
    let result = try storeTool.run(["check", missing, store.url.path])
    #expect(result.status == 2)
    #expect(result.errors.contains(missing))
    #expect(result.output == "\(store.url.path): \(Self.sound)\n")
    let json = try reports(try storeTool.run(["check", "--json", missing, store.url.path]).output)
    #expect(json.map { $0["status"] as? String } == ["unreadable", "ok"])
    #expect(json[0]["store"] as? String == missing)
    #expect(json[0]["error"] as? String == "the store does not exist — check the path")
  }

  @Test("A model is given as source or compiled; the one of another store is told by its entities", .damagesStores)
  func model() throws {
    let store = try sample("DROP TABLE Z_MODELCACHE")
    let bundle = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld").path
    let alone = try storeTool.run(["check", "--verbose", store.url.path])
    #expect(
      alone.output.contains(
        "skip  CD-2    a table for each root entity  (the store carries no model, and none was given)"))
    let given = try storeTool.run(["check", "--verbose", "--model", bundle, store.url.path])
    #expect(given.status == 0)
    #expect(given.output.contains("ok    VH-1    version hashes are those of the model  (10)"))
    let old = URL(fileURLWithPath: bundle).appendingPathComponent("Library.xcdatamodel").path
    let whole = try sample()
    let other = try storeTool.run(["check", "--model", old, whole.url.path])
    #expect(other.status == 1)
    #expect(other.output.contains("is another entity in the model that was given than in the store"))
    // A store is not told to become what another model asks for.
    let lost = try storeTool.run(["check", "--verbose", "--model", old, store.url.path])
    #expect(lost.status == 1)
    #expect(lost.output.contains("FAIL  VH-1 ") && lost.output.contains("another entity in the model that was given"))
    #expect(
      lost.output.contains("skip  CD-2    a table for each root entity  (the model that was given differs in Book, "))
    #expect(!lost.output.contains("→"), "\(lost.output)")
    let summary = try storeTool.run(["inspect", "--model", old, store.url.path])
    #expect(
      summary.output.contains("10 entities, their properties unknown; the model that was given differs in Book, "),
      "\(summary.output)")
  }

  @Test(
    "A store without a model is not called in order: the rules that need the model are counted apart", .damagesStores)
  func withoutModel() throws {
    let store = try sample("DROP TABLE Z_MODELCACHE")
    let result = try storeTool.run(["check", store.url.path])
    #expect(result.status == 0)
    #expect(
      result.output.contains(
        /: \d+ of 66 rules hold, \d+ had nothing to look at, \d+ need the model: the store carries no model/),
      "\(result.output)")
    let report = try #require(try reports(try storeTool.run(["check", "--json", store.url.path]).output).first)
    #expect(report["status"] as? String == "incomplete")
    let checks = try #require(report["checks"] as? [[String: Any]])
    #expect(checks.first { $0["id"] as? String == "keys" }?["lacksModel"] as? Bool == true)
    #expect(checks.first { $0["id"] as? String == "integrity" }?["lacksModel"] as? Bool == false)
  }

  @Test(
    "A store of a folder that may not be read is reported, and so is a folder that may not be listed",
    .needsNobody)
  func forbidden() throws {
    let store = try sample()
    let manager = FileManager.default
    let inner = store.folder.appendingPathComponent("inner")
    try manager.createDirectory(at: inner, withIntermediateDirectories: true)
    try manager.copyItem(at: store.url, to: store.folder.appendingPathComponent("Other.sqlite"))
    try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: store.folder.path)
    try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store.url.path)
    try manager.setAttributes([.posixPermissions: 0], ofItemAtPath: inner.path)
    try manager.setAttributes(
      [.posixPermissions: 0], ofItemAtPath: store.folder.appendingPathComponent("Other.sqlite").path)
    defer { try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: inner.path) }
    let result = try storeTool.runAsNobody(["check", store.folder.path])
    #expect(result.status == 2, "\(result.errors)")
    #expect(result.output == "\(store.folder.path)/Library.sqlite: \(Self.sound)\n")
    #expect(
      result.errors.contains("\(store.folder.path)/Other.sqlite: error: the file cannot be read"), "\(result.errors)")
    #expect(
      result.errors.contains("\(store.folder.path)/inner: error: the folder cannot be listed"), "\(result.errors)")
  }

  @Test(
    "A report that cannot be written leaves the status of the findings, of all stores", .damagesStores,
    arguments: [false, true])
  func unwrittenReport(_ json: Bool) throws {
    let (sound, broken) = (try sample(), try sample("DROP INDEX ZCHAPTER_ZBOOK_INDEX"))
    func check(_ stores: TemporaryStore...) throws -> BuiltTool.Result {
      try storeTool.run(
        ["check"] + stores.map(\.url.path) + (json ? ["--json"] : []), after: "exec > /dev/full")
    }
    let message =
      "standard output: error: the output cannot be written: No space left on device — see that the disk has room\n"
    let found = try check(sound, broken)
    #expect(found.status == 1 && found.errors == message, "\(found.errors)")
    let nothing = try check(sound)
    #expect(nothing.status == 2 && nothing.errors == message, "\(nothing.errors)")
  }

  @Test("Nothing is written: a store that nobody may write to is checked, and its folder stays as it is")
  func readOnly() throws {
    let store = try sample()
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: store.url.path)
    try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: store.folder.path)
    defer { try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: store.folder.path) }
    let before = try manager.attributesOfItem(atPath: store.url.path)[.modificationDate] as? Date
    for command in ["check", "inspect"] { #expect(try storeTool.run([command, store.url.path]).status == 0) }
    #expect(try manager.attributesOfItem(atPath: store.url.path)[.modificationDate] as? Date == before)
    #expect(try manager.contentsOfDirectory(atPath: store.folder.path) == ["Library.sqlite"])
  }
}
