import ManagedModel
import Testing

@testable import CoreDataModel

@Suite("Composite types")
struct CompositeTests {
  @Test("An attribute carries its composite's elements, nested ones too, whatever the order of declarations")
  func nested() throws {
    let model = try cleanModel(
      """
      <entity name="E"><attribute name="home" optional="YES" attributeType="Composite" composite="Address"/></entity>
      <composite name="Address">
        <attribute name="city" attributeType="String" defaultValueString="Sofia"/>
        <attribute name="place" attributeType="Composite" composite="Point"/>
      </composite>
      <composite name="Point"><attribute name="x" attributeType="Double"/><attribute name="y" attributeType="Double"/>
      </composite>
      """)
    let point = [
      AttributeDescription(name: "x", type: .double), AttributeDescription(name: "y", type: .double),
    ]
    let address = [
      AttributeDescription(name: "city", type: .string, defaultValue: .string("Sofia")),
      AttributeDescription(name: "place", type: .composite, compositeName: "Point", elements: point),
    ]
    #expect(
      model.composites == [
        CompositeDescription(name: "Address", elements: address), CompositeDescription(name: "Point", elements: point),
      ])
    #expect(
      model.entities.first?.attributes == [
        AttributeDescription(
          name: "home", type: .composite, isOptional: true, compositeName: "Address", elements: address)
      ])
  }

  @Test("A composite without elements is kept, with a warning")
  func empty() throws {
    let parsed = try parse(
      "<composite name=\"C\"/>\n<entity name=\"E\"><attribute name=\"a\" attributeType=\"Composite\" composite=\"C\"/></entity>"
    )
    #expect(parsed.diagnostics.map(\.severity) == [.warning])
    #expect(parsed.model.composites == [CompositeDescription(name: "C", elements: [])])
  }
}
