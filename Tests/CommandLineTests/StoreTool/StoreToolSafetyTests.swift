import CoreDataStore
import Foundation
import SQLite
import StoreInspection
import TestSupport
import Testing

/// No command of store-tool loses a store's values, or leaves a file that is half done.
@Suite("store-tool: safety", .needsStoreTool)
struct StoreToolSafetyTests {
  private static let samples = Fixtures.packageRoot.appendingPathComponent("SampleModels")
  private static let bundle = samples.appendingPathComponent("Library.xcdatamodeld").path
  private let place: TemporaryStore

  init() throws { place = try TemporaryStore() }

  private func path(_ name: String) -> String { place.folder.appendingPathComponent(name).path }
  private func data(_ name: String) throws -> Data { try Data(contentsOf: place.folder.appendingPathComponent(name)) }
  private var names: [String] {
    get throws { try FileManager.default.subpathsOfDirectory(atPath: place.folder.path).sorted() }
  }

  /// A copy of the sample store in which one cover image is in a file.
  ///
  /// - Returns: the file.
  @discardableResult
  private func makeStore(_ name: String, file: UUID = UUID(), damage: String = "") throws -> URL {
    let store = place.folder.appendingPathComponent(name)
    try FileManager.default.copyItem(at: Self.samples.appendingPathComponent("Library.sqlite"), to: store)
    let connection = try Connection(path: store.path, mode: .readWrite)
    try connection.execute(
      "UPDATE ZITEM SET ZCOVERIMAGE = CAST(x'02' || '\(file.uuidString)' || x'00' AS BLOB) WHERE Z_PK = 1; \(damage)")
    connection.close()
    let folder = ExternalDataFolder(storePath: store.path).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let value = URL(fileURLWithPath: folder).appendingPathComponent(file.uuidString)
    try Data(repeating: 7, count: 200_000).write(to: value)
    return value
  }

  // MARK: Folders of big values

