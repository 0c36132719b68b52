import CoreDataStore
import Foundation
import SQLite
import TestSupport
import Testing

@Suite("store-tool inspect", .needsStoreTool)
struct InspectStoreTests {
  /// Sizes come from an extension that not every SQLite has.
  private static let hasSizes = (try? Connection.inMemory().prepare("SELECT name FROM dbstat")) != nil

  @Test(
    "The sample store is summed up as recorded",
    .enabled(if: hasSizes, "needs an SQLite that tells the sizes of tables"),
    arguments: [
      ("inspect.txt", []), ("inspect-all.txt", ["--all"]), ("inspect-hashes.txt", ["--hashes"]),
      ("inspect-book.txt", ["--entity", "Book"]), ("inspect.json", ["--json"]),
      ("inspect-book.json", ["--entity", "Book", "--json"]),
    ] as [(String, [String])])
  func golden(_ name: String, _ options: [String]) throws {
    let store = try TemporaryStore.sampleLibrary()
    let result = try storeTool.run(["inspect"] + options + [store.url.path])
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    let output = result.output.replacing(store.folder.path, with: "SampleModels")
    try Golden("CommandLineTests/Goldens/\(name)").compare(output)
  }

  @Test("A misspelt entity ends with status 2 and the nearest name")
  func misspelt() throws {
    let store = try TemporaryStore.sampleLibrary()
    let result = try storeTool.run(["inspect", "--entity", "Bok", store.url.path])
    #expect(result.status == 2)
    #expect(result.errors.contains("did you mean “Book”?"))
  }

  @Test("Files of external storage are counted, with those that are missing and those of nobody", .damagesStores)
  func externalData() throws {
    let store = try TemporaryStore.sampleLibrary()
    let folder = URL(fileURLWithPath: ExternalDataFolder(storePath: store.url.path).path)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let names = ["0F6A3B8C-1111-4222-8333-444455556666", "0F6A3B8C-1111-4222-8333-444455557777"]
    for name in [names[0], "ORPHAN"] { try Data(count: 1500).write(to: folder.appendingPathComponent(name)) }
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    for (key, name) in names.enumerated() {
      try connection.execute(
        "UPDATE ZITEM SET ZCOVERIMAGE = CAST(x'02' || '\(name)' || x'00' AS BLOB) WHERE Z_PK = \(key + 1)")
    }
    connection.close()
    let text = try storeTool.run(["inspect", store.url.path]).output
    #expect(
      text.contains(
        "external data  2 values in files, 2 files of 2.9 KB, 1 missing, 1 that nothing refers to"), "\(text)")
    let data = try #require(
      try JSONObject(try storeTool.run(["inspect", "--json", store.url.path]).output)["externalData"] as? [String: Any])
    #expect(data["missing"] as? [String] == [names[1]])
    #expect(data["unreferenced"] as? [String] == ["ORPHAN"])
    #expect(data["byteCount"] as? Int == 3000)
    // A link in the place of a file is not followed, and every command says so in the same words.
    try FileManager.default.createSymbolicLink(
      at: folder.appendingPathComponent(names[1]), withDestinationURL: folder.appendingPathComponent(names[0]))
    let linked = try storeTool.run(["inspect", store.url.path]).output
    #expect(linked.contains(", 1 that cannot be read, 1 that nothing refers to"), "\(linked)")
    let check = try storeTool.run(["check", store.url.path])
    let words = "\(names[1])” is a symbolic link, which is not followed"
    #expect(check.status == 1 && check.output.contains(words), "\(check.output)")
    #expect(check.output.contains("      → Put the folder or the file itself in its place.\n"), "\(check.output)")
    let dump = try storeTool.run(["dump", store.url.path])
    #expect(dump.status == 2 && dump.errors.contains(words) && !dump.errors.contains("SQL"), "\(dump.errors)")
  }

  @Test(
    "Real stores of every author are summed up without an error, in both forms",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
  func realStores() throws {
    let folder = Fixtures.url("stores")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
    // The quick run takes the first store of each author.
    let authors = Dictionary(grouping: names) { $0.split(separator: "_")[0] }
    let wanted = FullTests.areWanted ? names : authors.values.flatMap { $0.prefix(1) }
    for name in wanted {
      let copy = try Fixtures.copyOfStore(name)
      let text = try storeTool.run(["inspect", "--all", copy.url.path])
      #expect(text.status == 0 && text.errors.isEmpty, "\(name): \(text.errors)")
      let object = try JSONObject(try storeTool.run(["inspect", "--json", copy.url.path]).output)
      let entities = try #require(object["entities"] as? [[String: Any]])
      #expect(!entities.isEmpty, "\(name)")
      for entity in entities { #expect(entity["count"] is Int, "\(name): \(entity["name"] ?? "")") }
      let tables = try #require(object["tables"] as? [[String: Any]])
      #expect(tables.allSatisfy { $0["rows"] is Int && $0["bytes"] is Int }, "\(name)")
      #expect(
        (object["indexes"] as? [[String: Any]])?.allSatisfy { ($0["columns"] as? [Any])?.isEmpty == false } == true)
    }
  }

  @Test("Dates that no calendar has are told as numbers", .damagesStores, arguments: [1e300, -1e300, .infinity, 3e11])
  func absurdDates(_ seconds: Double) throws {
    let store = try TemporaryStore.sampleLibrary()
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    let read = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
    #expect(try read.step())
    let bytes = try #require(read.blob(0))
    var list = try #require(
      try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any])
    read.reset()
    list["moment"] = Date(timeIntervalSinceReferenceDate: seconds)
    let write = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
    try write.bind(PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0), at: 1)
    try write.run()
    let times = try connection.prepare("UPDATE ATRANSACTION SET ZTIMESTAMP = ?")
    try times.bind(seconds, at: 1)
    try times.run()
    connection.close()
    let text = try storeTool.run(["inspect", "--all", store.url.path])
    #expect(text.status == 0 && text.errors.isEmpty, "\(text.errors)")
    #expect(text.output.contains("moment"))
    #expect(
      text.output.contains("from \(seconds) seconds since 2001 to \(seconds) seconds since 2001"), "\(text.output)")
    #expect(try storeTool.run(["inspect", "--json", store.url.path]).status == 0)
  }
}
