import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import SQLite
import StoreInspection
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import StoreExchange

@Suite struct ImportTests {
  private static let code = #""code":"00000000-0000-0000-0000-00000000000"#

  private func book(_ id: String, _ number: Int = 0, _ more: String = "") -> String {
    #"{"$entity":"Book","$id":"\#(id)","title":"t","pages":1,"cover":"AA==",\#(Self.code)\#(number)"\#(more)}"# + "\n"
  }

  @Test("Objects refer to one another forward, back and in circles, by either side of a relationship")
  func references() throws {
    let world = try ImportExportWorld()
    let lines =
      #"{"$entity":"Shelf","$id":"s","label":"A","books":["two","one"]}"# + "\n"
      + book("one", 1, #","related":["two"],"genres":["crime"]"#) + book("two", 2, #","shelf":"s""#)
      + #"{"$entity":"Genre","$id":"crime","name":"Crime","books":["two"]}"#
    let summary = try world.take(lines) { $0.author = "importer" }
    #expect(summary.inserted == 4)
    #expect(summary.updated == 0)
    let dump = try world.dump()
    #expect(dump.contains(#""books":["Book/p2","Book/p1"],"label":"A""#))
    #expect(dump.contains(#""$id":"Book/p2""#) && dump.contains(#""related":["Book/p1"]"#))
    #expect(dump.contains(#""$id":"Genre/p1","books":["Book/p1","Book/p2"]"#))
    // One save: every row is of its first version, and one transaction says who made it (CD-6, CD-7).
    #expect(try world.ask("SELECT DISTINCT Z_OPT FROM ZBOOK") == [[.integer(1)]])
    #expect(try world.ask("SELECT count(*) FROM ATRANSACTION") == [[.integer(1)]])
    #expect(try world.ask("SELECT count(*), max(ZCHANGETYPE) FROM ACHANGE") == [[.integer(4), .integer(0)]])
    #expect(
      try world.ask("SELECT ZNAME FROM ATRANSACTIONSTRING s JOIN ATRANSACTION t ON s.Z_PK = t.ZAUTHORTS")
        == [[.text("importer")]])
  }

