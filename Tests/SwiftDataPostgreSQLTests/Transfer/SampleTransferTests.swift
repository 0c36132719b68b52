import CoreDataStore
import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreExchange
import StoreRequests
import StoreTestSupport
import StoreTransfer
import TestSupport
import Testing

@Suite("Copies of stores to PostgreSQL and back", TestServer.condition)
struct SampleTransferTests {
  /// An entity with an attribute of each type, a composite, and a big value.
  static let types = ModelDescription(
    entities: [
      EntityDescription(
        name: "Thing",
        properties: AttributeType.allCases.filter { ![.undefined, .objectID, .composite].contains($0) }.map {
          .attribute(AttributeDescription(name: "\($0)", type: $0, isOptional: true))
        } + [
          .attribute(
            AttributeDescription(
              name: "picture", type: .binary, isOptional: true, allowsExternalBinaryDataStorage: true)),
          .attribute(
            AttributeDescription(
              name: "place", type: .composite, isOptional: true, compositeName: "Place",
              elements: [
                AttributeDescription(name: "city", type: .string, isOptional: true),
                AttributeDescription(
                  name: "point", type: .composite, isOptional: true, compositeName: "Point",
                  elements: [
                    AttributeDescription(name: "x", type: .double, isOptional: true),
                    AttributeDescription(name: "y", type: .double, isOptional: true),
                  ]),
              ])),
        ])
    ], versionIdentifiers: ["7"])

  static let values = [
    #""string":"""#, #""string":"\"\\\n\r\t\u001b[31m\u0085'; DROP TABLE thing; --""#, #""string":"👩‍👩‍👧 é é {,} \\N""#,
    #""boolean":true"#, #""integer16":-32768"#, #""integer32":2147483647"#, #""integer64":-9223372036854775808"#,
    #""integer64":9223372036854775807"#, #""double":0.1"#, #""double":5e-324"#, #""double":"-Infinity""#,
    #""double":1.7976931348623157e+308"#, #""float":0.5"#, #""float":"Infinity""#, #""decimal":"NaN""#,
    #""decimal":"-12.5""#, #""decimal":"12345678901234567""#, #""date":"2024-02-29T12:00:00.123456Z""#,
    #""date":"1969-12-31T23:59:59.999Z""#, #""date":"0001-01-01T00:00:00Z""#,
    #""uuid":"00112233-4455-6677-8899-AABBCCDDEEFF""#, #""uri":"https://example.org/ä?b=c#d""#, #""binary":"AP8=""#,
    #""binary":"""#, #""transformable":["a",1,2.5,true,null,{"k":[]}]"#, #""place":{"city":"Sofia","point":{"y":2.5}}"#,
    #""place":{"city":""}"#, #""picture":"AQI=""#,
    #""picture":""# + Data(repeating: 7, count: 300_000).base64EncodedString() + "\"",
  ]

