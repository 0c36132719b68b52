import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import Testing

/// A name of the model has a letter with a mark as one character, then as two: names that Swift takes for equal, and the server does not.
@Suite("Names in another normal form in a migration", TestServer.condition)
struct RespelledNameTests {
  private static let composed = "Caf\u{E9}"
  private static let decomposed = "Cafe\u{301}"

  /// An entity with a subentity, named after a word.
  private static func entities(_ word: String) -> [EntityDescription] {
    [
      EntityDescription(name: word, properties: [.attribute("n\(word)", .integer64)]),
      EntityDescription(
        name: "Sub\(word)", superentityName: word, properties: [.attribute("m\(word)", .integer64, isOptional: false)]),
    ]
  }

  private static func structure(_ word: String) -> [EntityDescription] {
    [
      EntityDescription(
        name: "Sample",
        properties: [
          .attribute(
            AttributeDescription(
              name: "p\(word)", type: .composite, compositeName: "Point",
              elements: [
                AttributeDescription(name: "x", type: .double, isOptional: true),
                AttributeDescription(name: "y", type: .double, isOptional: true),
              ]))
        ])
    ]
  }

  private static func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  @Test("Tables, columns, kinds of rows and the history get the new form, and the rows stay")
  func respelled() throws {
    let world = try EngineStore(Self.entities(Self.composed))
    try world.insert(Self.composed, [["n\(Self.composed)": .integer(1)]])
    try world.insert("Sub\(Self.composed)", [["n\(Self.composed)": .integer(2), "m\(Self.composed)": .integer(3)]])
    try world.migrate(to: Self.entities(Self.decomposed))
    let kinds = Self.bytes([Self.decomposed, "Sub\(Self.decomposed)"])
    let table = Identifier(NamingRule.snakeCase.name(Self.decomposed))
    let column = Identifier(NamingRule.snakeCase.name("n\(Self.decomposed)"))
    #expect(try world.column("SELECT \(column)::text FROM $\(table) ORDER BY 1") == ["1", "2"])
    #expect(Self.bytes(try world.column("SELECT _kind FROM $\(table) ORDER BY 1")) == kinds)
    #expect(Self.bytes(try world.column("SELECT DISTINCT entity FROM $_store_changes ORDER BY 1")) == kinds)

    let store = try world.reopened(Self.entities(Self.decomposed))
    var request = FetchRequest(entityName: Self.decomposed)
    request.columns = [ColumnSelection(entityName: Self.decomposed, propertyName: "n\(Self.decomposed)")]
    let rows = try store.fetch(request)
    var values: [StoreValue] = []
    while try rows.next() { values.append(rows.value(0)) }
    #expect(Set(values) == [.integer(1), .integer(2)])
  }

  @Test("A structure's name, which no version hash has, is another one as well")
  func structure() throws {
    let world = try EngineStore(Self.structure(Self.composed))
    let column = Identifier(NamingRule.snakeCase.name("p\(Self.composed)") + "_x")
    try world.execute("INSERT INTO $sample (\(column)) VALUES (7)")
    let error = #expect(throws: OtherModelError.self) { _ = try world.reopened(Self.structure(Self.decomposed)) }
    #expect(error?.remedy?.hasPrefix("open it with the classes that made it") == true)
    try world.migrate(to: Self.structure(Self.decomposed))
    let new = Identifier(NamingRule.snakeCase.name("p\(Self.decomposed)") + "_x")
    #expect(try world.column("SELECT \(new)::text FROM $sample") == ["7"])
  }

  @Test("Identifiers are equal if their bytes are")
  func identifiers() {
    let (one, other) = (Identifier(Self.composed), Identifier(Self.decomposed))
    #expect(Self.composed == Self.decomposed && one != other && one == Identifier(Self.composed))
    #expect(Set([one, other, one]).count == 2)
  }
}
