import Foundation
import TestSupport
import Testing

@Suite("store-tool history", .needsStoreTool)
struct HistoryCommandTests: StoreToolSuite {
  let store: TemporaryStore

  /// A copy of the sample store: its one transaction inserts all objects.
  init() throws { store = try .sampleLibrary() }

  /// Changes the first author by an import, which history records.
  private func rename(_ name: String, author: String = "editor") throws {
    let lines = store.folder.appendingPathComponent("lines.json")
    try Data(#"{"$entity":"Author","$id":"Author/p1","familyName":"\#(name)"}"#.utf8).write(to: lines)
    let result = try storeTool.run(["import", path, lines.path, "--update", "--author", author])
    #expect(result.status == 0, "\(result.errors)")
  }

  /// A transaction as Core Data writes it, with a deletion whose tombstone has the author's first preserved value.
  private func deleteBook() throws {
    try execute(
      """
      INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (90, 16003, NULL, 'sync'), (91, 16003, NULL, 'main');
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP, ZAUTHORTS, ZCONTEXTNAMETS)
        VALUES (50, 16002, NULL, 800000000.5, 90, 91);
      INSERT INTO ACHANGE (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZTOMBSTONE0)
        VALUES (900, 16001, NULL, 2, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'), 77, 50, '978-954');
      UPDATE Z_PRIMARYKEY SET Z_MAX = 50 WHERE Z_ENT = 16002; UPDATE Z_PRIMARYKEY SET Z_MAX = 900 WHERE Z_ENT = 16001;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 91 WHERE Z_ENT = 16003;
      """)
  }

  private func lines(_ arguments: String...) throws -> [String] {
    let result = try storeTool.run(["history", path] + arguments)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test("Each transaction is a line with author and time, and its changes stand below it with names")
  func text() throws {
    try rename("Vazova")
    try deleteBook()
    let lines = try self.lines()
    #expect(lines[0].hasPrefix("\(path) ("))
    #expect(lines.contains("    inserted  Author/p1"))
    let update = try #require(lines.firstIndex { $0.contains("author “editor”") })
    #expect(lines[update].hasPrefix("2  20"))
    #expect(lines[update + 1] == "    updated   Author/p1: familyName")
    #expect(lines[update + 2] == "50  2026-05-09T06:13:20Z  author “sync”, context “main”")
    #expect(lines[update + 3] == #"    deleted   Book/p77: isbn "978-954""#)
  }

  @Test("Texts of wrong bytes are printed with a warning for each: the author, and a value that was preserved")
  func wrongBytes() throws {
    try deleteBook()
    try execute(
      """
      UPDATE ACHANGE SET ZTOMBSTONE0 = CAST(x'41FF42' AS TEXT) WHERE Z_PK = 900;
      UPDATE ATRANSACTIONSTRING SET ZNAME = CAST(x'73FF' AS TEXT) WHERE Z_PK = 90;
      """)
    func warning(_ text: String) -> String {
      "\(path): warning: the text \(text) is not in UTF-8: U+FFFD is printed instead of the wrong bytes — see store-tool check\n"
    }
    for form in [[], ["--json"]] {
      let result = try storeTool.run(["history", path, "--since", "2"] + form)
      #expect(result.status == 0 && result.output.contains("A\u{FFFD}B") && result.output.contains("s\u{FFFD}"))
      #expect(result.errors == warning("“author” of transaction 50") + warning("“isbn” of Book/p77"))
    }
    // What is not printed needs no warning.
    #expect(try storeTool.run(["history", path, "--since", "50"]).errors.isEmpty)
  }

  @Test("--since takes a number, a day, a time and an age")
  func since() throws {
    try rename("Vazova")
    try deleteBook()
    #expect(try lines("--since", "2").dropFirst().map { $0.prefix(2) } == ["50", "  "])
    // The deletion is older than the sample store.
    #expect(try lines("--since", "2026-05-10").allSatisfy { !$0.hasPrefix("50 ") })
    #expect(try lines("--since", "2026-05-09T06:13:20+00:00").contains { $0.hasPrefix("50 ") })
    #expect(try lines("--since", "1h").contains { $0.hasPrefix("2 ") })
    #expect(try lines("--since", "1h").allSatisfy { !$0.hasPrefix("50 ") })
    for wrong in ["yesterday", "-1", "", "2026-13-01"] {
      let result = try storeTool.run(["history", path, "--since", wrong])
      #expect(result.status == 64)
      #expect(result.errors.contains("neither the number of a transaction nor a time"), "\(result.errors)")
    }
  }

  @Test("--entity selects the changes of an entity and its subentities; a wrong name gets the nearest one")
  func entity() throws {
    try rename("Vazova")
    try deleteBook()
    let items = try lines("--entity", "Item").dropFirst()
    #expect(items.contains { $0.contains("Book/p77") } && items.contains { $0.contains("Magazine/") })
    #expect(items.allSatisfy { !$0.contains("Author/") && !$0.contains("editor") })
    let wrong = try storeTool.run(["history", path, "--entity", "Boook"])
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("did you mean “Book”?"), "\(wrong.errors)")
  }

  @Test("JSON has the store, the transactions and their changes")
  func json() throws {
    try rename("Vazova")
    try deleteBook()
    let text = try storeTool.run(["history", path, "--since", "1", "--json"]).output
    let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(document["formatVersion"] as? Int == 1)
    #expect((document["store"] as? String).flatMap { UUID(uuidString: $0) } != nil)
    let transactions = try #require(document["transactions"] as? [[String: Any]])
    #expect(transactions.map { $0["number"] as? Int } == [2, 50])
    #expect(transactions.map { $0["author"] as? String } == ["editor", "sync"])
    #expect(transactions[1]["context"] as? String == "main")
    #expect(transactions[1]["date"] as? String == "2026-05-09T06:13:20.5Z")
    let update = try #require((transactions[0]["changes"] as? [[String: Any]])?.first)
    #expect(update["object"] as? String == "Author/p1")
    #expect(update["kind"] as? String == "update")
    #expect(update["properties"] as? [String] == ["familyName"])
    let deletion = try #require((transactions[1]["changes"] as? [[String: Any]])?.first)
    #expect(deletion["tombstone"] as? [String: String] == ["isbn": "978-954"])
  }

  @Test("A store without history has no transactions, which a note says", .damagesStores)
  func none() throws {
    try execute("DROP TABLE ACHANGE; DROP TABLE ATRANSACTION; DROP TABLE ATRANSACTIONSTRING")
    let result = try storeTool.run(["history", path])
    #expect(result.status == 0)
    #expect(result.output.split(separator: "\n").count == 1)
    #expect(result.errors.contains("note: the store keeps no history"))
    let json = try storeTool.run(["history", path, "--json"]).output
    #expect(json.contains(#""transactions":[]"#))
  }

  @Test("Without a model, changes have the names of entities and no properties")
  func withoutModel() throws {
    try rename("Vazova")
    try execute("DELETE FROM Z_MODELCACHE")
    let result = try storeTool.run(["history", path, "--entity", "Author", "--since", "1"])
    #expect(result.status == 0)
    #expect(result.output.contains("    updated   Author/p1\n"), "\(result.output)")
    #expect(result.errors.contains("only the store's own tables are known"))
  }

  @Test("--follow prints what other programs save, until it is interrupted", arguments: [false, true])
  func follow(_ isJSON: Bool) async throws {
    let printed = store.folder.appendingPathComponent("printed")
    try Data().write(to: printed)
    let program = try RunningProgram(
      try #require(storeTool.url).path, ["history", path, "--since", "1", "--follow"] + (isJSON ? ["--json"] : []),
      output: try FileHandle(forWritingTo: printed))
    func text() -> String { (try? String(contentsOf: printed, encoding: .utf8)) ?? "" }
    if !isJSON { try await eventually { !text().isEmpty } }
    for name in ["one", "two"] {
      try rename(name, author: name)
      try await eventually { text().contains(isJSON ? #""author":"\#(name)""# : "author “\(name)”") }
    }
    program.interrupt()
    let result = try await program.result()
    #expect(result.status == 130)
    let lines = text().split(separator: "\n")
    if isJSON {
      let authors = try lines.map {
        (try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["author"] as? String
      }
      #expect(authors == ["one", "two"])
    } else {
      #expect(lines.dropFirst().map { $0.prefix(2) } == ["2 ", "  ", "3 ", "  "], "\(text())")
    }
  }
}
