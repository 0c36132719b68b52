import ManagedModel
import Testing

@testable import CoreDataModel

@Suite("Attributes")
struct AttributeTests {
  @Test("VH-9 Every type's name is the type's", arguments: AttributeType.allCases.filter { $0 != .composite })
  func types(type: AttributeType) throws {
    let attribute = try cleanAttribute("attributeType=\"\(type.modelName)\" transient=\"YES\"")
    #expect(attribute.type == type)
  }

  @Test("VH-11 What is not said is NO, Undefined or nothing")
  func defaults() throws {
    let attribute = try cleanAttribute(#"transient="YES""#)
    #expect(attribute == AttributeDescription(name: "a", type: .undefined, isTransient: true))
  }

  @Test("VH-7 A derivation is kept as the source writes it")
  func derived() throws {
    let attribute = try cleanAttribute(
      #"attributeType="Integer 64" derived="YES" derivationExpression="pages.@count""#)
    #expect(attribute.derivation == AttributeDescription.Derivation(expression: "pages.@count"))
    #expect(attribute.type == .integer64)
  }

  @Test("A derivation of an attribute that is not derived is nothing")
  func notDerived() throws {
    #expect(try cleanAttribute(#"attributeType="Date" derivationExpression="now()""#).derivation == nil)
  }

  @Test("User info is kept as strings; of a key that stands twice the last counts, with a warning")
  func userInfo() throws {
    let attribute = try cleanAttribute(
      #"attributeType="Date""#,
      inside: #"<userInfo><entry key="a" value="1"/><entry key="b" value=""/><entry key="c"/></userInfo>"#)
    #expect(attribute.userInfo == ["a": .string("1"), "b": .string(""), "c": .string("")])

    let twice = try parse(
      "<entity name=\"E\"><userInfo><entry key=\"a\" value=\"1\"/>\n<entry key=\"a\" value=\"2\"/></userInfo></entity>")
    #expect(twice.model.entities.first?.userInfo == ["a": .string("2")])
    #expect(twice.diagnostics.map(\.line) == [4])
  }
}
