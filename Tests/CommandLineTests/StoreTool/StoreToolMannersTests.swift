import Foundation
import SQLite
import TestSupport
import Testing

@testable import ToolConsole

/// How store-tool behaves where it is used otherwise than its examples show.
@Suite("store-tool: manners", .needsStoreTool)
struct StoreToolMannersTests: StoreToolSuite {
  private static let samples = Fixtures.packageRoot.appendingPathComponent("SampleModels")
  let store: TemporaryStore

  init() throws { store = try .sampleLibrary() }

  /// Runs a line of a shell, whose `$0` is the tool and `$1` the store.
  private func shell(_ line: String) throws -> BuiltTool.Result {
    try BuiltTool(url: URL(fileURLWithPath: "/bin/sh")).run(["-c", line, storeTool.url?.path ?? "", path])
  }

  /// Runs a line of a shell that takes its time, and holds no thread meanwhile.
  private func slowShell(_ line: String) async throws -> BuiltTool.Result {
    try await RunningProgram.run("/bin/sh", ["-c", line, storeTool.url?.path ?? "", path])
  }

  // MARK: Permissions

  @Test("A store that may not be written is told with what its user can do", .needsNobody)
  func permissions() throws {
    let lines = place("lines.jsonl")
    try Data(#"{"$entity":"Category","name":"x","shelfOrder":1}"#.utf8).write(to: URL(fileURLWithPath: lines))
    let manager = FileManager.default
    func allow(folder: Int, file: Int) throws {
      try manager.setAttributes([.posixPermissions: file], ofItemAtPath: path)
      try manager.setAttributes([.posixPermissions: folder], ofItemAtPath: store.folder.path)
    }
    defer { try? allow(folder: 0o755, file: 0o644) }
    try allow(folder: 0o777, file: 0o444)
    let file = try storeTool.runAsNobody(["import", path, lines])
    #expect(file.status == 2)
    #expect(
      file.errors
        == "\(path): error: the store cannot be written: the file may only be read — "
        + "change the file's permissions, or work on a copy: store-tool copy\n")
    try allow(folder: 0o555, file: 0o666)
    let folder = try storeTool.runAsNobody(["import", path, lines])
    #expect(folder.status == 2)
    #expect(
      folder.errors.hasSuffix(
        " — change the folder's permissions, as files are written beside the store; or work on a copy in another folder: "
          + "store-tool copy\n"), "\(folder.errors)")
  }

  // MARK: Streams

  @Test(
    "A reader that is gone ends every verb without a word, whatever the parent made of the signal",
    arguments: [
      "inspect $1 --json", "inspect $1 --all", "check $1", "check $1 --json", "dump $1", "sql $1 'SELECT * FROM Book'",
      "diff $1 $1", "diff $1 $1 --json", "export $1 -f json -o $1.json --force", "--help", "dump --help",
    ])
  func closedPipes(_ arguments: String) async throws {
    for signal in ["trap '' PIPE", "trap - PIPE"] {
      let result = try await slowShell(
        "\(signal); \(BuiltTool.closingPipe(of: "\"$0\" \(arguments)", beside: "$1"))")
      #expect(result.output == "141\n", "\(signal)")
      #expect(result.errors.isEmpty, "\(signal): \(result.errors)")
    }
  }

  @Test("A full disk is told in the system's words", arguments: ["inspect", "check", "dump", "--help"])
  func fullDisk(_ verb: String) throws {
    let result = try storeTool.run([verb, path], after: "exec > /dev/full")
    #expect(result.status == 2)
    #expect(
      result.errors
        == "standard output: error: the output cannot be written: No space left on device — see that the disk has room\n"
    )
  }

  @Test("A file that cannot be written is told by its own name, not the store's", arguments: ["csv", "json", "sqlite"])
  func fullFile(_ format: String) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("UPDATE ZITEM SET ZTITLE = hex(zeroblob(40000))")
    connection.close()
    // 64 blocks of 512 bytes are enough for what SQLite keeps beside a store; standard error is a pipe, which has no limit.
    let result = try shell("{ ulimit -f 64; \"$0\" export $1 -f \(format) -o $1.out; } 2>&1 | cat")
    #expect(result.output.hasPrefix("\(path).out"), "\(result.output)")
    #expect(result.output.contains(": error: the output cannot be written: "), "\(result.output)")
    #expect(names == ["Library.sqlite"])
  }

  @Test("A failure is a JSON document too where JSON was asked for")
  func failures() throws {
    for arguments in [
      ["inspect", place("none")], ["diff", path, place("none")], ["sql", path, "SELEC"],
      ["export", place("none"), "-f", "json", "-o", place("x")], ["import", place("none"), place("none")],
    ] {
      let result = try storeTool.run(arguments + ["--json"])
      #expect(result.status == 2)
      let diagnostics = try #require(try JSONObject(result.output)["diagnostics"] as? [[String: Any]])
      #expect(diagnostics.map { $0["severity"] as? String } == ["error"], "\(arguments)")
      #expect(!result.errors.isEmpty)
    }
  }

  @Test("What the library logs is told as the tool tells everything", .damagesStores)
  func logs() throws {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute(
      "UPDATE ZITEM SET ZCOVERIMAGE = x'02' || CAST('9A5E8C4B-0000-4000-8000-000000000000' AS BLOB) || x'00'")
    connection.close()
    let result = try storeTool.run(["dump", path])
    #expect(result.status == 0)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.contains(": warning: ") && !$0.contains("CoreDataStore:") }, "\(result.errors)")
  }

  // MARK: Stores in use

  @Test("A store that another program holds is told as such, and nothing is half done")
  func locked() async throws {
    try Data(#"{"$entity":"Category","name":"x"}"#.utf8).write(to: store.folder.appendingPathComponent("lines"))
    let holder = try Connection(path: path, mode: .readWrite)
    try holder.setPragma("locking_mode", "EXCLUSIVE")
    try holder.execute("BEGIN EXCLUSIVE; UPDATE ZCATEGORY SET ZSHELFORDER = 9")
    let before = names
    // All commands wait for the lock at the same time.
    let tool = try #require(storeTool.url).path
    let programs = try [
      ["dump", path], ["sql", path, "SELECT 1"], ["export", path, "-f", "json", "-o", "out.json"],
      ["import", path, "lines"],
    ].map { ($0[0], try RunningProgram(tool, $0, in: store.folder)) }
    for (verb, program) in programs {
      let result = try await program.result()
      #expect(result.status == 2 && result.output.isEmpty, "\(verb)")
      #expect(
        result.errors
          == "\(path): error: the store is locked: another connection or process holds it — wait until the other program is done, or end it\n",
        "\(verb)")
    }
    #expect(names == before)
    try holder.execute("ROLLBACK")
    holder.close()
  }

  @Test("A store without a model says by which option one is named", .damagesStores) func noModel() throws {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("DELETE FROM Z_MODELCACHE")
    connection.close()
    let result = try storeTool.run(["dump", path])
    #expect(
      result.errors
        == "\(path): error: the store carries no model of its own, and none was given — name the model it was made with: --model\n"
    )
  }

  // MARK: Files

  @Test(
    "Nothing is put where the store's own files belong, there or not", arguments: ["", "-wal", "-shm", "-journal"])
  func companions(_ suffix: String) throws {
    try FileManager.default.createSymbolicLink(atPath: place("linked"), withDestinationPath: store.folder.path)
    for target in [path + suffix, place("linked/Library.sqlite") + suffix] {
      let result = try storeTool.run(["export", path, "-f", "sqlite", "-o", target, "--force"])
      #expect(result.status == 2)
      #expect(result.errors.contains("the store"), "\(result.errors)")
    }
    #expect(names == ["Library.sqlite", "linked"])
    #expect(
      try Data(contentsOf: store.url) == Data(contentsOf: Self.samples.appendingPathComponent("Library.sqlite")))
  }

  @Test("A stream or a folder is no place for a file, and a place that cannot be is told by its name")
  func places() throws {
    #expect(try storeTool.run(["export", path, "-f", "json", "-o", "-"]).status == 64)
    #expect(try storeTool.run(["export", path, "-f", "json", "-o", place("out") + "/"]).status == 64)
    let result = try storeTool.run(["export", path, "-f", "json", "-o", "/proc/out.json"])
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("/proc/out.json: error: the output cannot be written: "), "\(result.errors)")
    #expect(names == ["Library.sqlite"])
  }

  @Test("Standard input that cannot be read is told with the system's reason") func unreadableInput() throws {
    for arguments in [["import", path, "-"], ["sql", path]] {
      let result = try storeTool.run(arguments, after: "exec < /")
      #expect(result.status == 2)
      #expect(
        result.errors.hasPrefix("standard input: error: it cannot be read: Is a directory — "), "\(result.errors)")
    }
  }

  @Test("A killed import leaves no file anywhere") func spool() throws {
    let lines = (0..<30_000).map { #"{"$entity":"Category","name":"\#($0)","shelfOrder":1}"# }
    try Data(lines.joined(separator: "\n").utf8).write(to: store.folder.appendingPathComponent("lines"))
    try FileManager.default.createDirectory(atPath: place("tmp"), withIntermediateDirectories: false)
    let result = try shell(
      """
      export TMPDIR=$1.tmp SQLITE_TMPDIR=$1.tmp; mkdir $TMPDIR; cd "$(dirname "$1")"
      mkfifo more; (cat lines; exec sleep 9) > more & writer=$!
      "$0" import "$1" - < more > /dev/null & sleep 0.7; kill -9 $!; wait $! 2> /dev/null; kill $writer; ls $TMPDIR
      """)
    #expect(result.output.isEmpty)
    #expect(try storeTool.run(["check", path]).status == 0)
    #expect(try storeTool.run(["sql", path, "SELECT count(*) AS n FROM Category"]).output == "n\n-\n2\n")
  }

  // MARK: Text

  @Test("A terminal is shown no control characters, in whatever form")
  func terminals() throws {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("UPDATE ZCATEGORY SET ZNAME = Z_PK || char(27) || '[31m' || char(155) || 'm' || char(7)")
    connection.close()
    for arguments in [
      "sql $1 'SELECT name FROM Category'", "sql $1 --csv 'SELECT name FROM Category'", "dump $1 -e Category",
    ] {
      let result = try shell("TERM=xterm NO_COLOR=1 script -qec \"$0 \(arguments)\" /dev/null < /dev/null")
      let controls = result.output.unicodeScalars.filter { $0.properties.generalCategory == .control }
      #expect(controls.allSatisfy { $0 == "\n" || $0 == "\r" }, "\(result.output.debugDescription)")
      #expect(result.output.contains("[31m"))
    }
    // In a file they are as they are.
    #expect(try storeTool.run(["sql", path, "--csv", "SELECT name FROM Category"]).output.contains("\u{1B}[31m"))
  }

  @Test(
    "Wide characters take two columns",
    arguments: [
      ("abc", 3), ("日本", 4), ("한국어", 6), ("📚", 2), ("🇧🇬", 2), ("👍🏽", 2), ("☕️", 2), ("⚡", 2), ("☀", 1), ("☀️", 2),
      ("é", 1), ("e\u{301}", 1), ("שלום", 4), ("1️⃣", 2), ("①", 1),
    ])
  func widths(_ text: String, _ width: Int) { #expect(columnWidth(text) == width) }

  // MARK: Questions

  @Test(
    "Every way to change something by a question is refused",
    arguments: [
      "ATTACH 'x' AS x", "VACUUM", "VACUUM INTO 'x'", "PRAGMA journal_mode = DELETE", "PRAGMA user_version = 1",
      "PRAGMA writable_schema = 1", "PRAGMA query_only = 0", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA optimize",
      "PRAGMA temp_store_directory = '.'", "SELECT load_extension('x')", "SELECT fts3_tokenizer('simple')",
      "CREATE TEMP TABLE t (a)", "CREATE VIRTUAL TABLE temp.t USING rtree(a, b, c)", "DELETE FROM ZITEM",
      "DELETE FROM Book", "UPDATE Book SET title = ''", "INSERT INTO ZITEM (Z_PK) VALUES (9)",
      "WITH x AS (SELECT 1) DELETE FROM ZITEM", "EXPLAIN DELETE FROM ZITEM", "BEGIN IMMEDIATE", "SAVEPOINT s",
      "REINDEX", "ANALYZE", "DETACH main",
    ])
  func onlyReading(_ sql: String) throws {
    let before = try Data(contentsOf: store.url)
    let result = try storeTool.run(["sql", path, sql], after: "cd '\(store.folder.path)'")
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(result.errors.contains("only reading is allowed"), "\(result.errors)")
    #expect(try Data(contentsOf: store.url) == before)
    #expect(names == ["Library.sqlite"])
  }

  @Test("A comment is no statement, and a second statement is one")
  func statements() throws {
    for sql in [
      "SELECT 1 AS a;", "SELECT 1 AS a; -- done", "SELECT 1 AS a /* ; */ ; ;\n-- x\n/* y */", "/* ; */ SELECT 1 AS a",
    ] {
      #expect(try storeTool.run(["sql", path, sql]).output == "a\n-\n1\n", "\(sql)")
    }
    for sql in [
      "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE ZITEM", "SELECT 1; nonsense", "SELECT 1 /* x",
      "SELECT 1; ; -- a\nVALUES (1)",
    ] {
      let result = try storeTool.run(["sql", path, sql])
      #expect(result.status == (sql.hasSuffix("/* x") ? 0 : 2), "\(sql)")
    }
  }

  // MARK: Help

  @Test(
    "Every verb has a page with examples and exit codes that fits a terminal",
    arguments: ["inspect", "check", "dump", "import", "export", "sql", "diff"])
  func help(_ verb: String) throws {
    let result = try storeTool.run([verb, "--help"])
    #expect(result.status == 0)
    #expect(result.output.contains("EXAMPLES\n"))
    #expect(result.output.contains("EXIT CODES\n"))
    for line in result.output.split(separator: "\n") where !line.hasPrefix("USAGE") {
      #expect(line.count <= 80, "\(line)")
    }
  }
}
