import CSQLite
import CoreDataStore
import Foundation
import ManagedModel
import SQLite

/// The migration by a mapping model of a store with every kind of column: texts, bytes, big values (some of them in files), keys, and
/// a join table with as many rows as there are items. Both sides of the relationships are mapped.
struct ShapeContestant {
  let template: URL
  let place: URL

  private static func attribute(_ name: String, _ type: AttributeType, isExternal: Bool = false) -> PropertyDescription
  {
    .attribute(
      AttributeDescription(name: name, type: type, isOptional: true, allowsExternalBinaryDataStorage: isExternal))
  }

  private static func relationship(
    _ name: String, _ destination: String, _ inverse: String, isToMany: Bool
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name: name, destinationEntityName: destination, inverseName: inverse, inverseEntityName: destination,
        maximumCount: isToMany ? 0 : 1))
  }

  private static func model(_ item: String, _ shelf: String, _ tag: String, title: String) -> ModelDescription {
    ModelDescription(entities: [
      EntityDescription(
        name: item,
        properties: [
          attribute("bytes", .binary), attribute("count", .integer32), attribute("cover", .binary, isExternal: true),
          attribute("note", .string), attribute(title, .string),
          relationship("shelf", shelf, "items", isToMany: false), relationship("tags", tag, "items", isToMany: true),
        ]),
      EntityDescription(
        name: shelf, properties: [attribute("label", .string), relationship("items", item, "shelf", isToMany: true)]),
      EntityDescription(
        name: tag, properties: [attribute("label", .string), relationship("items", item, "tags", isToMany: true)]),
    ])
  }

  static let old = model("Item", "Shelf", "Tag", title: "title")
  static let new = model("Ware", "Rack", "Label", title: "name")

  static let mapping: MappingModel = {
    func value(_ name: String, _ source: String? = nil) -> PropertyMapping {
      PropertyMapping(name: name, value: .expression(.keyPath(of: .variable("source"), source ?? name)))
    }
    func rows(_ name: String) -> PropertyMapping {
      let arguments: [ExpressionTree] = [
        .variable("manager"), .string("destinationInstancesForSourceRelationshipNamed:sourceInstances:"), .string(name),
        .keyPath(of: .variable("source"), name),
      ]
      return PropertyMapping(name: name, value: .expression(.function("FUNCTION", arguments)))
    }
    let count = ExpressionTree.function(
      "add:to:", [.keyPath(of: .variable("source"), "count"), .integer(1)])
    return MappingModel(
      name: "Shapes",
      entityMappings: [
        EntityMapping(
          name: "Wares", sourceEntityName: "Item", destinationEntityName: "Ware",
          attributeMappings: [
            value("bytes"), value("cover"), value("note"), value("name", "title"),
            PropertyMapping(name: "count", value: .expression(count)),
          ], relationshipMappings: [rows("shelf"), rows("tags")]),
        EntityMapping(
          name: "Racks", sourceEntityName: "Shelf", destinationEntityName: "Rack", attributeMappings: [value("label")],
          relationshipMappings: [rows("items")]),
        EntityMapping(
          name: "Labels", sourceEntityName: "Tag", destinationEntityName: "Label", attributeMappings: [value("label")],
          relationshipMappings: [rows("items")]),
      ])
  }()

  private func files(_ store: URL) -> URL {
    let name = ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT"
    return store.deletingLastPathComponent().appendingPathComponent(name).appendingPathComponent("_EXTERNAL_DATA")
  }

  /// A store of items; every thousandth has its cover in a file.
  func make(rows: Int) throws {
    try PersistentStore.open(at: template, model: Self.old).close()
    try FileManager.default.createDirectory(at: files(template), withIntermediateDirectories: true)
    let connection = try Connection(path: template.path, mode: .readWrite)
    defer { connection.close() }
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <"
    try connection.transaction {
      for (table, entity) in [("ZSHELF", "Shelf"), ("ZTAG", "Tag")] {
        try connection.execute(
          "\(numbers) 1000) INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT, ZLABEL) SELECT i, "
            + "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)'), 1, 'Label ' || i FROM n")
      }
      try connection.execute(
        """
        \(numbers) \(rows)) INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZBYTES, ZCOUNT, ZCOVER, ZNOTE, ZTITLE, ZSHELF)
        SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'), 1, randomblob(64), i % 900,
          CAST(x'01' || randomblob(32) AS BLOB), CASE WHEN i % 3 THEN 'A note of some length, number ' || i % 1000 END,
          'The item with the number ' || i, i * 7919 % 1000 + 1 FROM n;
        \(numbers) \(rows)) INSERT INTO \(try joinTable(connection)) SELECT i, i * 104729 % 1000 + 1 FROM n
        """)
      let update = try connection.prepare("UPDATE ZITEM SET ZCOVER = ? WHERE Z_PK = ?")
      let bytes = Data(repeating: 7, count: 200_000)
      for key in stride(from: 1000, through: min(rows, 100_000), by: 1000) {
        let name = UUID().uuidString
        try bytes.write(to: files(template).appendingPathComponent(name))
        try update.bind(Data([2]) + Data(name.utf8) + Data([0]), at: 1)
        try update.bind(Int64(key), at: 2)
        try update.run()
      }
      for (name, last) in [("Item", rows), ("Shelf", 1000), ("Tag", 1000)] {
        try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(last) WHERE Z_NAME = '\(name)'")
      }
    }
    try connection.setPragma("wal_checkpoint", "TRUNCATE")
  }

  /// The join table with its columns, those of items first.
  private func joinTable(_ connection: Connection, of schema: String = "main", items: String = "Item") throws -> String
  {
    let table =
      try connection.text(
        "SELECT name FROM \(schema).sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'") ?? ""
    let number = try connection.integer("SELECT Z_ENT FROM \(schema).Z_PRIMARYKEY WHERE Z_NAME = '\(items)'") ?? 0
    let columns = "SELECT name FROM pragma_table_info('\(table)', '\(schema)') WHERE name"
    let own = try connection.text("\(columns) GLOB 'Z_\(number)*'") ?? ""
    let other = try connection.text("\(columns) NOT GLOB 'Z_\(number)*'") ?? ""
    return "\(schema).\(table) (\(own), \(other))"
  }

  func reset() throws {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: place.path + suffix) }
    try? FileManager.default.removeItem(at: files(place).deletingLastPathComponent())
    try FileManager.default.copyItem(at: template, to: place)
    try FileManager.default.createDirectory(
      at: files(place).deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: files(template), to: files(place))
  }

  func map() throws { try PersistentStore.migrate(at: place, by: Self.mapping, from: Self.old, to: Self.new) }

  /// The same rows by statements that somebody would write: from the old store, attached, into an empty one that takes its place. The files
  /// keep their folder.
  func mapByHand() throws {
    let new = place.appendingPathExtension("new")
    defer { for suffix in ["", "-wal", "-shm"] { unlink(new.path + suffix) } }
    try PersistentStore.open(at: new, model: Self.new).close()
    let connection = try Connection(path: place.path, mode: .readWrite)
    try connection.execute("ATTACH '\(new.path)' AS new")
    try connection.setPragma("new.synchronous", "NORMAL")
    func number(_ entity: String) -> String {
      "(SELECT Z_ENT FROM new.Z_PRIMARYKEY WHERE Z_NAME = '\(entity)')"
    }
    try connection.transaction {
      try connection.execute(
        """
        INSERT INTO new.ZRACK (Z_PK, Z_ENT, Z_OPT, ZLABEL) SELECT Z_PK, \(number("Rack")), 1, ZLABEL FROM main.ZSHELF;
        INSERT INTO new.ZLABEL (Z_PK, Z_ENT, Z_OPT, ZLABEL) SELECT Z_PK, \(number("Label")), 1, ZLABEL FROM main.ZTAG;
        INSERT INTO new.ZWARE (Z_PK, Z_ENT, Z_OPT, ZBYTES, ZCOUNT, ZCOVER, ZNOTE, ZNAME, ZSHELF)
        SELECT Z_PK, \(number("Ware")), 1, ZBYTES, ZCOUNT + 1, ZCOVER, ZNOTE, ZTITLE, ZSHELF FROM main.ZITEM;
        """)
      let old = try joinTable(connection).split(separator: "(").map(String.init)
      let new = try joinTable(connection, of: "new", items: "Ware")
      try connection.execute("INSERT INTO \(new) SELECT \(old[1].dropLast()) FROM \(old[0])")
      for (name, table) in [("Ware", "ZWARE"), ("Rack", "ZRACK"), ("Label", "ZLABEL")] {
        try connection.execute(
          "UPDATE new.Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM new.\(table)) WHERE Z_NAME = '\(name)'")
      }
    }
    connection.close()
    for suffix in ["-wal", "-shm"] { unlink(place.path + suffix) }
    guard rename(new.path, place.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
