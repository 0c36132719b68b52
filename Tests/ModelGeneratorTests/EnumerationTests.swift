import Foundation
import ManagedModel
import Testing

@testable import ModelGenerator

@Suite("Enumerations")
struct EnumerationTests {
  private func attribute(_ name: String, _ enumeration: EnumerationDescription, default label: String? = nil)
    -> PropertyDescription
  {
    var attribute = AttributeDescription(
      name: name, type: .string, isOptional: true, defaultValue: label.map { .string($0) })
    attribute.enumeration = enumeration
    return .attribute(attribute)
  }

  @Test("An enumeration is declared once, beside the classes, and its labels are raw values")
  func declaration() throws {
    let labels = ["open", "in_progress", "2nd try", "default", "self"]
    let state = EnumerationDescription(name: "OrderState", labels: labels)
    let text = try ModelGenerator().schema(
      EntityDescription(name: "Order", properties: [attribute("state", state, default: "in_progress")]),
      EntityDescription(name: "Return", properties: [attribute("state", state, default: "gone")]))
    #expect(text.contains("    var state: OrderState? = OrderState.inProgress\n"), "\(text)")
    #expect(text.contains("    // Not expressed: the default value, which does not fit its type.\n"))
    let cases = [
      "case `open`", #"case inProgress = "in_progress""#, #"case label2ndTry = "2nd try""#, "case `default`",
      #"case self2 = "self""#,
    ]
    let declaration =
      "  enum OrderState: String, Codable, CaseIterable, Sendable {\n"
      + cases.map { "    \($0)\n" }.joined() + "  }\n"
    #expect(text.contains(declaration), "\(text)")
    #expect(text.components(separatedBy: "enum OrderState").count == 2)
  }

  @Test("An enumeration takes no name from a class, a common type or another enumeration")
  func names() throws {
    let types = ["Order", "Date", "Kind"].map { EnumerationDescription(name: $0, labels: ["a"]) }
    let other = EnumerationDescription(name: "Kind", labels: ["b"])
    let text = try ModelGenerator().schema(
      EntityDescription(
        name: "Order",
        properties: (types + [other]).enumerated().map { attribute("x\($0.offset)", $0.element) }))
    for line in [
      "var x0: Order2?", "var x1: DateEnumeration?", "var x2: Kind?", "var x3: Kind2?",
    ] {
      #expect(text.contains("    \(line)\n"), "\(text)")
    }
  }
}