  @Test("copy --force over a plain copy of a store keeps the files of the store", .damagesStores)
  func sharedFolder() throws {
    let value = try makeStore("Library.sqlite")
    try FileManager.default.copyItem(atPath: path("Library.sqlite"), toPath: path("Library.backup"))
    try makeStore("Other.sqlite", damage: "DROP INDEX ZCHAPTER_ZBOOK_INDEX")
    let before = try (names, data("Library.backup"))
    for arguments in [
      ["copy", path("Other.sqlite"), path("Library.backup"), "--force"],
      ["doctor", path("Other.sqlite"), "--output", path("Library.backup"), "--force"],
      [
        "migrate", path("Other.sqlite"), "--to", Self.bundle, "--model-version", "Library 2", "--output",
        path("Library.backup"), "--force",
      ],
    ] {
      let result = try storeTool.run(arguments)
      #expect(result.status == 2 || arguments[0] == "migrate" && result.status == 1, "\(arguments[0])")
      if result.status == 2 {
        #expect(
          result.errors
            == """
            \(path("Library.backup")): error: its big values would be in “\(value.deletingLastPathComponent().path)”, \
            which belongs to the store “\(path("Library.sqlite"))” — name a file in another folder, or a file whose \
            name differs in more than the extension

            """)
      }
      #expect(FileManager.default.fileExists(atPath: value.path))
      #expect(try names == before.0 && data("Library.backup") == before.1)
    }
  }

  @Test("migrate --output writes neither over the store nor into its folder") func migratedOutput() throws {
    try makeStore("Library.sqlite")
    let before = try (names, data("Library.sqlite"))
    for (output, message) in [("Library.sqlite", "it is the store that is copied"), ("Library.v1", "belongs to")] {
      let result = try storeTool.run([
        "migrate", path("Library.sqlite"), "--to", Self.bundle, "--model-version", "Library", "--output", path(output),
        "--force",
      ])
      #expect(result.status == 2 && result.errors.contains(message), "\(result.errors)")
      #expect(try names == before.0 && data("Library.sqlite") == before.1)
    }
    let result = try storeTool.run([
      "migrate", path("Library.sqlite"), "--to", Self.bundle, "--model-version", "Library", "--output", path("New"),
    ])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try StoreChecker.report(place.folder.appendingPathComponent("New")).isSound)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: path(".New_SUPPORT")).count == 2)
    #expect(try data("Library.sqlite") == before.1)
  }

  @Test("A store without an extension has a backup with a folder of its own", .damagesStores) func backup() throws {
    let value = try makeStore("Library", damage: "DROP INDEX ZCHAPTER_ZBOOK_INDEX")
    let result = try storeTool.run(["doctor", path("Library"), "--repair"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("the store as it was: \(path("Library-backup"))"))
    #expect(FileManager.default.fileExists(atPath: value.path))
    #expect(
      FileManager.default.fileExists(atPath: path(".Library-backup_SUPPORT/_EXTERNAL_DATA/\(value.lastPathComponent)")))
    // The user cannot name another place for a backup.
    let migrated = try storeTool.run(["migrate", path("Library"), "--to", Self.bundle, "--model-version", "Library"])
    #expect(migrated.status == 2)
    #expect(
      migrated.errors.contains(
        """
        \(path("Library-backup")): error: the backup cannot be made here: the file exists already — it may be the store \
        before an earlier run: move it, or remove it if nothing needs it
        """))
    try FileManager.default.removeItem(atPath: path("Library-backup"))
    try FileManager.default.removeItem(atPath: path(".Library-backup_SUPPORT"))
    let again = try storeTool.run(["migrate", path("Library"), "--to", Self.bundle, "--model-version", "Library"])
    #expect(again.status == 0, "\(again.errors)")
    #expect(FileManager.default.fileExists(atPath: value.path))
    #expect(try names.filter { $0.contains("backup") } == [])
  }

  @Test("A backup that would share the folder of another store is refused, with a way out", .damagesStores)
  func sharedBackup() throws {
    try makeStore("Library.sqlite", damage: "DROP INDEX ZCHAPTER_ZBOOK_INDEX")
    try makeStore("Library.sqlite.old")
    let result = try storeTool.run(["doctor", path("Library.sqlite"), "--repair"])
    #expect(result.status == 2)
    #expect(result.errors.contains("error: the backup cannot be made here: its big values would be in"))
    #expect(result.errors.contains("— write the result to a file in another folder: --output FILE"))
    #expect(try !StoreChecker.report(place.folder.appendingPathComponent("Library.sqlite")).isSound)
  }

  // MARK: Repairs

  @Test("doctor --output writes a repaired copy, or nothing", .damagesStores) func repairedOutput() throws {
    try makeStore("Library.sqlite", damage: "DROP INDEX ZCHAPTER_ZBOOK_INDEX")
    // A page of a table that cannot be read is damage that nothing repairs.
    let connection = try Connection(path: path("Library.sqlite"), mode: .readWrite)
    let page = try #require(try connection.integer("SELECT rootpage FROM sqlite_master WHERE name = 'ZCATEGORY'"))
    let size = try #require(try connection.integer("PRAGMA page_size"))
    connection.close()
    let file = try FileHandle(forUpdating: place.folder.appendingPathComponent("Library.sqlite"))
    try file.seek(toOffset: UInt64((page - 1) * size))
    try file.write(contentsOf: Data(repeating: 0x55, count: Int(size)))
    try file.close()
    let former = try makeStore("Repaired.sqlite")
    let before = try (names, data("Repaired.sqlite"))
    for output in ["Repaired.sqlite", "New.sqlite"] {
      let result = try storeTool.run(["doctor", path("Library.sqlite"), "--output", path(output), "--force"])
      #expect(result.status == 2, "\(result.output)")
      #expect(result.errors.hasPrefix("\(path("Library.sqlite")): error: the store is damaged"), "\(result.errors)")
      #expect(try names == before.0 && data("Repaired.sqlite") == before.1)
      #expect(FileManager.default.fileExists(atPath: former.path))
    }
    let inPlace = try storeTool.run(["doctor", path("Library.sqlite"), "--repair"])
    #expect(inPlace.status == 2 && inPlace.errors.contains("error: the store is damaged"), "\(inPlace.errors)")
    #expect(try names == before.0)
    // Tables on other pages are read, as the message says.
    let all = try storeTool.run(["dump", path("Library.sqlite")])
    #expect(all.status == 2 && all.errors.contains("store-tool dump --entity prints its objects"), "\(all.errors)")
    #expect(!all.errors.contains("another store"), "\(all.errors)")
    try Data(repeating: 1, count: 100).write(to: place.folder.appendingPathComponent("Library.sqlite-wal"))
    let withLog = try storeTool.run(["dump", path("Library.sqlite")])
    #expect(withLog.errors.contains("move away its -wal file if that belongs to another store"), "\(withLog.errors)")
    try FileManager.default.removeItem(atPath: path("Library.sqlite-wal"))
    let authors = try storeTool.run(["dump", path("Library.sqlite"), "--entity", "Author"])
    #expect(authors.status == 0 && authors.output.contains("Dumas"), "\(authors.errors)")
  }

  // MARK: Temporary copies

  @Test("A temporary copy that a killed run left is removed by the next run, and one in use is not") func trials()
    throws
  {
    try makeStore("Library.sqlite")
    let temporary = try TemporaryStore()
    func leave(_ name: String) throws -> String {
      let folder = temporary.folder.appendingPathComponent(".store-tool.\(name)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data([1]).write(to: URL(fileURLWithPath: folder).appendingPathComponent("store"))
      return folder
    }
    _ = try leave("trial-\(UUID().uuidString)")
    _ = try leave("import-\(UUID().uuidString)")
    let inUse = try leave("trial-\(UUID().uuidString)")
    let held = open(inUse, O_RDONLY)
    defer { close(held) }
    #expect(flock(held, LOCK_EX) == 0)
    let setUp = "export TMPDIR='\(temporary.folder.path)'"
    let doctor = try storeTool.run(
      ["doctor", path("Library.sqlite"), "--model", Self.bundle, "--model-version", "Library"], after: setUp)
    #expect(doctor.status == 0, "\(doctor.errors)")
    let line = #"{"$entity":"Category","name":"x"}"#
    let imported = try storeTool.run(
      ["import", path("Library.sqlite"), "-"], after: "\(setUp); exec < '\(try file(line))'")
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: temporary.folder.path)
        == [URL(fileURLWithPath: inUse).lastPathComponent])
  }

  private func file(_ text: String) throws -> String {
    let url = place.folder.appendingPathComponent("input")
    try Data(text.utf8).write(to: url)
    return url.path
  }

  // MARK: What stays behind

  @Test("migrate tells how many objects go with their entities, in a dry run too") func removedObjects() throws {
    try makeStore("Library.sqlite")
    let arguments = ["migrate", path("Library.sqlite"), "--to", Self.bundle, "--model-version", "Library"]
    for options in [["--dry-run"], ["--output", path("New.sqlite")], []] {
      let text = try storeTool.run(arguments + options)
      #expect(text.output.contains("\n  left behind: 1 object of entity “Loan”\n"), "\(options): \(text.output)")
      if options == ["--dry-run"] {
        let json = try JSONObject(try storeTool.run(arguments + options + ["--json"]).output)
        #expect(json["objectsLeftBehind"] as? [String: Int] == ["Loan": 1])
      }
    }
  }

  @Test(
    "migrate tells which tables of other programs stay behind, in a dry run too",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
  func tablesLeftBehind() throws {
    let folder = "mappings/hwaxxer__BookMigration/"
    try FileManager.default.copyItem(
      at: Fixtures.url(folder + "Model1.sqlite"), to: URL(fileURLWithPath: path("Books")))
    let connection = try Connection(path: path("Books"), mode: .readWrite)
    try connection.execute("CREATE TABLE NOTES (A)")
    connection.close()
    let arguments = [
      "migrate", path("Books"), "--to", Fixtures.url("models/hwaxxer__BookMigration/Model.xcdatamodeld").path,
      "--model-version", "Model2", "--plan", Fixtures.url(folder + "Model1_to_Model2.xcmappingmodel").path,
      "--skip-policies",
    ]
    let json = try JSONObject(try storeTool.run(arguments + ["--dry-run", "--json"]).output)
    let mappings = try #require(json["mappings"] as? [[String: Any]])
    #expect(mappings.map { $0["tablesLeftBehind"] as? [String] } == [["NOTES"]])
    for options in [["--dry-run"], []] {
      let result = try storeTool.run(arguments + options)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("  left behind: the table “NOTES” of another program\n"), "\(result.output)")
    }
  }

  // MARK: Paths

  @Test("Paths that lead to no store are told with what to do") func paths() throws {
    try makeStore("-x.sqlite")
    try Data("notes".utf8).write(to: place.folder.appendingPathComponent("notes"))
    try FileManager.default.createDirectory(atPath: path("folder"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: path("broken"), withDestinationPath: "none")
    let cases: [([String], Int32, String)] = [
      (["inspect", "-x.sqlite"], 64, "'-x.sqlite' is taken for an option: write './-x.sqlite'."),
      // The parser finds an `-h` in these.
      (["check", "-h.sqlite"], 64, "'-h.sqlite' is taken for an option: write './-h.sqlite'."),
      (["import", "./-x.sqlite", "-house.json"], 64, "'-house.json' is taken for an option: write './-house.json'."),
      (["check", ""], 64, "The value '' is invalid for '<stores>': the path is empty."),
      (["inspect", "x", "--model", ""], 64, "the path is empty."),
      (["copy", "x", ""], 64, "the path is empty."),
      (["inspect", "broken"], 2, "is a symbolic link to a file that does not exist — correct the link"),
      (["import", "broken", "notes"], 2, "is a symbolic link to a file that does not exist — correct the link"),
      (["dump", "notes/x/y"], 2, "does not exist: “\(path("notes"))” is a file, not a folder — correct the path"),
      (["copy", "./-x.sqlite", "folder"], 2, "\(path("folder")): error: it is a folder — name another file"),
      (["copy", "./-x.sqlite", "notes/x"], 2, "“\(path("notes"))” is a file, not a folder — name another file"),
      (
        ["migrate", "./-x.sqlite", "--to", Self.bundle, "--plan", "notes"], 2, "the file is no mapping model — name an"
      ),
      (["history", "./-x.sqlite", "--entity", "Zz"], 2, "has no entity “Zz” — store-tool inspect lists the entities"),
    ]
    for (arguments, status, message) in cases {
      let result = try storeTool.run(arguments, after: "cd '\(place.folder.path)'")
      #expect(result.status == status && result.output.isEmpty, "\(arguments)")
      #expect(result.errors.contains(message), "\(arguments): \(result.errors)")
    }
    for help in [["check", "-h"], ["check", "-help"], ["check", "-h.sqlite", "--help"], ["help", "check"]] {
      let result = try storeTool.run(help)
      #expect(result.status == 0 && result.output.hasPrefix("OVERVIEW: Checks stores"), "\(help)")
    }
    let dashed = try storeTool.run(["copy", "--", "-x.sqlite", "-y sqlite"], after: "cd '\(place.folder.path)'")
    #expect(dashed.status == 0, "\(dashed.errors)")
  }

  @Test(
    "A hidden file with the process's number in its name is in no export's way, and stays", arguments: ["csv", "json"])
  func foreignDraft(_ format: String) throws {
    try makeStore("Library.sqlite")
    // The tool gets the process number of the shell.
    let result = try storeTool.run(
      ["export", "Library.sqlite", "-f", format, "-o", format == "csv" ? "." : "x"],
      after: "cd '\(place.folder.path)'; echo mine > .0.$$.partial")
    #expect(result.status == 0, "\(result.errors)")
    let left = try #require(try names.first { $0.hasSuffix(".partial") })
    #expect(try data(left) == Data("mine\n".utf8))
  }

  @Test("A statement that is too long is refused, not cut") func longStatement() throws {
    try makeStore("Library.sqlite")
    let text = try file("SELECT 1" + String(repeating: " ", count: 1 << 20) + "; DROP TABLE ZITEM")
    let result = try storeTool.run(["sql", path("Library.sqlite")], after: "exec < '\(text)'")
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(result.errors.contains("the statement is longer than 1048576 bytes"))
  }

  @Test(
    "A run whose summary cannot be written says what it has saved", .damagesStores, arguments: [false, true],
    [
      ("import S LINE --lenient", "the objects are saved in S.sqlite"),
      ("copy S New.sqlite", "the copy is written to New.sqlite"),
      ("doctor S --output New.sqlite", "the copy is written to New.sqlite"),
      ("doctor S --repair", "the repairs are saved in S.sqlite"),
      (
        "migrate S --to BUNDLE --model-version Library --output New.sqlite",
        "the migrated store is written to New.sqlite"
      ),
      ("migrate S --to BUNDLE --model-version Library", "the store is migrated"),
      ("export S -f csv -o New", "the data is written to New"),
    ])
  func summary(_ json: Bool, _ run: (command: String, saved: String)) throws {
    try makeStore("S.sqlite", damage: "DROP INDEX ZCHAPTER_ZBOOK_INDEX")
    _ = try file(#"{"$entity":"Category","name":"x"}"#)
    let words = ["S": "S.sqlite", "LINE": "input", "BUNDLE": Self.bundle]
    let arguments = run.command.split(separator: " ").map { words[String($0)] ?? String($0) }
    let result = try storeTool.run(
      arguments + (json ? ["--json"] : []), after: "cd '\(place.folder.path)'; exec > /dev/full")
    let message = try #require(result.errors.split(separator: "\n").last)
    // Without JSON, the changes of a migration are printed before it begins.
    let isSaved = json || !run.command.hasPrefix("migrate")
    #expect(result.status == 2)
    #expect(
      message == "standard output: error: the output cannot be written: No space left on device"
        + (isSaved
          ? ", but \(run.saved) — do not repeat the run: only what it prints is missing"
          : " — see that the disk has room"))
  }

  @Test("A new store stays when only its report cannot be written") func report() throws {
    let line = try file(#"{"$entity":"Category","name":"x"}"#)
    let result = try storeTool.run(
      ["import", path("New.sqlite"), line, "--model", Self.bundle, "--lenient"], after: "exec > /dev/full")
    #expect(result.status == 2, "\(result.errors)")
    #expect(
      try storeTool.run(["sql", path("New.sqlite"), "SELECT name FROM Category", "--csv"]).output == "name\r\nx\r\n")
  }
}
