import Foundation
import SQLite
import TestSupport
import Testing

/// The verbs of store-tool that import and export data, run as a person runs them.
@Suite("store-tool: data", .needsStoreTool)
struct StoreToolDataTests: StoreToolSuite {
  private static let samples = Fixtures.packageRoot.appendingPathComponent("SampleModels")
  let store: TemporaryStore

  /// A copy of the sample store in a folder of its own.
  init() throws { store = try .sampleLibrary() }

  private func file(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: store.folder.appendingPathComponent(name))
    return place(name)
  }

  // MARK: dump

  @Test("A dump has a line of JSON for each object, and leaves nothing behind") func dump() throws {
    let result = try storeTool.run(["dump", path])
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 28)
    for line in lines {
      let object = try JSONObject(String(line))
      #expect((object["$id"] as? String)?.hasPrefix("\(object["$entity"] as? String ?? "")/p") == true)
    }
    #expect(names == ["Library.sqlite"])
  }

  @Test("Objects are chosen by entity, predicate, order, number and property") func chosen() throws {
    let result = try storeTool.run([
      "dump", path, "-e", "Item", "--filter", "title CONTAINS[c] 'the'", "--sort", "title:desc", "--limit", "2",
      "--properties", "title,pageCount",
    ])
    #expect(
      result.output == """
        {"$entity":"Book","$id":"Book/p1","title":"The Count of Monte Cristo","pageCount":1276}
        {"$entity":"Book","$id":"Book/p2","title":"The Brothers Karamazov","pageCount":824}

        """)
    // An entity and its subentity: no object twice.
    let both = try storeTool.run(["dump", path, "-e", "Item", "-e", "Book"])
    #expect(both.output.split(separator: "\n").count == 6)
  }

  @Test("A sort key may end with its order in words, in any case")
  func sortOrders() throws {
    func titles(_ key: String) throws -> [Substring] {
      try storeTool.run(["dump", path, "-e", "Book", "--sort", key, "-p", "title"]).output.split(separator: "\n")
    }
    let ascending = try titles("title")
    #expect(try ascending.count == 4 && titles("title:asc") == ascending && titles("title:Ascending") == ascending)
    #expect(try titles("title:DESC") == ascending.reversed() && titles("title:descending") == ascending.reversed())
  }

  @Test("--properties without a name is refused", arguments: ["", " ", ",", " , "])
  func noProperties(names: String) throws {
    let result = try storeTool.run(["dump", path, "-e", "Item", "--properties", names])
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.contains("--properties names no property: write their names, separated by commas."))
  }

  @Test(
    "What the model does not have is refused with the nearest name, and nothing is printed",
    arguments: [
      (["--entity", "Bok"], "no entity “Bok” (did you mean “Book”?)"),
      (["--entity", "Book", "--sort", "titl"], "“titl” (did you mean “title”?)"),
      (["--entity", "Book", "--sort", "titl:desc"], "“titl” (did you mean “title”?)"),
      (
        ["--entity", "Book", "--sort", "title:descent"],
        "the sort key “title:descent” ends with the unknown order “descent” — write name, name:asc or name:desc"
      ),
      (["--entity", "Book", "--properties", "titel"], "“titel” (did you mean “title”?)"),
      (["--entity", "Book", "--filter", "titl == 1"], "“titl” (did you mean “title”?)"),
      (["--entity", "Book", "--filter", "title =="], "predicate"),
      (
        ["--entity", "Book", "--filter", "shelf == 1"],
        "has no stored property “shelf” — store-tool inspect --entity Book lists its properties"
      ),
      (
        ["--entity", "Book", "--sort", "category.x"], "“x” — store-tool inspect --entity Category lists its properties"
      ),
      (
        ["--entity", "Member", "--sort", "address.cty"],
        "no stored property “address.cty” (did you mean “address.city”?)"
      ),
      (
        ["--entity", "Member", "--filter", "address == 1"],
        "name an element of the composite, down to a plain attribute"
      ),
      (
        ["--entity", "Book", "--sort", "chapters"],
        "— name an attribute, or one of a to-one relationship's object, such as author.name"
      ),
      (["--entity", "Book", "--filter", "title > 3"], "— write texts in quotation marks, and numbers without"),
      (["--entity", "Book", "--filter", "category == 3"], "— compare one of its attributes, such as author.name"),
    ])
  func unknownNames(arguments: [String], message: String) throws {
    let result = try storeTool.run(["dump", path] + arguments)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.errors.hasPrefix("store-tool: error: "))
  }

  @Test("A model is taken in every form, and one that does not fit is told with what differs") func models() throws {
    let bundle = Self.samples.appendingPathComponent("Library.xcdatamodeld")
    let plain = try storeTool.run(["dump", path]).output
    #expect(try GenerateModelsTool.run(bundle.path, "--format", "mom", "--output", place("built")).status == 0)
    let models = [
      bundle.path, bundle.appendingPathComponent("Library 3.xcdatamodel").path, place("built/Library.momd"),
      place("built/Library.momd/Library 3.mom"), path,
    ]
    for model in models {
      let result = try storeTool.run(["dump", path, "--model", model])
      #expect(result.output == plain, "\(model): \(result.errors)")
    }
    let other = try storeTool.run(["dump", path, "--model", place("built/Library.momd/Library.mom")])
    #expect(other.status == 2)
    #expect(other.errors.contains("the store does not fit “Library.mom”: it was made with another model: entity"))
  }

  @Test("A reader that has had enough ends a dump without a word") func brokenPipe() throws {
    let lines = (0..<4_000).map { #"{"$entity":"Category","name":"\#($0) \#(String(repeating: "x", count: 100))"}"# }
    let input = try file("many.jsonl", lines.joined(separator: "\n"))
    #expect(try storeTool.run(["import", path, input, "--lenient"]).status == 0)
    let pipeline = try RunningProgram.run(
      "/bin/sh",
      ["-c", "{ \"$0\" dump \"$1\" 2> \"$2\"; } | head -n 1", storeTool.url?.path ?? "", path, place("errors")])
    #expect(pipeline.output.hasPrefix(#"{"$entity":"Author""#))
    #expect(try String(contentsOfFile: place("errors"), encoding: .utf8).isEmpty)
  }

  // MARK: import

  @Test("A dump makes the same store again, through a pipe too") func roundTrip() throws {
    let dump = try storeTool.run(["dump", path]).output
    let lines = try file("lines.jsonl", dump)
    let made = try storeTool.run(["import", place("A.sqlite"), lines, "--like", path])
    #expect(made.status == 0)
    #expect(made.output == "\(place("A.sqlite")): 28 added, in a new store\n")
    #expect(try storeTool.run(["dump", place("A.sqlite")]).output == dump)
    let bundle = Self.samples.appendingPathComponent("Library.xcdatamodeld").path
    let piped = try storeTool.run(
      ["import", place("B.sqlite"), "-", "--model", bundle, "--json"], after: "exec < '\(lines)'")
    #expect(try JSONObject(piped.output)["inserted"] as? Int == 28)
    #expect(try storeTool.run(["dump", place("B.sqlite")]).output == dump)
    #expect(try storeTool.run(["check", place("A.sqlite"), place("B.sqlite")]).status == 0)
  }

  @Test("A line that is wrong is told with file, line and column; a store that was to be made is not") func refused()
    throws
  {
    let lines = try file(
      "lines.jsonl",
      #"{"$entity":"Category","name":"x","shelfOrder":1}"# + "\n" + #"{"$entity":"Category","nam":"x"}"# + "\n")
    let before = try Data(contentsOf: store.url)
    for arguments in [[path], [place("New.sqlite"), "--like", path]] {
      let result = try storeTool.run(["import", arguments[0], lines] + arguments.dropFirst())
      #expect(result.status == 2)
      #expect(result.output.isEmpty)
      #expect(
        result.errors.hasPrefix(
          "\(lines):2:29: error: entity “Category” has no stored property “nam” (did you mean “name”?) — "))
    }
    #expect(try Data(contentsOf: store.url) == before)
    #expect(names == ["Library.sqlite", "lines.jsonl"])
  }

  @Test("Import says what it lacks") func importInputs() throws {
    let missing = try storeTool.run(["import", path, place("nothing.jsonl")])
    #expect(missing.status == 2)
    #expect(missing.errors.contains("there is no such file"))
    let lines = try file("lines.jsonl", "")
    let noModel = try storeTool.run(["import", place("New.sqlite"), lines])
    #expect(noModel.status == 2)
    #expect(noModel.errors.contains("name its model with --model or --like"))
    #expect(try storeTool.run(["import", path, lines, "--like", path]).errors.contains("the store exists already"))
    #expect(try storeTool.run(["import", path, lines, "--like", path, "--model", "x"]).status == 64)
    #expect(try storeTool.run(["import", path, store.folder.path]).errors.contains("a folder"))
    #expect(try storeTool.run(["import", path, lines]).status == 0)
    #expect(names == ["Library.sqlite", "lines.jsonl"])
  }

  // MARK: export

  @Test("Tables of texts have a file for each entity, and are replaced only with --force") func csv() throws {
    let export = ["export", path, "--format", "csv", "--output", place("out")]
    #expect(try storeTool.run(export).status == 0)
    let text = try String(contentsOfFile: place("out/Category.csv"), encoding: .utf8)
    #expect(text.hasPrefix("$id,children,items,name,parent,shelfOrder\r\nCategory/p1,,Book/p1 Book/p2"))
    let again = try storeTool.run(export)
    #expect(again.status == 2)
    #expect(again.errors.contains("the file exists already"))
    let forced = try storeTool.run(export + ["--force", "--json"])
    #expect(try JSONObject(forced.output)["format"] as? String == "csv")
    #expect(try FileManager.default.contentsOfDirectory(atPath: place("out")).allSatisfy { $0.hasSuffix(".csv") })
  }

  @Test("JSON is one document, and a plain database one that any program reads") func documents() throws {
    #expect(try storeTool.run(["export", path, "--format", "json", "-o", place("out.json")]).status == 0)
    let document = try JSONObject(String(contentsOfFile: place("out.json"), encoding: .utf8))
    let entities = try #require(document["entities"] as? [String: [[String: Any]]])
    #expect(entities["Item"]?.count == 6)
    #expect(try storeTool.run(["export", path, "--format", "sqlite", "-o", place("out.sqlite")]).status == 0)
    let plain = try Connection(path: place("out.sqlite"), mode: .readOnly)
    #expect(
      try plain.text(
        "SELECT familyName FROM Author JOIN Author_books j ON j.Author = Author.id JOIN Book ON Book.id = books WHERE title = 'Pod igoto'"
      ) == "Vazov")
    #expect(names == ["Library.sqlite", "out.json", "out.sqlite"])
  }

  @Test("Nothing but a file that may go is replaced, and a failure leaves nothing behind") func places() throws {
    for format in ["json", "sqlite"] {
      let overStore = try storeTool.run(["export", path, "--format", format, "-o", path, "--force"])
      #expect(overStore.status == 2)
      #expect(overStore.errors.contains("it is the store that is read"))
      let folder = try storeTool.run(["export", path, "--format", format, "-o", store.folder.path, "--force"])
      #expect(folder.errors.contains("it is no file"))
      try FileManager.default.createSymbolicLink(atPath: place("link"), withDestinationPath: place("elsewhere"))
      #expect(try storeTool.run(["export", path, "--format", format, "-o", place("link"), "--force"]).status == 2)
      try FileManager.default.removeItem(atPath: place("link"))
    }
    #expect(try storeTool.run(["export", path, "--format", "csv", "-o", path]).errors.contains("it is a file"))
    #expect(try storeTool.run(["export", path, "--format", "xml", "-o", place("x")]).status == 64)
    #expect(try storeTool.run(["export", path, "--format", "json", "-o", place("x"), "--guard-formulas"]).status == 64)
    // A limit on the size of files is as a full disk.
    for (format, out) in [("csv", "made/out"), ("json", "made/out.json"), ("sqlite", "made/out.sqlite")] {
      let full = try storeTool.run(["export", path, "--format", format, "-o", place(out)], after: "ulimit -f 0")
      #expect(full.status == 2, "\(format)")
    }
    #expect(!names.contains("made"))
  }

  // MARK: sql

  @Test("Questions are answered as a table, as JSON and as comma-separated values") func sql() throws {
    let sql = "SELECT title, pageCount AS pages, NULL AS n FROM Book WHERE pageCount < 500 ORDER BY id"
    #expect(
      try storeTool.run(["sql", path, sql]).output == """
        title               pages  n
        ------------------  -----  -
        Pod igoto             480
        A Room with a View    256

        """)
    #expect(
      try storeTool.run(["sql", path, "--csv"], after: "exec < '\(file("q.sql", sql))'").output
        == "title,pages,n\r\nPod igoto,480,\r\nA Room with a View,256,\r\n")
    let json = try storeTool.run(["sql", path, sql, "--json"]).output
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
    #expect(rows.map { $0["pages"] as? Int } == [480, 256])
    #expect(try storeTool.run(["sql", path, "SELECT 1 WHERE 0", "--json"]).output == "[]\n")
  }

  @Test("Questions cannot write, and say where they are wrong") func sqlRefused() throws {
    let before = try Data(contentsOf: store.url)
    for sql in ["DELETE FROM ZITEM", "ATTACH '\(place("x"))' AS x", "PRAGMA user_version = 1"] {
      let result = try storeTool.run(["sql", path, sql])
      #expect(result.status == 2)
      #expect(result.errors.contains("only reading is allowed"))
    }
    let wrong = try storeTool.run(["sql", path, "SELECT titel FROM Book"])
    #expect(wrong.errors.contains("line 1, column 8: no such column: titel (did you mean “title”?)"))
    #expect(try storeTool.run(["sql", path, "SELECT 1", "--csv", "--json"]).status == 64)
    #expect(try Data(contentsOf: store.url) == before)
    #expect(names == ["Library.sqlite"])
  }

  @Test("A question without end is ended by an interrupt, with its status") func interrupted() throws {
    let question = try RunningProgram(
      try #require(storeTool.url).path,
      ["sql", path, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"])
    // The signal may come before the program listens, and ends it all the same.
    Thread.sleep(forTimeInterval: 0.5)
    question.interrupt()
    let result = try question.result()
    #expect(result.endedBySignal || result.status == 130)
    #expect(result.errors.isEmpty)
    #expect(names == ["Library.sqlite"])
  }

  // MARK: diff

  @Test("The sample store has the model of its bundle, indexes and rules among it") func sampleIsCurrent() throws {
    let bundle = Self.samples.appendingPathComponent("Library.xcdatamodeld").path
    let lines = try file("lines.jsonl", storeTool.run(["dump", path]).output)
    #expect(try storeTool.run(["import", place("New.sqlite"), lines, "--model", bundle]).status == 0)
    let result = try storeTool.run(["diff", path, place("New.sqlite")])
    #expect(result.output == "28 the same\n")
    #expect(result.status == 0)
  }

  @Test("The difference of two stores is told object by object, with status 1") func diff() throws {
    try FileManager.default.copyItem(atPath: path, toPath: place("Other.sqlite"))
    let same = try storeTool.run(["diff", path, place("Other.sqlite")])
    #expect(same.status == 0)
    #expect(same.output == "28 the same\n")
    let lines = try file(
      "lines.jsonl",
      #"{"$entity":"Category","$id":"Category/p1","name":"Old \u001b[31m"}"# + "\n"
        + #"{"$entity":"Category","name":"New","shelfOrder":3}"#)
    #expect(try storeTool.run(["import", place("Other.sqlite"), lines, "--update"]).status == 0)
    let other = try storeTool.run(["diff", path, place("Other.sqlite")])
    #expect(other.status == 1)
    #expect(
      other.output == """
        ~ Category/p1
            name: "Classics" → "Old \\u001b[31m"
        + Category/p3
        1 changed, 1 only in the second store, 27 the same

        """)
    let json = try JSONObject(try storeTool.run(["diff", path, place("Other.sqlite"), "--json"]).output)
    #expect((json["summary"] as? [String: Int])?["changed"] == 1)
    #expect((json["objects"] as? [Any])?.count == 2)
    #expect(try storeTool.run(["diff", path, place("Other.sqlite"), "--by", "Category.nam"]).status == 2)
    #expect(try storeTool.run(["diff", path, place("Other.sqlite"), "--by", "Category"]).status == 64)
    let transformed = try storeTool.run(["diff", path, path, "--by", "Member.interests"])
    #expect(transformed.errors.contains("cannot be matched by “interests”"))
    #expect(try storeTool.run(["diff", path, place("nothing")]).status == 2)
  }

  // MARK: Help

  @Test("The commands of the README do what it says") func readme() throws {
    let readme = try String(
      contentsOf: Fixtures.packageRoot.appendingPathComponent("README.md"), encoding: .utf8)
    let section = try #require(readme.components(separatedBy: "## Look into a store\n").dropFirst().first)
    let commands = try #require(
      section.components(separatedBy: "```sh\n").dropFirst().first?.components(separatedBy: "```").first)
    #expect(commands.split(separator: "\n").count >= 7)
    let tool = try #require(storeTool.url)
    for command in commands.split(separator: "\n") {
      let result = try RunningProgram.run(
        "/bin/sh", ["-c", "PATH=\"$0:$PATH\"; \(command)", tool.deletingLastPathComponent().path], in: store.folder,
        mergesErrors: true)
      // A difference is the status of diff.
      #expect(result.status == (command.contains(" diff ") ? 1 : 0), "\(command)\n\(result.output)")
      #expect(!result.output.isEmpty || command.hasPrefix("cp "), "\(command)")
    }
    #expect(FileManager.default.fileExists(atPath: place("tables/Book.csv")))
  }
}
