import Foundation
import ManagedModel
import Testing

@testable import CoreDataModel

@Suite("Defaults and bounds of attributes")
struct AttributeValueTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let type: String
    let text: String
    let value: AttributeValue?
    var testDescription: String { "\(type) \(text)" }
  }

  @Test("A default is read for its type", arguments: defaults)
  func defaultValue(_ example: Case) throws {
    let name = example.type == "Date" ? "defaultDateTimeInterval" : "defaultValueString"
    let attribute = try cleanAttribute("attributeType=\"\(example.type)\" \(name)=\"\(example.text)\"")
    #expect(attribute.defaultValue == example.value)
  }

  @Test("Bounds are read for their type; those of a string are bounds of its length")
  func bounds() throws {
    let number = try cleanAttribute(#"attributeType="Decimal" minValueString="0.01" maxValueString="99.99""#)
    #expect(number.minimumValue == .decimal(Decimal(1) / 100))
    #expect(number.maximumValue == .decimal(Decimal(9999) / 100))
    let string = try cleanAttribute(#"attributeType="String" minValueString="1" maxValueString="80""#)
    #expect(string.minimumValue == .integer(1))
    #expect(string.maximumValue == .integer(80))
    let date = try cleanAttribute(#"attributeType="Date" minDateTimeInterval="-1.5" maxDateTimeInterval="2""#)
    #expect(date.minimumValue == .date(-1.5))
    #expect(date.maximumValue == .date(2))
  }

  @Test("An empty text is no value, but for a string it is the empty string")
  func empty() throws {
    #expect(try cleanAttribute(#"attributeType="Integer 16" defaultValueString="""#).defaultValue == nil)
    #expect(try cleanAttribute(#"attributeType="String" defaultValueString="""#).defaultValue == .string(""))
    #expect(try cleanAttribute(#"attributeType="String" minValueString="""#).minimumValue == nil)
  }

  @Test(
    "A number that was a Boolean before, and the reverse, is read with a warning",
    arguments: [
      ("Integer 64", "YES", AttributeValue.integer(1)), ("Double", "NO", .double(0)), ("Decimal", "YES", .decimal(1)),
      ("Boolean", "0.0", .boolean(false)), ("Boolean", "2", .boolean(true)),
    ])
  func coerced(type: String, text: String, value: AttributeValue) throws {
    let parsed = try parse(
      "<entity name=\"E\"><attribute name=\"a\" attributeType=\"\(type)\" defaultValueString=\"\(text)\"/></entity>")
    #expect(parsed.model.entities.first?.attributes.first?.defaultValue == value)
    #expect(parsed.diagnostics.map(\.severity) == [.warning])
  }

  @Test(
    "A value that the type cannot take is left out with a warning",
    arguments: [
      (#"attributeType="UUID" defaultValueString="empy""#, "the default value"),
      (#"attributeType="Integer 16" defaultValueString="many""#, "the default value"),
      (#"attributeType="Date" defaultDateTimeInterval="today""#, "the default value"),
      (#"attributeType="String" minValueString="-1""#, "the minimum"),
    ])
  func leftOut(tag: String, role: String) throws {
    let parsed = try parse("<entity name=\"E\"><attribute name=\"a\" \(tag)/></entity>")
    let attribute = try #require(parsed.model.entities.first?.attributes.first)
    #expect(attribute.defaultValue == nil && attribute.minimumValue == nil)
    #expect(parsed.diagnostics.map(\.severity) == [.warning])
    #expect(parsed.diagnostics.first?.problem.hasPrefix(role) == true)
    #expect(parsed.diagnostics.first?.remedy?.hasSuffix("; it was left out") == true)
  }

  @Test(
    "A value that stands beside the text of an earlier type is read without a warning",
    arguments: [
      (
        #"attributeType="Date" defaultDateTimeInterval="315568800" defaultValueString="2011-01-01 06:00:00 +0000""#,
        AttributeValue.date(315_568_800)
      ),
      (#"attributeType="Integer 16" defaultValueString="3" defaultDateTimeInterval="315568800""#, .integer(3)),
    ])
  func beside(tag: String, value: AttributeValue) throws {
    #expect(try cleanAttribute(tag).defaultValue == value)
  }

  @Test("The text of an earlier type is reported if the attribute has no value of its own")
  func earlierType() throws {
    let parsed = try parse(
      #"<entity name="E"><attribute name="a" attributeType="Date" defaultValueString="2011-01-01"/></entity>"#)
    #expect(parsed.diagnostics.map(\.severity) == [.warning])
  }

  @Test(
    "Decimals are exact: the digits of the text are those of the value",
    arguments: [
      "0.1", "-0.1", "123456789012345678901234567890.12345678", "1e-10", "1.50",
      "1000000000000000000000000000000000000000",
      "0.00000000000000000000000000000000000001", "+7", ".5", "5.", "0", "-0.0",
    ])
  func exactDecimal(text: String) throws {
    let attribute = try cleanAttribute("attributeType=\"Decimal\" defaultValueString=\"\(text)\"")
    guard case .decimal(let value)? = attribute.defaultValue else {
      Issue.record("\(String(describing: attribute.defaultValue))")
      return
    }
    let (read, written) = (try #require(DecimalLiteral(text)), try #require(DecimalLiteral("\(value)")))
    #expect(written.digits == read.digits)
    #expect(written.exponent == read.exponent)
    #expect(written.digits == "0" || written.isNegative == read.isNegative)
  }

  @Test(
    "What is no number in decimal notation is none",
    arguments: [
      "", "-", ".", "e5", "1e", "1e+", "0x10", "1,5", "1 ", " 1", "nan", "inf", "1_000", "٣", "1e9999999", "--1",
      "1.2.3",
    ])
  func noNumber(text: String) { #expect(DecimalLiteral(text) == nil) }
}

private func row(_ type: String, _ text: String, _ value: AttributeValue?) -> AttributeValueTests.Case {
  AttributeValueTests.Case(type: type, text: text, value: value)
}

private let defaults: [AttributeValueTests.Case] = [
  row("Integer 16", "-32768", .integer(-32768)),
  row("Integer 32", "2147483647", .integer(2_147_483_647)),
  row("Integer 64", "9223372036854775807", .integer(.max)),
  row("Integer 64", "-9223372036854775808", .integer(.min)),
  row("Integer 16", "3.0", .integer(3)),
  row("Decimal", "9.95", .decimal(Decimal(995) / 100)),
  row("Double", "-0.25", .double(-0.25)),
  row("Double", "1e-3", .double(0.001)),
  row("Float", "1.5", .double(1.5)),
  row("String", "a &amp; b &lt; “c”", .string("a & b < “c”")),
  row("String", "two  blanks", .string("two  blanks")),
  row("String", "line&#10;break", .string("line\nbreak")),
  row("Boolean", "YES", .boolean(true)),
  row("Boolean", "NO", .boolean(false)),
  row("Boolean", "true", .boolean(true)),
  row("Date", "694224000", .date(694_224_000)),
  row("Date", "-978321600.5", .date(-978_321_600.5)),
  row(
    "UUID", "01234567-89ab-cdef-0123-456789abcdef",
    UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF").map { .uuid($0) }),
  row("URI", "https://example.org/a?b=c&amp;d", .uri("https://example.org/a?b=c&d")),
]
