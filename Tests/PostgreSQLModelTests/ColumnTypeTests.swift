import ErrorReporting
import ManagedModel
import PostgreSQL
import PostgreSQLModel
import PostgreSQLTestSupport
import Testing

@Suite("Types of columns", TestServer.condition)
struct ColumnTypeTests {
  let schema: DatabaseSchema

  init() throws { schema = try DatabaseSchema() }

  private func read(_ sql: String) throws -> (attributes: [String: AttributeDescription], notes: [DatabaseNote]) {
    try schema.connection.execute(sql)
    let model = try schema.model()
    let attributes = model.versions[0].entities[0].attributes
    return (Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0) }), model.notes)
  }

  /// Types that have no attribute of their own, each with a value.
  static let others = [
    ("json", #"{"a": [1]}"#), ("jsonb", "{}"), ("time", "09:00:00"), ("timetz", "09:00:00+02"), ("interval", "2 days"),
    ("inet", "10.0.0.1/24"), ("cidr", "10.0.0.0/8"), ("macaddr", "08:00:2b:01:02:03"), ("int4range", "[1,5)"),
    ("xml", "<a/>"), ("bit(3)", "101"), ("point", "(1,2)"), ("tsvector", "'a'"), ("pair", "(1,a)"),
  ]

  @Test("A column of any type has a property; without an attribute of its own it is the text that the server prints")
  func everyType() throws {
    let columns = Self.others.enumerated().map { number, type in "c\(number) \(type.0) DEFAULT '\(type.1.sqlMarks)'" }
    let (attributes, notes) = try read(
      """
      CREATE TYPE pair AS (number integer, word text);
      CREATE TABLE t (k text PRIMARY KEY, \(columns.joined(separator: ", ")))
      """)
    for (number, (type, value)) in Self.others.enumerated() {
      let attribute = try #require(attributes["c\(number)"], "\(type)")
      #expect(attribute.type == .string, "\(type)")
      #expect(attribute.defaultValue == .string(value), "\(type)")
      #expect(notes.contains { $0.column == "c\(number)" && $0.problem.contains("the class takes their text") })
    }
    #expect(!notes.contains { $0.column != nil && $0.severity == .warning })
  }

  @Test(
    "An array has the Swift type of its elements",
    arguments: [
      ("integer[]", "Array<Int32>"), ("bigint[]", "Array<Int>"), ("real[]", "Array<Float>"),
      ("numeric(6,2)[]", "Array<Decimal>"), ("date[]", "Array<Date>"), ("timestamp[]", "Array<Date>"),
      ("bytea[]", "Array<Data>"), ("varchar(4)[]", "Array<String>"), ("inet[]", "Array<String>"),
      ("mood[]", "Array<String>"), ("small[]", "Array<Int16>"), ("jsonb[]", "Array<String>"),
    ])
  func arrays(type: String, expected: String) throws {
    let (attributes, notes) = try read(
      """
      CREATE TYPE mood AS ENUM ('calm', 'wild'); CREATE DOMAIN small AS smallint CHECK (VALUE > 0);
      CREATE TABLE t (k text PRIMARY KEY, x \(type))
      """)
    let attribute = try #require(attributes["x"])
    #expect(attribute.type == .transformable && attribute.valueClassName == expected)
    #expect(notes.contains { $0.column == "x" && $0.problem.contains("allows arrays of arrays") })
    let sources = try schema.sources().values.joined()
    let element = expected.dropFirst("Array<".count).dropLast()
    #expect(sources.contains("    var x: [\(element)]?\n"), "\(sources)")
  }

  @Test("An enumeration type is a Swift enumeration, except in a key, where the class takes any text")
  func enumerations() throws {
    let (attributes, notes) = try read(
      """
      CREATE TYPE order_state AS ENUM ('open', 'in_progress'); CREATE DOMAIN state AS order_state;
      CREATE TABLE t (k order_state PRIMARY KEY, x order_state NOT NULL DEFAULT 'in_progress', y state);
      CREATE INDEX t_x ON t (x)
      """)
    let enumeration = EnumerationDescription(name: "OrderState", labels: ["open", "in_progress"])
    #expect(attributes["x"]?.enumeration == enumeration && attributes["y"]?.enumeration == enumeration)
    #expect(attributes["k"]?.enumeration == nil && attributes["k"]?.type == .string)
    #expect(notes.filter { $0.problem.contains("any text") }.map(\.column) == ["k"])
    let sources = try schema.sources().values.joined()
    #expect(sources.contains("    var x: OrderState = OrderState.inProgress\n"), "\(sources)")
    #expect(sources.contains("    @Attribute(.unique) var k: String\n"))
  }

  @Test("Labels that Swift takes as equal, and none at all, leave the column a text")
  func unusualLabels() throws {
    let (attributes, notes) = try read(
      """
      CREATE TYPE twins AS ENUM ('e\u{301}', 'é'); CREATE TYPE nothing AS ENUM ();
      CREATE TABLE t (k text PRIMARY KEY, x twins, y nothing)
      """)
    for name in ["x", "y"] {
      #expect(attributes[name]?.type == .string && attributes[name]?.enumeration == nil)
      #expect(notes.contains { $0.column == name && $0.problem.contains("any text") })
    }
  }
}

extension String {
  /// The text between the marks of an SQL literal.
  fileprivate var sqlMarks: String { split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") }
}
