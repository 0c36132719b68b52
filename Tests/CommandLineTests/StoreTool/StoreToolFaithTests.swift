import Foundation
import SQLite
import TestSupport
import Testing

/// All verbs of store-tool print the same values, and say which values they cannot print as they are stored.
@Suite("store-tool: the same values", .needsStoreTool)
struct StoreToolFaithTests: StoreToolSuite {
  let store: TemporaryStore

  /// A copy of the sample store.
  init() throws { store = try .sampleLibrary() }

  @Test(
    "A decimal that Core Data stored beside the nearest double has the same digits in a dump, an export and a query")
  func decimals() throws {
    try execute("UPDATE ZITEM SET ZPRICE = 3.3333333332999993 WHERE Z_PK = 1")
    #expect(try storeTool.run(["dump", path, "-e", "Book"]).output.contains(#""price":"3.3333333333""#))
    let query = try storeTool.run(["sql", path, "--csv", "SELECT price FROM Item WHERE id = 1"])
    #expect(query.output == "price\r\n3.3333333333\r\n")
    #expect(try storeTool.run(["export", path, "--format", "sqlite", "-o", place("plain.sqlite")]).status == 0)
    let plain = try Connection(path: place("plain.sqlite"), mode: .readOnly)
    #expect(try plain.text("SELECT price = 3.3333333333 FROM Item WHERE id = 1") == "1")
    #expect(try plain.text("SELECT typeof(price) FROM Item WHERE id = 1") == "real")
  }

  @Test("A text of wrong bytes is printed with a warning that names it, by every verb", .damagesStores)
  func wrongBytes() throws {
    try execute("UPDATE ZCATEGORY SET ZNAME = CAST(x'41FF42' AS TEXT) WHERE Z_PK = 1")
    let problem = "the text “name” of Category/p1 is not in UTF-8: U+FFFD is printed instead of the wrong bytes"
    let warning = "\(path): warning: \(problem) — see store-tool check\n"
    let dump = try storeTool.run(["dump", path])
    #expect(dump.status == 0)
    #expect(dump.output.contains("\"name\":\"A\u{FFFD}B\""))
    #expect(dump.output.split(separator: "\n").count == 28)
    #expect(dump.errors == warning)
    #expect(try storeTool.run(["dump", path, "-e", "Book"]).errors.isEmpty)

    for (format, output) in [("csv", "tables"), ("json", "out.json"), ("sqlite", "out.sqlite")] {
      let export = try storeTool.run(["export", path, "--format", format, "-o", place(output)])
      #expect(export.status == 0)
      #expect(export.errors == "\(path): note: \(problem)\n", "\(format)")
    }
    let query = try storeTool.run(["sql", path, "--csv", "SELECT name FROM Category ORDER BY id LIMIT 1"])
    #expect(query.output == "name\r\nA\u{FFFD}B\r\n")
    #expect(query.errors.contains("the text “name” of row 1 is not in UTF-8"))
    let difference = try storeTool.run(["diff", path, path])
    #expect(difference.status == 0)
    #expect(difference.errors == warning + warning)
  }

  @Test("A text that has U+FFFD itself is no text of wrong bytes") func replacementCharacter() throws {
    try execute("UPDATE ZCATEGORY SET ZNAME = 'A' || char(65533) WHERE Z_PK = 1")
    let dump = try storeTool.run(["dump", path])
    #expect(dump.output.contains("\"name\":\"A\u{FFFD}\""))
    #expect(dump.errors.isEmpty)
  }

  @Test("Rows that an export leaves out are counted in every format", .damagesStores) func foreignRows() throws {
    try execute("UPDATE ZITEM SET Z_ENT = 77 WHERE Z_PK = 1")
    for (format, output) in [("csv", "tables"), ("json", "out.json"), ("sqlite", "out.sqlite")] {
      let export = try storeTool.run(["export", path, "--format", format, "-o", place(output)])
      #expect(export.status == 0)
      #expect(export.errors.contains("note: 1 row is of no entity of the model"), "\(format): \(export.errors)")
    }
  }

  @Test("A file of an entity that has no objects any more has none after the next export", .damagesStores)
  func emptyEntity() throws {
    let export = ["export", path, "--format", "csv", "--force", "-o", place("tables")]
    #expect(try storeTool.run(export).status == 0)
    let file = place("tables/LibraryCard.csv")
    #expect(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\r\n").count == 4)
    try execute("DELETE FROM ZLIBRARYCARD")
    #expect(try storeTool.run(export).status == 0)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.hasPrefix("$id,") && text.hasSuffix("\r\n"))
    #expect(text.split(separator: "\r\n").count == 1)
  }

  @Test("Of many texts of wrong bytes the first are named and the others counted", .damagesStores) func manyTexts()
    throws
  {
    try execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 101 UNION ALL SELECT i + 1 FROM n WHERE i < 125)
      INSERT INTO ZCATEGORY (Z_PK, Z_ENT, Z_OPT, ZSHELFORDER, ZNAME)
      SELECT i, (SELECT Z_ENT FROM ZCATEGORY LIMIT 1), 1, 1, i || CAST(x'FF' AS TEXT) FROM n
      """)
    let warnings = try storeTool.run(["dump", path, "-e", "Category"]).errors.split(separator: "\n")
    #expect(warnings.count == 21)
    #expect(warnings.last?.contains("5 more texts are not in UTF-8") == true)
  }
}
