import ManagedModel
import PostgreSQLTestSupport
import StoreRequests
import Testing

/// A number that the new type of an attribute holds stays; any other number is in the way, and nothing changes.
@Suite("Numbers that get another type in a PostgreSQL store", TestServer.condition)
struct NumberConversionTests {
  struct Case: CustomTestStringConvertible {
    let from: AttributeType
    let to: AttributeType
    let number: String
    /// The number after the migration; `nil` if it is in the way.
    let result: String?

    init(_ from: AttributeType, _ to: AttributeType, _ number: String, _ result: String?) {
      (self.from, self.to, self.number, self.result) = (from, to, number, result)
    }

    var testDescription: String { "\(number): \(from) → \(to)" }
  }

  private static func entity(_ type: AttributeType) -> [EntityDescription] {
    [EntityDescription(name: "Sample", properties: [.attribute("value", type)])]
  }

  @Test(arguments: [
    // Fractions beyond the digits that a decimal number made of the value has.
    Case(.double, .integer64, "1234567890123456.5", nil), Case(.double, .integer64, "4503599627370495.5", nil),
    Case(.double, .integer64, "0.1", nil), Case(.float, .integer32, "123456.5", nil),
    Case(.double, .integer64, "1234567890123457", "1234567890123457"),
    Case(.float, .integer32, "1234567", "1234567"),
    Case(.decimal, .integer64, "9223372036854775806.5", nil),
    Case(.decimal, .integer64, "9223372036854775807", "9223372036854775807"),
    // The bounds of the types.
    Case(.double, .integer64, "9223372036854775808", nil), Case(.float, .integer64, "9223372036854775808", nil),
    Case(.decimal, .integer64, "9223372036854775808", nil),
    Case(.double, .integer64, "-9223372036854775808", "-9223372036854775808"),
    Case(.float, .integer64, "-9223372036854775808", "-9223372036854775808"),
    Case(.double, .integer64, "9223372036854774784", "9223372036854774784"),
    Case(.double, .integer64, "-9223372036854777856", nil), Case(.float, .integer32, "2147483648", nil),
    Case(.float, .integer32, "-2147483648", "-2147483648"), Case(.double, .integer16, "32767", "32767"),
    Case(.double, .integer16, "32767.5", nil), Case(.integer64, .integer16, "32768", nil),
    Case(.integer64, .integer32, "-2147483648", "-2147483648"), Case(.integer64, .integer32, "2147483648", nil),
    // No numbers.
    Case(.double, .integer64, "NaN", nil), Case(.double, .integer64, "Infinity", nil),
    Case(.float, .integer16, "-Infinity", nil), Case(.float, .integer64, "NaN", nil),
    // Floating-point numbers of single precision.
    Case(.double, .float, "3.4028234663852886e38", "3.4028235e+38"), Case(.double, .float, "3.4028236e38", nil),
    Case(.double, .float, "1.401298464324817e-45", "1e-45"), Case(.double, .float, "1e-46", nil),
    Case(.double, .float, "NaN", "NaN"),
    // Decimal numbers, as saves take them.
    Case(.double, .decimal, "1e200", nil), Case(.double, .decimal, "-1e200", nil),
    Case(.double, .decimal, "1e-200", nil), Case(.double, .decimal, "0.1", "0.1"),
    Case(.double, .decimal, "1e127", "1" + String(repeating: "0", count: 127)),
    // Floating-point numbers of double precision.
    Case(.decimal, .double, "1.7976931348623157e308", "1.7976931348623157e+308"),
    Case(.decimal, .double, "1.8e308", nil), Case(.decimal, .double, "-1e400", nil),
    Case(.decimal, .double, "5e-324", "5e-324"), Case(.decimal, .double, "1e-324", nil),
    Case(.decimal, .double, "0.1", "0.1"), Case(.decimal, .double, "NaN", "NaN"),
  ])
  func conversion(_ one: Case) throws {
    let world = try EngineStore(Self.entity(one.from))
    try world.execute("INSERT INTO $sample (value) VALUES (NULL), ('\(one.number)')")
    let before = try world.column("SELECT value::text FROM $sample ORDER BY 1")
    let obstacle = try world.obstacle(to: Self.entity(one.to))
    #expect(obstacle?.reason == (one.result == nil ? .outOfRange(one.to) : nil))
    let after = try world.column("SELECT value::text FROM $sample ORDER BY 1")
    #expect(after == (one.result.map { [$0, "NULL"] } ?? before))
  }
}