  @Test("In a store that exists objects get new keys, and refer to those that are there") func existing() throws {
    let world = try ImportExportWorld()
    try world.take(#"{"$entity":"Shelf","$id":"Shelf/p7","label":"A"}"#) { $0.keepsKeys = true }
    try world.take(
      #"{"$entity":"Shelf","label":"B"}"# + "\n" + book("Book/p1", 1, #","shelf":"Shelf/p7""#)
        + book("Book/p2", 2, #","shelf":"x-coredata://\#(world.store.identifier)/Shelf/p7""#))
    #expect(
      try world.ask("SELECT id, label FROM Shelf ORDER BY id") == [
        [.integer(7), .text("A")], [.integer(8), .text("B")],
      ])
    #expect(
      try world.ask("SELECT shelf, shelf_position FROM Book ORDER BY id") == [
        [.integer(7), .integer(2048)], [.integer(7), .integer(3072)],
      ])
    // A line that lists objects which are there moves them, and counts as a change of theirs.
    try world.take(#"{"$entity":"Shelf","label":"C","books":["Book/p2"]}"#)
    #expect(
      try world.ask("SELECT shelf, Z_OPT FROM Book JOIN ZBOOK ON Z_PK = id ORDER BY id") == [
        [.integer(7), .integer(1)], [.integer(9), .integer(2)],
      ])
  }

  @Test(
    "A row that a trigger of another program skips without an error makes the import fail, and nothing is imported",
    arguments: ["INSERT", "UPDATE"])
  func skippedRow(_ event: String) throws {
    let world = try ImportExportWorld()
    try world.take(#"{"$entity":"Shelf","$id":"Shelf/p1","label":"A"}"#) { $0.keepsKeys = true }
    let before = try world.dump()
    let connection = try Connection(path: world.folder.url.path, mode: .readWrite)
    try connection.execute(
      "CREATE TRIGGER SKIP BEFORE \(event) ON ZSHELF WHEN new.ZLABEL = 'B' BEGIN SELECT RAISE(IGNORE); END")
    connection.close()
    let id = event == "INSERT" ? "Shelf/p2" : "Shelf/p1"
    #expect(throws: SaveError.ignored(entity: "Shelf")) {
      try world.take(
        #"{"$entity":"Shelf","$id":"Shelf/p9","label":"C"}"# + "\n" + #"{"$entity":"Shelf","$id":"\#(id)","label":"B"}"#
      ) {
        $0.keepsKeys = event == "INSERT"
        $0.updates = event == "UPDATE"
      }
    }
    #expect(try world.dump() == before)
  }

  @Test("Updating changes what lines say of objects with the same identifier or unique values, and nothing else")
  func updates() throws {
    let world = try ImportExportWorld()
    try world.take(
      #"{"$entity":"Shelf","$id":"s","label":"A","books":["1","2"]}"# + "\n" + book("1", 1, #","related":["2"]"#)
        + book("2", 2))
    let lines =
      #"{"$entity":"Shelf","$id":"Shelf/p1","books":["Book/p2"]}"# + "\n"
      + #"{"$entity":"Book",\#(Self.code)1","title":"new","price":"2.5","related":[]}"# + "\n" + book("3", 3)
    let summary = try world.take(lines) { $0.updates = true }
    #expect(summary.inserted == 1)
    #expect(summary.updated == 2)
    #expect(
      try world.ask("SELECT id, title, price, pages, shelf FROM Book ORDER BY id") == [
        [.integer(1), .text("new"), .real(2.5), .integer(1), .null],
        [.integer(2), .text("t"), .null, .integer(1), .integer(1)],
        [.integer(3), .text("t"), .null, .integer(1), .null],
      ])
    #expect(try world.ask("SELECT count(*) FROM Book_related") == [[.integer(0)]])
    #expect(try world.ask("SELECT label FROM Shelf") == [[.text("A")]])
    // Without the option the same line is an object too many.
    let error = try #require(try world.refusal(book("4", 1)))
    #expect(
      error.description.contains(
        "already has another object with the same unique values — leave it out, or import with --update"))
  }

  @Test(
    "A line that is wrong is refused with its place, and nothing is written",
    arguments: [
      ("{", 2, 2, "a name in double quotation marks is missing here"), ("[]", 2, 1, "the line is not a JSON object"),
      (#"{"$entity":"Shelf","label":"\x"}"#, 2, 29, "there is no such escape"),
      (#"{"$entity":"Shelf","label":"a","label":"b"}"#, 2, 32, "the name occurs a second time"),
      (#"{"label":"x"}"#, 2, 1, "the object has no entity"),
      (#"{"$entity":"Shelv"}"#, 2, 12, "no entity “Shelv” (did you mean “Shelf”?)"),
      (#"{"$entity":"Shelf"}"#, 2, 1, "attribute “label” of entity “Shelf” has no value, and the model requires one"),
      (#"{"$entity":"Shelf","label":null}"#, 2, 28, "attribute “label” of entity “Shelf” has no value"),
      (#"{"$entity":"Shelf","label":1}"#, 2, 28, "attribute “label”: the value is no text"),
      (#"{"$entity":"Shelf","lable":"x"}"#, 2, 28, "no stored property “lable” (did you mean “label”?)"),
      (#"{"$entity":"Shelf","label":"é","books":"Book/p1"}"#, 2, 40, "is to-many, and its value is not a list"),
      (#"{"$entity":"Shelf","label":"x","books":[1]}"#, 2, 41, "is to-one, and its value is not an identifier"),
      (#"{"$entity":"Shelf","label":"x","books":["Book/p99"]}"#, 2, 41, "neither in the file nor in the store"),
      (#"{"$entity":"Shelf","label":"x","books":["s"]}"#, 2, 41, "“s” is of entity “Shelf”"),
      (#"{"$entity":"Shelf","$id":"s","label":"x"}"#, 2, 1, "line 1 has the same identifier"),
      (#"{"$entity":"Genre","name":"x","$id":7}"#, 2, 37, "$id is not a text"),
      ("\n\n{\"$entity\":\"Genre\",\"name\":\"\u{1}\"}", 4, 28, "a control character in a text has to be escaped"),
      (String(repeating: "[", count: 5000), 2, 129, "values are nested more than 128 levels deep"),
      (#"{"$entity":"Shelf","label":"\ud800"}"#, 2, 29, "the escape is half of a surrogate pair"),
      (#"{"$entity":"Genre","name":"x"} x"#, 2, 32, "there is text after the value"),
    ])
  func refusals(_ line: String, _ number: Int, _ column: Int, _ problem: String) throws {
    let world = try ImportExportWorld()
    let error = try #require(try world.refusal(#"{"$entity":"Shelf","$id":"s","label":"A"}"# + "\n" + line))
    #expect(error.problem.contains(problem), "\(error)")
    #expect(error.line == number)
    #expect(error.column == column)
  }

  @Test("Sides that contradict one another are refused, and so is one object in two places")
  func contradictions() throws {
    let world = try ImportExportWorld()
    let shelves =
      #"{"$entity":"Shelf","$id":"a","label":"A","books":["1"]}"# + "\n" + #"{"$entity":"Shelf","$id":"b","label":"B""#
    let both = try #require(try world.refusal(shelves + #","books":["1"]}"# + "\n" + book("1", 1)))
    #expect(both.problem.contains("which belongs to the object of line 1"))
    let other = try #require(try world.refusal(shelves + "}\n" + book("1", 1, #","shelf":"b""#)))
    #expect(other.problem.contains("leads to “b”, but the object of line 1 holds this one"))
    #expect(other.line == 3)
  }

  @Test("Bytes of no kind of JSON are refused, never a crash") func noise() throws {
    let world = try ImportExportWorld()
    let line = Array(
      book("1", 1, #","price":"1.5","bought":"2024-01-01T00:00:00Z","genres":[],"related":["1"]"#).utf8.dropLast())
    let file = world.folder.folder.appendingPathComponent("noise.jsonl")
    var random = SplitMix(seed: 136)
    let count = FullTests.areWanted ? 300 : 100
    var refused = 0
    for _ in 0..<count {
      var bytes = line
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      try Data(bytes).write(to: file)
      do {
        _ = try ObjectImport(file, into: world.store).run()
      } catch is ImportError { refused += 1 } catch is SaveError { refused += 1 }
    }
    #expect(refused > count / 3)
    #expect(try world.ask("PRAGMA integrity_check") == [[.text("ok")]])
  }

  @Test("An import that is ended half-way leaves the store as it was") func interrupted() throws {
    struct Enough: Error {}
    let world = try ImportExportWorld()
    try world.take(#"{"$entity":"Shelf","label":"A"}"#)
    let before = try world.dump()
    let file = world.folder.folder.appendingPathComponent("many.jsonl")
    let lines = (0..<2000).map { #"{"$entity":"Genre","$id":"g\#($0)","name":"\#($0)"}"# }.joined(separator: "\n")
    try Data(lines.utf8).write(to: file)
    for step in [1, 1999, 2500, 3999] {
      var count = 0
      #expect(throws: Enough.self) {
        try ObjectImport(file, into: world.store) {
          count += 1
          if count == step { throw Enough() }
        }.run()
      }
      #expect(try world.dump() == before)
    }
    #expect(try ObjectImport(file, into: world.store).run().inserted == 2000)
    #expect(try world.ask("SELECT count(*) FROM Genre") == [[.integer(2000)]])
  }

  @Test(
    "Lines that exchange unique values change their objects, whether near each other or far apart",
    arguments: [2, 1200])
  func exchange(_ count: Int) throws {
    let world = try ImportExportWorld()
    func code(_ number: Int) -> String {
      let digits = String(number)
      return "00000000-0000-0000-0000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
    try world.take(
      (1...count).map {
        #"{"$entity":"Book","$id":"\#($0)","title":"t","pages":1,"cover":"AA==","code":"\#(code($0))"}"#
      }.joined(separator: "\n"))
    // The first object gets the last one's value, and so on.
    let lines = (1...count).map { #"{"$entity":"Book","$id":"Book/p\#($0)","code":"\#(code(count + 1 - $0))"}"# }
    let summary = try world.take(lines.joined(separator: "\n")) { $0.updates = true }
    #expect(summary.updated == count && summary.inserted == 0)
    #expect(try world.ask("SELECT DISTINCT Z_OPT FROM ZBOOK") == [[.integer(2)]])
    let codes = try world.dump().split(separator: "\n").filter { $0.contains("\"Book/p") }
    #expect(codes.count == count)
    #expect(codes.first?.contains(code(count)) == true && codes.last?.contains(code(1)) == true)
    #expect(
      try world.ask("SELECT count(*), count(DISTINCT ZENTITYPK) FROM ACHANGE WHERE ZCHANGETYPE = 1")
        == [[.integer(Int64(count)), .integer(Int64(count))]])
    #expect(try StoreChecker.check(world.folder.url) == [])
    // Without an exchange the same value twice is refused.
    let error = #expect(throws: SaveError.self) {
      try world.take(#"{"$entity":"Book","$id":"Book/p1","code":"\#(code(1))"}"#) { $0.updates = true }
    }
    guard case .notUnique? = error else { return #expect(error == nil) }
  }
}
