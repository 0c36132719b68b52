import Foundation
import SQLite
import TestSupport
import Testing

@testable import ToolConsole

/// Words that are nearly right, and paths that Foundation cannot take.
@Suite(
  "Command lines that are nearly right",
  .enabled(if: storeTool.url != nil && GenerateModelsTool.url != nil, "needs the built tools"))
struct MessageTests {
  @Test("A misspelled option is named with the nearest one, also where a required option is missing")
  func options() throws {
    let result = try GenerateModelsTool.run([GenerateModelsTool.library, "--ouput", "x"])
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("Error: Unknown option '--ouput'. Did you mean '--output'?\n"))
    let joined = try GenerateModelsTool.run([GenerateModelsTool.library, "--ouput=x"])
    #expect(joined.errors.contains("Did you mean '--output'?"))
    #expect(try GenerateModelsTool.run(["--help"]).status == 0)
  }

  @Test(
    "A file to write whose path ends as a folder's does is refused before anything is written",
    arguments: ["new/", "new//", "new/.", "new/..", "link.svg/", "."])
  func folderPaths(_ path: String) throws {
    let store = try TemporaryStore.sampleLibrary()
    try FileManager.default.createSymbolicLink(
      atPath: store.folder.appendingPathComponent("link.svg").path, withDestinationPath: "picture.svg")
    let model = GenerateModelsTool.library
    let before = try Data(contentsOf: store.url)
    for (tool, arguments) in [
      (storeTool.url, ["copy", "Library.sqlite", path]), (storeTool.url, ["doctor", "Library.sqlite", "-o", path]),
      (storeTool.url, ["migrate", "Library.sqlite", "--to", model, "--output", path]),
      (storeTool.url, ["export", "Library.sqlite", "-f", "json", "-o", path]),
      (storeTool.url, ["export", "Library.sqlite", "-f", "sqlite", "-o", path, "--force"]),
      (storeTool.url, ["import", path, "lines", "--model", model]),
      (GenerateModelsTool.url, [model, "--diagram", "svg", "--output", path]),
      (GenerateModelsTool.url, [model, "--diff", "V1", "V2", "-o", path]),
      (GenerateModelsTool.url, [model, "--json", "-o", path]),
    ] {
      let result = try RunningProgram.run(try #require(tool).path, arguments, in: store.folder)
      #expect(result.status == 64 && result.output.isEmpty, "\(arguments)")
      #expect(result.errors.contains("'\(path)' is invalid for "), "\(arguments): \(result.errors)")
      #expect(result.errors.contains(": it ends as a folder's path does"), "\(arguments): \(result.errors)")
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: store.folder.path).sorted() == ["Library.sqlite", "link.svg"])
    #expect(try Data(contentsOf: store.url) == before)
  }

  @Test("A folder to write may end with a slash, and so may the address of a database") func folders() throws {
    let store = try TemporaryStore.sampleLibrary()
    let csv = store.folder.appendingPathComponent("csv").path + "/"
    #expect(try storeTool.run(["export", store.url.path, "-f", "csv", "-o", csv]).status == 0)
    let model = try OutputFolder()
    #expect(try GenerateModelsTool.run(GenerateModelsTool.library, "-o", model.path + "/").status == 0)
    #expect(CommandLineWords.problem(ofFile: "postgresql://app@db/") == nil)
  }

  @Test(
    "A model whose name begins with a dash is told from an option",
    arguments: [
      (["-Lib.xcdatamodeld", "--output", "g"], "-Lib.xcdatamodeld"),
      (["-Lib.xcdatamodeld", "--json"], "-Lib.xcdatamodeld"),
      // The parser finds an `-h` in this one.
      (["-house.xcdatamodeld", "--output", "g"], "-house.xcdatamodeld"),
      (["--diff", "-Lib.xcdatamodeld", "-house.xcdatamodeld"], "-Lib.xcdatamodeld"),
    ])
  func dashes(_ arguments: [String], _ name: String) throws {
    let folder = try TemporaryStore()
    for name in ["-Lib.xcdatamodeld", "-house.xcdatamodeld"] {
      try FileManager.default.copyItem(
        atPath: GenerateModelsTool.library, toPath: folder.folder.appendingPathComponent(name).path)
    }
    let tool = try #require(GenerateModelsTool.url)
    let result = try RunningProgram.run(tool.path, arguments, in: folder.folder)
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(
      result.errors.hasPrefix("Error: '\(name)' is taken for an option: write './\(name)'.\n"), "\(result.errors)")
    let written = try RunningProgram.run(tool.path, ["./\(name)", "--output", "g"], in: folder.folder)
    #expect(written.status == 0, "\(written.errors)")
    for help in [["-h"], ["./\(name)", "-h"], ["--help"], ["-help"]] {
      #expect(try RunningProgram.run(tool.path, help, in: folder.folder).output.hasPrefix("OVERVIEW: "), "\(help)")
    }
  }

  @Test("A misspelled subcommand is named with the nearest one")
  func subcommands() throws {
    for (word, nearest) in [("inspec", "inspect"), ("histroy", "history"), ("sgl", "sql")] {
      let result = try storeTool.run([word, "x.sqlite"])
      #expect(result.status == 64)
      #expect(result.errors.hasPrefix("Error: There is no subcommand '\(word)'. Did you mean '\(nearest)'?\n"))
    }
    #expect(try storeTool.run(["zzzzzzzz"]).errors.contains("Choose one of inspect, check"))
  }

  @Test("A negative limit is told as what it is")
  func limit() throws {
    for arguments in [["--limit", "-1"], ["--limit=-1"], ["-l", "-1"]] {
      let result = try storeTool.run(["dump", "x.sqlite"] + arguments)
      #expect(result.status == 64)
      #expect(result.errors.hasPrefix("Error: --limit is negative"), "\(result.errors)")
    }
  }

  @Test("A path that is not UTF-8 is refused, and no folder with a repaired name is made")
  func notUTF8() throws {
    let folder = try TemporaryStore()
    let shell = BuiltTool(url: URL(fileURLWithPath: "/bin/sh"))
    let line = #"cd "$0"; n=$(printf 'caf\351'); "$1" "$2" --output "$n"; echo $?; "$3" inspect "$n.sqlite"; echo $?"#
    let tools = [
      try #require(GenerateModelsTool.url).path, GenerateModelsTool.library, try #require(storeTool.url).path,
    ]
    let result = try shell.run(["-c", line, folder.folder.path] + tools)
    #expect(result.output == "2\n2\n")
    #expect(
      result.errors.hasPrefix(
        #"generate-models: error: the argument “caf\xE9” is not UTF-8 — rename the file or folder"#),
      "\(result.errors)")
    #expect(result.errors.contains(#"store-tool: error: the argument “caf\xE9.sqlite” is not UTF-8"#))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.folder.path) == [])
  }

  @Test("A version whose name is not UTF-8 is named and left out, and a store in a folder that is searched is named")
  func namesInFolders() throws {
    let folder = try TemporaryStore()
    let shell = BuiltTool(url: URL(fileURLWithPath: "/bin/sh"))
    let line = #"""
      cd "$0"; n=$(printf 'caf\351'); mkdir Test.xcdatamodeld Stores; cp -r "$2/Library.xcdatamodel" Test.xcdatamodeld/
      cp -r "$2/Library.xcdatamodel" "Test.xcdatamodeld/$n.xcdatamodel"; "$1" Test.xcdatamodeld -o Out; echo $?
      : > "Stores/$n.sqlite"; mkdir "Stores/$n"; : > "Stores/$n/inner.sqlite"; "$3" check Stores; echo $?
      """#
    let tools = [
      try #require(GenerateModelsTool.url).path, GenerateModelsTool.library, try #require(storeTool.url).path,
    ]
    let result = try shell.run(["-c", line, folder.folder.path] + tools)
    // The other version is generated.
    let lines = result.output.split(separator: "\n").filter { $0.allSatisfy(\.isNumber) }
    #expect(lines == ["0", "2"], "\(result.output) \(result.errors)")
    #expect(result.errors.contains(".xcdatamodel:1: warning: the name is not UTF-8 — rename it"), "\(result.errors)")
    let ofStores = result.errors.split(separator: "\n").filter { $0.hasPrefix("Stores/") }
    #expect(ofStores.count == 2, "\(ofStores)")
    let message = "error: the name is not UTF-8 — rename it, or leave it out"
    #expect(ofStores.allSatisfy { $0.hasSuffix(message) }, "\(ofStores)")
  }

  @Test(
    "Reading keeps an empty log beside a store",
    arguments: ["dump $", "sql $ 'SELECT 1'", "export $ -f csv -o $.csv", "diff $ $"])
  func emptyLog(_ arguments: String) throws {
    let store = try TemporaryStore.sampleLibrary()
    let log = store.url.path + "-wal"
    try Data().write(to: URL(fileURLWithPath: log))
    let line = "\"$0\" \(arguments.replacing("$", with: "\"$1\""))"
    let result = try BuiltTool(url: URL(fileURLWithPath: "/bin/sh")).run(
      ["-c", line, try #require(storeTool.url).path, store.url.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(FileManager.default.fileExists(atPath: log))
  }

  @Test("SQL reads the tables of a store without a model, and inspect does not count what it does not know")
  func withoutModel() throws {
    let store = try TemporaryStore.sampleLibrary()
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    try connection.execute("DROP TABLE Z_MODELCACHE")
    connection.close()
    let rows = try storeTool.run(["sql", store.url.path, "SELECT count(*) AS n FROM ZAUTHOR"])
    #expect(rows.output == "n\n-\n4\n")
    #expect(rows.errors.contains("note: only the store's own tables are known"), "\(rows.errors)")
    let summary = try storeTool.run(["inspect", store.url.path])
    #expect(summary.output.contains("10 entities, their properties unknown"), "\(summary.output)")
    #expect(summary.output.contains("unknown") && !summary.output.contains("0 attributes"))
    let entity = try storeTool.run(["inspect", store.url.path, "--entity", "Book"]).output
    #expect(entity.contains("attributes and relationships unknown: "), "\(entity)")
    let json = try storeTool.run(["inspect", store.url.path, "--json"]).output
    let document = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    #expect((document["entities"] as? [[String: Any]])?.allSatisfy { $0["attributes"] == nil } == true)
  }
}
