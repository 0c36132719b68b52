import Foundation
import StoreInspection
import TestSupport
import Testing

@Suite("store-tool doctor", .needsStoreTool)
struct DoctorTests: StoreToolSuite {
  private static let bundle = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld").path
  let store: TemporaryStore

  /// A copy of the sample store, of version 3.
  init() throws { store = try .sampleLibrary() }

  @Test("A store that opens as it is") func asItIs() throws {
    let before = try Data(contentsOf: store.url)
    let result = try storeTool.run(["doctor", path, "--model", Self.bundle])
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(
      result.output == """
        \(path)
          the store is of version “Library 3” of “Library.xcdatamodeld”
          opens with “Library 3” of “Library.xcdatamodeld” as it is
          check: in order

        """)
    #expect(names == ["Library.sqlite"])
    #expect(try Data(contentsOf: store.url) == before)
  }

  @Test("A store that would be migrated, with the changes in words") func migration() throws {
    let before = try Data(contentsOf: store.url)
    let result = try storeTool.run(["doctor", path, "--model", Self.bundle, "--model-version", "Library"])
    #expect(result.status == 0)
    #expect(
      result.output.contains("  opens with “Library” of “Library.xcdatamodeld” after a migration that is inferred:\n"))
    #expect(result.output.contains("    ~ entity “Borrower” is renamed from “Member”\n"))
    #expect(try Data(contentsOf: store.url) == before && names == ["Library.sqlite"])
    let json = try storeTool.run(["doctor", path, "--model", Self.bundle, "--model-version", "Library", "--json"])
    let opening = try #require(try JSONObject(json.output)["opening"] as? [String: Any])
    #expect(opening["answer"] as? String == "migration")
    #expect((opening["changes"] as? [[String: Any]])?.contains { $0["entity"] as? String == "Borrower" } == true)
  }

  @Test("A store that would be refused, with every reason and what to do") func refused() throws {
    // No store of version 3 has a text for what is a number now.
    let never = try storeTool.run(["doctor", path, "--model", Self.bundle, "--model-version", "Library 2"])
    #expect(never.status == 1)
    #expect(never.output.contains("  would be refused by “Library 2” of “Library.xcdatamodeld”:\n"))
    #expect(
      never.output.contains("property “fine” of entity “Loan” changes from Decimal to String — add a new property"))
    // Rows in the way, by their numbers.
    let model = try OutputFolder()
    let bundle = try model.bundle(
      try String(
        contentsOfFile: Self.bundle + "/Library 3.xcdatamodel/contents", encoding: .utf8
      ).replacing(
        #"<entity name="Category""#, with: #"<entity name="Category" versionHashModifier="x""#
      ).replacing(
        #/(<entity name="Category"[^>]*>)/#,
        with: {
          "\($0.1)<attribute name=\"one\" attributeType=\"String\"/><attribute name=\"two\" attributeType=\"String\"/>"
        }
      ))
    let rows = try storeTool.run(["doctor", path, "--model", bundle, "--json"])
    #expect(rows.status == 1, "\(rows.errors)")
    let opening = try #require(try JSONObject(rows.output)["opening"] as? [String: Any])
    #expect(opening["answer"] as? String == "refused")
    let obstacles = try #require(opening["obstacles"] as? [[String: Any]])
    #expect(obstacles.compactMap { $0["property"] as? String }.sorted() == ["one", "two"])
    let count = try storeTool.run(["sql", path, "SELECT count(*) FROM Category", "--csv"]).output
    #expect(obstacles.allSatisfy { "count(*)\r\n\($0["rows"] ?? "")\r\n" == count }, "\(obstacles) \(count)")
  }

  @Test("Repairs are offered, and made on a copy", .damagesStores) func output() throws {
    try execute(
      "DROP INDEX ZCHAPTER_ZBOOK_INDEX; UPDATE ZCHAPTER SET ZBOOK = 99 WHERE Z_PK = 1; UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Author'"
    )
    let before = try Data(contentsOf: store.url)
    let offered = try storeTool.run(["doctor", path])
    #expect(offered.status == 1)
    #expect(offered.output.contains("  check: 2 errors, 1 warning\n"))
    #expect(offered.output.contains("    error: ZCHAPTER_ZBOOK_INDEX: is missing (can be repaired)\n"))
    #expect(offered.output.contains("  3 findings can be repaired: use --output FILE or --repair\n"))
    let result = try storeTool.run(["doctor", path, "--output", place("Repaired.sqlite")])
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output.contains("    Author: Z_MAX is set to the largest key (1 row)\n"))
    // The chapter needs a book, which only a person can name.
    #expect(result.output.contains("  check after the repair: 1 warning\n"))
    #expect(result.output.contains("    warning: Chapter.book: NULL, though a value is required"))
    #expect(try Data(contentsOf: store.url) == before)
    #expect(try StoreChecker.report(URL(fileURLWithPath: place("Repaired.sqlite"))).isSound)
    #expect(names == ["Library.sqlite", "Repaired.sqlite"])
    let again = try storeTool.run(["doctor", path, "--output", place("Repaired.sqlite")])
    #expect(again.status == 2 && again.errors.contains("use --force"))
  }

  @Test(
    "--repair keeps the store as it was in STORE.backup, and makes none if there is nothing to repair", .damagesStores)
  func inPlace() throws {
    let sound = try storeTool.run(["doctor", path, "--repair"])
    #expect(sound.status == 0 && sound.output.contains("there is nothing that can be repaired"))
    #expect(names == ["Library.sqlite"])
    try execute("DROP INDEX ZCHAPTER_ZBOOK_INDEX")
    let result = try storeTool.run(["doctor", path, "--repair", "--json"])
    #expect(result.status == 0, "\(result.errors)")
    let document = try JSONObject(result.output)
    #expect(document["backup"] as? String == path + ".backup")
    #expect((document["repairs"] as? [[String: Any]])?.first?["rule"] as? String == "key-indexes")
    #expect((document["remaining"] as? [Any])?.isEmpty == true)
    #expect(try StoreChecker.report(store.url).isSound)
    #expect(try !StoreChecker.report(URL(fileURLWithPath: path + ".backup")).isSound)
    #expect(names == ["Library.sqlite", "Library.sqlite.backup"])
    // A backup is never overwritten.
    try execute("DROP INDEX ZCHAPTER_ZBOOK_INDEX")
    let second = try storeTool.run(["doctor", path, "--repair"])
    #expect(second.status == 2 && second.errors.contains("the file exists already"))
    #expect(try !StoreChecker.report(store.url).isSound)
  }

  @Test("--output writes nothing if there is nothing to repair, and says so", .damagesStores) func nothingToRepair()
    throws
  {
    let copy = place("Repaired.sqlite")
    for _ in 1...2 {
      let sound = try storeTool.run(["doctor", path, "--output", copy])
      #expect(sound.status == 0 && sound.errors.isEmpty)
      #expect(sound.output.hasSuffix("  there is nothing that can be repaired: \(copy) is not written\n"))
    }
    for option in [["--output", copy], ["--repair"]] {
      let document = try JSONObject(try storeTool.run(["doctor", path, "--json"] + option).output)
      #expect(document["isRepairNeeded"] as? Bool == false)
      #expect(document["repairedFile"] == nil && document["backup"] == nil)
      #expect((document["repairs"] as? [Any])?.isEmpty == true && (document["remaining"] as? [Any])?.isEmpty == true)
    }
    #expect(try JSONObject(try storeTool.run(["doctor", path, "--json"]).output)["isRepairNeeded"] == nil)
    // What only a person can repair is in the store and would be in the copy.
    try execute("UPDATE ZITEM SET ZISAVAILABLE = 'yes' WHERE Z_PK = 1")
    let byHand = try storeTool.run(["doctor", path, "--output", copy])
    #expect(byHand.status == 1 && byHand.output.contains("\(copy) is not written"), "\(byHand.output)")
    #expect(names == ["Library.sqlite"])
    // A file of an earlier run stays, also with --force.
    try Data("earlier".utf8).write(to: URL(fileURLWithPath: copy))
    #expect(try storeTool.run(["doctor", path, "--output", copy, "--force"]).status == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == Data("earlier".utf8))
    try execute("UPDATE ZITEM SET ZISAVAILABLE = 1 WHERE Z_PK = 1; DROP INDEX ZCHAPTER_ZBOOK_INDEX")
    let other = place("Other.sqlite")
    let needed = try JSONObject(try storeTool.run(["doctor", path, "--output", other, "--json"]).output)
    #expect(needed["isRepairNeeded"] as? Bool == true && needed["repairedFile"] as? String == other)
  }

  @Test("Damage that only a person can repair leaves the store as it is, and needs no backup", .damagesStores)
  func byHand() throws {
    try execute("UPDATE ZITEM SET ZISAVAILABLE = 'yes' WHERE Z_PK = 1")
    let result = try storeTool.run(["doctor", path, "--repair"])
    #expect(result.status == 1 && result.output.contains("there is nothing that can be repaired"), "\(result.output)")
    #expect(names == ["Library.sqlite"])
  }

  @Test("A model that was lost is written from the given one", .damagesStores) func lostModel() throws {
    try execute("DELETE FROM Z_MODELCACHE")
    let result = try storeTool.run(["doctor", path, "--model", Self.bundle, "--repair"])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("Z_MODELCACHE: the given model is written into the store"))
    #expect(try storeTool.run(["doctor", path]).output.contains("check: in order"))
  }

  @Test("Wrong uses are told") func usage() throws {
    for arguments in [["--repair", "--output", "x"], ["--force"], ["--model-version", "x"]] {
      #expect(try storeTool.run(["doctor", path] + arguments).status == 64, "\(arguments)")
    }
    let version = try storeTool.run(["doctor", path, "--model", Self.bundle, "--model-version", "Library 4"])
    #expect(version.status == 2 && version.errors.contains("the model has no version “Library 4” (did you mean"))
    #expect(version.errors.contains("name one of “Library”, “Library 2”, “Library 3”"), "\(version.errors)")
    #expect(try storeTool.run(["doctor", place("none")]).status == 2)
  }
}