  private static func lines(_ values: [String]) -> String {
    values.enumerated().map { #"{"$entity":"Thing","$id":"Thing/p\#($0.offset * 3 + 5)",\#($0.element)}"# }
      .joined(separator: "\n")
  }

  /// Compares the told differences, without the history that every new store has.
  private func expectDifferences(_ report: TransferReport, _ expected: [String]) {
    let differences = report.differences.filter { $0 != "left out: the history of 1 transaction" }
    #expect(differences == expected)
    #expect(report.differences.count == expected.count + 1)
  }

  /// Compares a store with its copy that has come back.
  private func expectEqual(_ store: PersistentStore, _ back: PersistentStore) throws {
    #expect(difference(try ImportExportWorld.dump(store), try ImportExportWorld.dump(back)) == nil)
    #expect(back.identifier == store.identifier)
    #expect(back.layout.model == store.layout.model)
    // The checker does not know all names that entities can have.
    guard try Oracle.checkStore(try #require(store.url), fresh: true).status == 0 else { return }
    try Oracle.expectSound(try #require(back.url), fresh: true)
  }

  @Test("Values of every type come back as they were, with keys and identifier") func types() throws {
    let original = try ImportExportWorld(Self.types)
    try original.take(Self.lines(Self.values)) { $0.keepsKeys = true }
    let world = try TransferWorld()
    let report = try world.send(original.store)
    #expect(report.rows == Self.values.count)
    expectDifferences(report, [])
    let back = try world.fetch()
    defer { back.store.close() }
    #expect(back.report.differences == [])
    try expectEqual(original.store, back.store)
    #expect(back.store.externalData.map { FileManager.default.fileExists(atPath: $0.path) } == true)
  }

  @Test("Members of every kind of relationship come back in their order, and new objects get new keys")
  func relationships() throws {
    func book(_ number: Int, _ rest: String, _ entity: String = "Book") -> String {
      #"{"$entity":"\#(entity)","$id":"Book/p\#(number)","title":"\#(number)","code":"00000000-0000-0000-0000-00000000000\#(number)","pages":1,"cover":"",\#(rest)}"#
    }
    let original = try ImportExportWorld()
    try original.take(
      [
        #"{"$entity":"Shelf","$id":"Shelf/p4","label":"A","books":["Book/p9","Book/p2","Book/p5"],"favorites":["Book/p8","Book/p5"]}"#,
        #"{"$entity":"Shelf","$id":"Shelf/p2","label":"B","books":["Book/p8"]}"#,
        #"{"$entity":"Genre","$id":"Genre/p1","name":"x"}"#, #"{"$entity":"Genre","$id":"Genre/p2","name":"y"}"#,
        book(2, #""genres":["Genre/p2","Genre/p1"],"related":["Book/p2","Book/p9"]"#),
        book(9, #""genres":["Genre/p1","Genre/p2"]"#),
        book(5, #""hero":"h","sequel":"Book/p2","genres":["Genre/p1"]"#, "Novel"),
        book(8, #""sequel":"Book/p8""#, "Novel"),
      ].joined(separator: "\n")
    ) {
      $0.keepsKeys = true
      $0.isLenient = true
    }
    let world = try TransferWorld()
    expectDifferences(try world.send(original.store), [])
    let back = try world.fetch()
    defer { back.store.close() }
    try expectEqual(original.store, back.store)

    let server = try ServerStore.open(world.address, options: world.options, model: SampleModel.library)
    var changes = ChangeSet()
    let number = try #require(server.entities.entity(named: "Genre")?.number)
    changes.insertions = [
      ChangeSet.Insertion(
        entity: number, columns: [ColumnSelection(entityName: "Genre", propertyName: "name")],
        source: StoreValuesRow(values: ["name": .text("z")]))
    ]
    #expect(try server.save(changes).inserted.first?.object.key == 3)
    // A copy of more than the copy has: the history of that save stays behind.
    #expect(try world.fetch("second.store").report.differences == ["left out: the history of 1 transaction"])
  }

  @Test("More rows than one statement and one answer carry come back") func manyRows() throws {
    let original = try ImportExportWorld()
    var lines = (1...2600).map { #"{"$entity":"Genre","$id":"Genre/p\#($0)","name":"\#($0)"}"# }
    lines += (1...600).map {
      #"{"$entity":"Shelf","$id":"Shelf/p\#($0)","label":"\#($0)","favorites":[]}"#
    }
    try original.take(lines.joined(separator: "\n")) { $0.keepsKeys = true }
    let world = try TransferWorld()
    #expect(try world.send(original.store).rows == 3200)
    let back = try world.fetch()
    defer { back.store.close() }
    try expectEqual(original.store, back.store)
  }

  @Test("Names that SQL could take for its own come back") func hostileNames() throws {
    let names = ["a'b\"c\\d", "select", "_id", "A b", String(repeating: "long", count: 20), "ü; DROP TABLE x; --"]
    let model = ModelDescription(
      entities: names.enumerated().map { index, name in
        EntityDescription(
          name: "\(name) \(index)",
          properties: names.map { .attribute(AttributeDescription(name: $0, type: .string, isOptional: true)) } + [
            .relationship(
              RelationshipDescription(
                name: "others' \"", destinationEntityName: "\(name) \(index)", inverseName: "others' \"",
                maximumCount: 0))
          ])
      })
    let original = try ImportExportWorld(model)
    try original.take(
      try names.enumerated().map { index, name in
        let object: [String: Any] = [
          "$entity": "\(name) \(index)", "$id": "x\(index)", names[0]: "' \\ \"", "others' \"": ["x\(index)"],
        ]
        return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
      }.joined(separator: "\n"))
    var world = try TransferWorld()
    world.options.schema += "\"; '"
    expectDifferences(try world.send(original.store), [])
    let back = try world.fetch()
    defer { back.store.close() }
    try expectEqual(original.store, back.store)
  }

  @Test("A store of some of its model's entities comes back with its objects") func partial() throws {
    let original = try ImportExportWorld(SampleModel.twoIslands, entityNames: ["Note"])
    try original.take(#"{"$entity":"Note","$id":"Note/p6","text":"x"}"#) { $0.keepsKeys = true }
    let world = try TransferWorld()
    expectDifferences(try world.send(original.store), [])
    let back = try world.fetch()
    defer { back.store.close() }
    let dump = try ImportExportWorld.dump(back.store)
    #expect(try dump == original.dump())
    let url = try #require(back.store.url)
    try Oracle.expectSound(url, fresh: true)
  }

  @Test("A copy has one state of the store, whatever others save meanwhile") func oneState() throws {
    let original = try ImportExportWorld()
    let lines = (1...1500).map { #"{"$entity":"Genre","name":"\#($0)"}"# } + [#"{"$entity":"Shelf","label":"A"}"#]
    try original.take(lines.joined(separator: "\n"))
    let before = try original.dump()
    let world = try TransferWorld()
    var row = 0
    let sent = try StoreTransfer.copy(original.store, toServer: world.address, options: world.options) {
      row += 1
      // Shelves are read after genres.
      if row == 10 { try original.take(#"{"$entity":"Shelf","label":"late"}"#) }
    }
    #expect(sent.rows == 1501)
    #expect(try original.dump() != before)

    let server = try ServerStore.open(world.address, options: world.options, model: SampleModel.library)
    let number = try #require(server.entities.entity(named: "Shelf")?.number)
    let place = world.folder.folder.appendingPathComponent("back.store")
    row = 0
    _ = try StoreTransfer.copy(fromServer: world.address, options: world.options, to: place) {
      row += 1
      guard row == 10 else { return }
      var changes = ChangeSet()
      changes.insertions = [
        ChangeSet.Insertion(
          entity: number, columns: [ColumnSelection(entityName: "Shelf", propertyName: "label")],
          source: StoreValuesRow(values: ["label": .text("late")]))
      ]
      _ = try server.save(changes)
    }
    #expect(try server.count(FetchRequest(entityName: "Shelf")) == 2)
    let back = try PersistentStore.open(at: place, options: StoreOptions(isReadOnly: true))
    defer { back.close() }
    #expect(try ImportExportWorld.dump(back) == before)
  }

  @Test("A to-many relationship whose inverse is transient has no members, and does not hinder a copy")
  func transientInverse() throws {
    func items(_ name: String, _ inverse: String, isOrdered: Bool) -> PropertyDescription {
      .relationship(
        RelationshipDescription(
          name: name, destinationEntityName: "Item", inverseName: inverse, isOrdered: isOrdered, maximumCount: 0))
    }
    func owner(_ name: String, _ inverse: String) -> PropertyDescription {
      .relationship(
        RelationshipDescription(
          name: name, destinationEntityName: "Owner", inverseName: inverse, isTransient: true))
    }
    let name = PropertyDescription.attribute(AttributeDescription(name: "name", type: .string, isOptional: true))
    let model = ModelDescription(
      entities: [
        EntityDescription(
          name: "Owner",
          properties: [name, items("items", "owner", isOrdered: false), items("list", "lister", isOrdered: true)]),
        EntityDescription(name: "Item", properties: [name, owner("owner", "items"), owner("lister", "list")]),
      ])
    let original = try ImportExportWorld(model)
    try original.take(
      #"{"$entity":"Owner","$id":"Owner/p3","name":"x"}"# + "\n" + #"{"$entity":"Item","$id":"Item/p2","name":"y"}"#
    ) { $0.keepsKeys = true }
    let world = try TransferWorld()
    expectDifferences(try world.send(original.store), [])
    let back = try world.fetch()
    defer { back.store.close() }
    try expectEqual(original.store, back.store)
  }

  @Test("Inverses that name one another crosswise keep the members of each side") func crossedInverses() throws {
    func side(_ name: String, _ destination: String, _ inverse: String) -> PropertyDescription {
      .relationship(
        RelationshipDescription(
          name: name, destinationEntityName: destination, inverseName: inverse, isOrdered: name.hasSuffix("1"),
          maximumCount: 0))
    }
    let model = ModelDescription(
      entities: [
        EntityDescription(name: "Left", properties: [side("a1", "Right", "b2"), side("a2", "Right", "b1")]),
        EntityDescription(name: "Right", properties: [side("b1", "Left", "a1"), side("b2", "Left", "a2")]),
      ])
    let original = try ImportExportWorld(model)
    try original.take(
      [
        #"{"$entity":"Left","$id":"Left/p1","a1":["Right/p2","Right/p1"],"a2":["Right/p1"]}"#,
        #"{"$entity":"Left","$id":"Left/p2","a1":["Right/p3"],"a2":["Right/p2","Right/p3"]}"#,
        #"{"$entity":"Right","$id":"Right/p1","b1":["Left/p2"],"b2":["Left/p1"]}"#,
        #"{"$entity":"Right","$id":"Right/p2","b1":["Left/p2","Left/p1"],"b2":["Left/p2"]}"#,
        #"{"$entity":"Right","$id":"Right/p3"}"#,
      ].joined(separator: "\n")
    ) { $0.keepsKeys = true }
    #expect(try original.dump().contains(#""b1":["Left/p2","Left/p1"],"b2":["Left/p2"]"#))
    let world = try TransferWorld()
    expectDifferences(try world.send(original.store), [])
    let back = try world.fetch()
    defer { back.store.close() }
    try expectEqual(original.store, back.store)
  }

  // MARK: What does not travel

  @Test(
    "A value that the server cannot keep is refused, with its object and property",
    arguments: [
      (#""string":"a\u0000b""#, "NUL"), (#""float":1e300"#, "single precision"), (#""date":1e+16"#, "date before"),
      (#""integer64":{"$stored":"no number"}"#, "not an integer"),
      (#""uuid":{"$stored":{"$data":"AAE="}}"#, "16 bytes"),
    ])
  func unstorable(_ property: String, _ reason: String) throws {
    let original = try ImportExportWorld(Self.types)
    try original.take(Self.lines([#""boolean":true"#, property])) { $0.keepsKeys = true }
    let world = try TransferWorld()
    let error = #expect(throws: TransferError.self) { try world.send(original.store) }
    #expect(error?.problem.contains(reason) == true, "\(String(describing: error))")
    #expect(error?.problem.hasPrefix("object Thing/p8: ") == true, "\(String(describing: error))")
    #expect(try world.schemaExists() == false)
  }

  @Test("Digits that the other store lacks are told") func rounding() throws {
    let original = try ImportExportWorld(Self.types)
    try original.take(
      Self.lines([#""date":"2024-02-29T12:00:00.1234567Z""#, #""float":0.1"#, #""date":1e+16"#]))
    let world = try TransferWorld()
    expectDifferences(
      try world.send(original.store, isLenient: true),
      [
        "1 date was rounded to microseconds", "1 number was rounded to single precision",
        "1 date that the server cannot keep is infinite now",
      ])
    let connection = try #require(TestServer.shared).connect()
    try connection.execute("UPDATE \(Identifier(world.options.schema)).thing SET \"decimal\" = 1.234567890123456789012")
    let back = try world.fetch()
    defer { back.store.close() }
    #expect(back.report.differences == ["3 decimal numbers were rounded to the digits of a double"])
    let dump = try ImportExportWorld.dump(back.store)
    #expect(dump.contains(#""date":"2024-02-29T12:00:00.123457Z""#), "\(dump)")
  }

  @Test("A missing required value is refused, or told by a lenient copy") func missingValue() throws {
    let original = try ImportExportWorld()
    try original.take(#"{"$entity":"Genre","name":null}"#) { $0.isLenient = true }
    let world = try TransferWorld()
    #expect(throws: (any Error).self) { try world.send(original.store) }
    expectDifferences(
      try world.send(original.store, isLenient: true),
      [
        "1 row lacks the required value of the column “genre.name”, which now allows NULL"
      ])
    let back = try world.fetch()
    defer { back.store.close() }
    try expectEqual(original.store, back.store)
  }

  // MARK: Targets

  @Test("A schema with a store, or with another table, is refused") func occupied() throws {
    let original = try ImportExportWorld()
    try original.take(#"{"$entity":"Genre","name":"x"}"#)
    let world = try TransferWorld()
    _ = try world.send(original.store)
    let second = #expect(throws: StoreProblem.self) { try world.send(original.store) }
    #expect(second?.problem.contains("has a store already") == true)
    var other = world
    other.options.schema += "_other"
    let connection = try #require(TestServer.shared).connect()
    try connection.execute(
      "CREATE SCHEMA \(Identifier(other.options.schema)); CREATE TABLE \(Identifier(other.options.schema)).theirs (a int)"
    )
    let foreign = #expect(throws: StoreProblem.self) { try other.send(original.store) }
    #expect(foreign?.problem.contains("has tables already: “theirs”") == true)
    let missing = #expect(throws: StoreProblem.self) { _ = try other.fetch() }
    #expect(missing?.problem.contains("has no store") == true)
    _ = try world.fetch().store.close()
    #expect(throws: StoreCopyError.self) { _ = try world.fetch() }
  }

  private struct Stop: Error {}

  @Test("A copy that ends early leaves nothing on the server, and nothing beside a file", arguments: [false, true])
  func ended(_ isCut: Bool) async throws {
    let original = try ImportExportWorld()
    try original.take((1...2500).map { #"{"$entity":"Genre","name":"\#($0)"}"# }.joined(separator: "\n"))
    let world = try TransferWorld()
    /// Ends the copy at a row: by an error of this process, or by the end of the server's process.
    func end(_ row: inout Int) throws {
      row += 1
      guard row == 2100 else { return }
      guard isCut else { throw Stop() }
      _ = try #require(TestServer.shared).connect().run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
        [.text(world.options.schema)])
    }
    var row = 0
    #expect(throws: (any Error).self) {
      try StoreTransfer.copy(original.store, toServer: world.address, options: world.options) { try end(&row) }
    }
    #expect(row >= 2100)
    try await eventually { (try? world.schemaExists()) == false }
    #expect(try world.schemaExists() == false)
    _ = try world.send(original.store)
    row = 0
    let place = world.folder.folder.appendingPathComponent("back.store")
    #expect(throws: (any Error).self) {
      try StoreTransfer.copy(fromServer: world.address, options: world.options, to: place) { try end(&row) }
    }
    #expect(row >= 2100)
    #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder.folder.path) == [])
  }
}
