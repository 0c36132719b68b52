import CSQLite
import CoreDataStore
import Foundation
import ManagedModel
import StoreExchange
import ModelArchive

/// The store that inputs are changes of, made anew by each run of the program; set before the first input.
nonisolated(unsafe) var template: StoreTemplate?

/// A small store with every kind of property, as the bytes of its file, and what its tables hold.
struct StoreTemplate {
  let bytes: Data
  /// Tables and their columns, which edits name by number.
  let tables: [(name: String, columns: [String])]

  struct Failure: Error { let text: String }

  init() throws {
    let url = try StoreTemplate.place()
    defer { StoreTemplate.clear(url) }
    let store = try PersistentStore.open(at: url, model: StoreTemplate.model)
    let lines = url.appendingPathExtension("lines")
    try Data(StoreTemplate.lines.utf8).write(to: lines)
    for _ in 1...2 { _ = try ObjectImport(lines, into: store, options: StoreTemplate.updating).run() }
    store.close()
    var tables: [(String, [String])] = []
    try StoreTemplate.withDatabase(url) { database in
      // Small pages: an input is to be small, and its pages many.
      try StoreTemplate.run(
        database, "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM; PRAGMA journal_mode = WAL")
      for name in try StoreTemplate.texts(database, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      {
        let columns = try StoreTemplate.texts(database, "SELECT name FROM pragma_table_info('\(name)') ORDER BY cid")
        tables.append((name, columns))
      }
    }
    self.tables = tables + [("sqlite_master", ["type", "name", "tbl_name", "rootpage", "sql"])]
    bytes = try Data(contentsOf: url)
  }

  /// First inputs: the file itself, and edits of a value in each column of each table.
  func seeds() -> [Data] {
    let cells = tables.indices.flatMap { table in tables[table].columns.indices.map { (table, $0) } }
    return [bytes]
      + cells.enumerated().map { number, cell in
        Data([UInt8(cell.0), UInt8(cell.1), 0, UInt8(number % StoreEdits.kinds), 3, 1, 2, 3])
      }
  }

  // MARK: Files

  /// A path for a store of this process, in memory where the system has such a place; nothing is there.
  static func place() throws -> URL {
    let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
    let parent = access(memory.path, W_OK) == 0 ? memory : FileManager.default.temporaryDirectory
    let folder = parent.appendingPathComponent("fuzz-store-\(getpid())", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appendingPathComponent("store")
  }

  static func clear(_ url: URL) { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

  /// Runs `body` with a bare connection, without the safeguards of our own.
  static func withDatabase(_ url: URL, _ body: (OpaquePointer?) throws -> Void) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open(url.path, &database) == SQLITE_OK else { throw Failure(text: "cannot open \(url.path)") }
    try body(database)
  }

  static func run(_ database: OpaquePointer?, _ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      throw Failure(text: String(cString: sqlite3_errmsg(database)))
    }
  }

  private static func texts(_ database: OpaquePointer?, _ sql: String) throws -> [String] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
      throw Failure(text: String(cString: sqlite3_errmsg(database)))
    }
    var texts: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
    }
    return texts
  }

  // MARK: What is in it

  static var updating: ObjectImport.Options {
    var options = ObjectImport.Options()
    (options.updates, options.isLenient, options.author) = (true, true, "fuzz")
    return options
  }

  static let lines = """
    {"$entity":"Box","$id":"one","title":"one","many":["a","b"],"tags":["t"]}
    {"$entity":"Box","$id":"two","title":"two","tags":["t"]}
    {"$entity":"Item","$id":"a","text":"a","number":1,"real":0.5,"flag":true,"price":"1.25","next":"b"}
    {"$entity":"Part","$id":"b","text":"b","moment":"2020-02-02T02:02:02Z","data":"AAEC","weight":3}
    {"$entity":"Tag","$id":"t","name":"t"}
    """

  static let model = ModelDescription(
    entities: [
      EntityDescription(
        name: "Box",
        properties: [
          attribute("title", .string),
          .attribute(
            AttributeDescription(
              name: "count", type: .integer64, isOptional: true, isReadOnly: true,
              derivation: .init(expression: "many.@count"))),
          toMany("many", "Item", "box", isOrdered: true), toMany("tags", "Tag", "boxes", isOrdered: true),
          toMany("loose", "Tag", nil),
        ], uniquenessConstraints: [["title"]]),
      EntityDescription(
        name: "Item",
        properties: [
          attribute("text", .string), attribute("number", .integer16), attribute("real", .double),
          attribute("flag", .boolean), attribute("price", .decimal), attribute("moment", .date),
          attribute("mark", .uuid), attribute("place", .uri), attribute("any", .transformable),
          .attribute(
            AttributeDescription(
              name: "data", type: .binary, isOptional: true, allowsExternalBinaryDataStorage: true,
              preservesValueInHistoryOnDeletion: true)),
          .attribute(
            AttributeDescription(
              name: "pair", type: .composite, isOptional: true,
              elements: [
                AttributeDescription(name: "left", type: .string, isOptional: true),
                AttributeDescription(name: "right", type: .double, isOptional: true),
              ])),
          toOne("box", "Box", "many"), toOne("next", "Item", "last"), toOne("last", "Item", "next"),
        ],
        fetchIndexes: [
          FetchIndexDescription(
            name: "byText", elements: [.init(subject: .property("text"))], partialIndexPredicate: "number > 1")
        ]),
      EntityDescription(name: "Part", superentityName: "Item", properties: [attribute("weight", .integer32)]),
      EntityDescription(name: "Tag", properties: [attribute("name", .string), toMany("boxes", "Box", "tags")]),
    ], versionIdentifiers: ["1"])

  private static func attribute(_ name: String, _ type: AttributeType) -> PropertyDescription {
    .attribute(AttributeDescription(name: name, type: type, isOptional: true))
  }

  private static func toOne(_ name: String, _ destination: String, _ inverse: String?) -> PropertyDescription {
    .relationship(RelationshipDescription(name: name, destinationEntityName: destination, inverseName: inverse))
  }

  private static func toMany(
    _ name: String, _ destination: String, _ inverse: String?, isOrdered: Bool = false
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name: name, destinationEntityName: destination, inverseName: inverse, isOrdered: isOrdered, maximumCount: 0))
  }
}
