import CoreDataStore
import Foundation
import SQLite
import StoreInspection
import TestSupport
import Testing

@Suite("store-tool migrate", .needsStoreTool)
struct MigrateStoreTests: StoreToolSuite {
  private static let bundle = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld").path
  let store: TemporaryStore

  /// A store of version 1 with two books.
  init() throws {
    store = try TemporaryStore(name: "Old.sqlite")
    let lines = store.folder.appendingPathComponent("lines")
    try Data(
      #"""
      {"$entity":"Book","$id":"a","title":"Emma","isbn":"1","pages":312}
      {"$entity":"Book","$id":"b","title":"Persuasion","isbn":"2"}
      """#.utf8
    ).write(to: lines)
    let result = try storeTool.run(
      ["import", store.url.path, lines.path, "--model", Self.bundle + "/Library.xcdatamodel", "--lenient"])
    guard result.status == 0 else { throw CocoaError(.fileWriteUnknown, userInfo: ["text": result.errors]) }
    try FileManager.default.removeItem(at: lines)
  }

  private func pages(_ path: String) throws -> String {
    try storeTool.run(["sql", path, "SELECT title, pageCount FROM Book ORDER BY title", "--csv"]).output
  }

  private func check(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let url = URL(fileURLWithPath: path)
    #expect(try StoreChecker.report(url).isSound, sourceLocation: sourceLocation)
    try Oracle.expectSound(url, sourceLocation: sourceLocation)
  }

  @Test("A dry run prints the changes in words, then the SQL, and writes nothing") func dryRun() throws {
    let before = try Data(contentsOf: store.url)
    let result = try storeTool.run(["migrate", path, "--to", Self.bundle, "--dry-run"])
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(
      lines.first == "\(path): version “Library” of “Library.xcdatamodeld” → “Library 3” of “Library.xcdatamodeld”")
    #expect(lines.contains("  ~ entity “Member” is renamed from “Borrower”"))
    #expect(lines.contains("BEGIN IMMEDIATE;") && lines.contains("COMMIT;"))
    #expect(lines.contains { $0.contains("RENAME") || $0.contains("INSERT INTO") })
    #expect(try Data(contentsOf: store.url) == before && names == ["Old.sqlite"])
    let json = try JSONObject(
      try storeTool.run(["migrate", path, "--to", Self.bundle, "--dry-run", "--json"]).output)
    #expect(json["result"] as? String == "planned" && (json["sql"] as? [String])?.last == "COMMIT;")
  }

  @Test("A change that no rows allow is marked, and is not said to be done", arguments: [false, true])
  func impossibleChange(_ isDry: Bool) throws {
    let source = Self.bundle + "/Library.xcdatamodel/contents"
    let text = try String(contentsOfFile: source, encoding: .utf8)
    let folder = store.folder.appendingPathComponent("New.xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    func migrate(isbn type: String) throws -> RunningProgram.Result {
      let changed = text.replacing(/name="isbn"([^>]*)attributeType="String"/) {
        "name=\"isbn\"\($0.output.1)attributeType=\"\(type)\""
      }
      try changed.write(to: folder.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
      return try storeTool.run(["migrate", path, "--to", folder.path] + (isDry ? ["--dry-run"] : []))
    }
    let result = try migrate(isbn: "Date")
    #expect(result.status == 1)
    #expect(result.errors.contains("property “isbn” of entity “Book” changes from"), "\(result.errors)")
    #expect(result.output.contains("\n  ! entity “Book”, property “isbn” has type"), "\(result.output)")
    #expect(result.output.hasSuffix("\n  ! Core Data would not infer this\n"), "\(result.output)")
    let possible = try migrate(isbn: "URI")
    #expect(possible.status == 0)
    #expect(
      possible.output.contains("\n  ! Core Data would not infer this; it is done here where the rows allow it\n"),
      "\(possible.output)")
  }

  @Test("A store is migrated in its place, and its backup goes, or stays on demand") func inPlace() throws {
    let result = try storeTool.run(["migrate", path, "--to", Self.bundle])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.hasSuffix("\nmigrated\n"))
    #expect(try pages(path) == "title,pageCount\r\nEmma,312\r\nPersuasion,0\r\n")
    #expect(names == ["Old.sqlite"])
    try check(path)
    let again = try storeTool.run(["migrate", path, "--to", Self.bundle])
    #expect(again.status == 0)
    #expect(again.output == "\(path): has the model “Library 3” of “Library.xcdatamodeld” already\n")
    let back = try storeTool.run(
      ["migrate", path, "--to", Self.bundle, "--model-version", "Library", "--keep-backup"])
    #expect(back.status == 0, "\(back.errors)")
    #expect(back.output.contains("the store as it was: \(path).backup"))
    #expect(try pages(path + ".backup") == "title,pageCount\r\nEmma,312\r\nPersuasion,0\r\n")
    try check(path)
    try check(path + ".backup")
  }

  @Test("A copy is migrated, and the store stays as it is") func output() throws {
    let before = try Data(contentsOf: store.url)
    let result = try storeTool.run(["migrate", path, "--to", Self.bundle, "--output", place("New.sqlite"), "--json"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try JSONObject(result.output)["result"] as? String == "migrated")
    #expect(try Data(contentsOf: store.url) == before && names == ["New.sqlite", "Old.sqlite"])
    #expect(try pages(place("New.sqlite")).hasPrefix("title,pageCount\r\nEmma,312\r\n"))
    try check(place("New.sqlite"))
    let again = try storeTool.run(["migrate", path, "--to", Self.bundle, "--output", place("New.sqlite")])
    #expect(again.status == 2 && again.errors.contains("use --force"))
  }

  @Test("Rows in the way are told with their number; the store and its folder are as they were") func refused() throws {
    let model = try OutputFolder()
    let bundle = try model.bundle(
      try String(contentsOfFile: Self.bundle + "/Library.xcdatamodel/contents", encoding: .utf8)
        .replacing(
          #/(<entity name="Book"[^>]*>)/#, with: { "\($0.1)<attribute name=\"shelf\" attributeType=\"String\"/>" }))
    let before = try Data(contentsOf: store.url)
    for arguments in [[], ["--dry-run"], ["--output", place("New.sqlite")], ["--json"]] {
      let result = try storeTool.run(["migrate", path, "--to", bundle] + arguments)
      #expect(result.status == 1, "\(arguments): \(result.errors)")
      #expect(
        result.errors.contains(
          "property “shelf” of entity “Book” is mandatory, and 2 rows would have no value of it — give it a default value"
        ),
        "\(arguments): \(result.errors)")
      if arguments == ["--json"] { #expect(try JSONObject(result.output)["result"] as? String == "refused") }
      #expect(names == ["Old.sqlite"], "\(arguments)")
    }
    let after = try Data(contentsOf: store.url)
    #expect(after == before)
  }

  @Test("A store that another program holds is not migrated") func locked() async throws {
    let holder = try Connection(path: path, mode: .readWrite)
    defer { holder.close() }
    try holder.execute("BEGIN IMMEDIATE; UPDATE ZITEM SET ZTITLE = 'x'")
    // The program waits some seconds for the lock; no thread waits for the program.
    let tool = try #require(storeTool.url).path
    let result = try await RunningProgram.run(tool, ["migrate", path, "--to", Self.bundle])
    #expect(result.status == 2 && result.errors.contains("the store is locked"), "\(result.errors)")
    // Nothing was written, so that no backup is left.
    #expect(!FileManager.default.fileExists(atPath: "\(path).backup"))
    try holder.execute("ROLLBACK")
    #expect(try storeTool.run(["doctor", path, "--model", Self.bundle]).output.contains("is of version “Library” of"))
  }

  @Test(
    "Mapping models bring a real store to the newest version",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
  func mappings() throws {
    let folder = "mappings/hwaxxer__BookMigration/"
    let bundle = Fixtures.url("models/hwaxxer__BookMigration/Model.xcdatamodeld").path
    let book = place("Books.sqlite")
    try FileManager.default.copyItem(at: Fixtures.url(folder + "Model1.sqlite"), to: URL(fileURLWithPath: book))
    let plan =
      ["--plan"] + ["Model1_to_Model2", "Model2_to_Model3"].map { Fixtures.url(folder + $0 + ".xcmappingmodel").path }
    let arguments = ["migrate", book, "--to", bundle, "--model-version", "Model3"] + plan
    let before = try Data(contentsOf: URL(fileURLWithPath: book))
    let tried = try storeTool.run(arguments + ["--dry-run", "--skip-policies"])
    #expect(tried.status == 0, "\(tried.errors)")
    #expect(tried.output.contains("mapping model “Model1_to_Model2”:\n"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: book)) == before)
    let result = try storeTool.run(arguments + ["--json", "--skip-policies"])
    #expect(result.status == 0, "\(result.errors)")
    let mappings = try #require(try JSONObject(result.output)["mappings"] as? [[String: Any]])
    #expect(mappings.map { $0["name"] as? String } == ["Model1_to_Model2", "Model2_to_Model3"])
    let doctor = try storeTool.run(["doctor", book, "--model", bundle, "--model-version", "Model3"])
    #expect(doctor.output.contains("as it is"), "\(doctor.output)")
    #expect(names == ["Books.sqlite", "Old.sqlite"])
    // The second mapping does not begin at the version that the store has now.
    let wrong = try storeTool.run(
      ["migrate", book, "--to", bundle, "--model-version", "Model1"] + plan + ["--skip-policies"])
    #expect(
      wrong.status == 2 && wrong.errors.contains("the source of the mapping model “Model1_to_Model2”"),
      "\(wrong.errors)")
    #expect(names == ["Books.sqlite", "Old.sqlite"])
  }

  @Test("Wrong uses are told") func usage() throws {
    for arguments in [
      ["--dry-run", "--output", "x"], ["--force"], ["--dry-run", "--keep-backup"], ["--skip-policies"],
    ] {
      #expect(try storeTool.run(["migrate", path, "--to", Self.bundle] + arguments).status == 64, "\(arguments)")
    }
    #expect(try storeTool.run(["migrate", path]).status == 64)
    #expect(try storeTool.run(["migrate", path, "--to", place("none")]).status == 2)
  }
}
