import ManagedModel
import Testing

@testable import CoreDataModel

@Suite("Entities")
struct EntityTests {
  @Test("Properties of all kinds stay in declared order")
  func order() throws {
    let entity = try cleanEntity(
      """
      <entity name="E">
        <relationship name="c" destinationEntity="E"/>
        <attribute name="b" attributeType="Date"/>
        <fetchedProperty name="d" optional="YES"><fetchRequest name="f" entity="E"/></fetchedProperty>
        <attribute name="a" attributeType="Date"/>
      </entity>
      """)
    #expect(entity.properties.map(\.name) == ["c", "b", "d", "a"])
    #expect(entity.attributes.map(\.name) == ["b", "a"])
    #expect(entity.relationships.map(\.name) == ["c"])
    #expect(entity.fetchedProperties.map(\.name) == ["d"])
  }

  @Test(
    "Code generation",
    arguments: [
      ("", EntityDescription.CodeGeneration.unspecified), ("codeGenerationType=\"class\"", .classDefinition),
      ("codeGenerationType=\"category\"", .category), ("codeGenerationType=\"none\"", .manual),
    ])
  func codeGeneration(tag: String, expected: EntityDescription.CodeGeneration) throws {
    #expect(try cleanEntity("<entity name=\"E\" \(tag)/>").codeGeneration == expected)
  }

  @Test("Uniqueness constraints keep their order and that of their properties; inherited properties may be used")
  func constraints() throws {
    let model = try cleanModel(
      """
      <entity name="E" parentEntity="P"><attribute name="b" attributeType="String"/>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="b"/><constraint value="a"/></uniquenessConstraint>
          <uniquenessConstraint><constraint value="b"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <entity name="P"><attribute name="a" attributeType="String"/></entity>
      """)
    #expect(model.entities.first?.uniquenessConstraints == [["b", "a"], ["b"]])
  }

  @Test("Compound indexes of older models")
  func compoundIndexes() throws {
    let entity = try cleanEntity(
      """
      <entity name="E"><attribute name="a" attributeType="String"/><attribute name="b" attributeType="String"/>
        <compoundIndexes><compoundIndex><index value="b"/><index value="a"/></compoundIndex></compoundIndexes>
      </entity>
      """)
    #expect(entity.compoundIndexes == [["b", "a"]])
  }

  @Test("CD-4 Fetch indexes: subjects, kinds, directions")
  func fetchIndexes() throws {
    let entity = try cleanEntity(
      """
      <entity name="E"><attribute name="a" attributeType="Double"/>
        <attribute name="address" attributeType="Composite" composite="Address"/>
        <fetchIndex name="i">
          <fetchIndexElement property="a" type="Binary" order="descending"/>
          <fetchIndexElement property="address.city" type="Binary" order="ascending"/>
          <fetchIndexElement expression="entity" expressionType="Undefined" type="RTree" order="ascending"/>
        </fetchIndex>
      </entity>
      <composite name="Address"><attribute name="city" attributeType="String"/></composite>
      """)
    #expect(
      entity.fetchIndexes == [
        FetchIndexDescription(
          name: "i",
          elements: [
            .init(subject: .property("a"), isAscending: false), .init(subject: .property("address.city")),
            .init(subject: .expression("entity"), kind: .rTree),
          ])
      ])
  }

  @Test("An index without elements and a constraint without properties are left out with a warning")
  func emptyLists() throws {
    let parsed = try parse(
      """
      <entity name="E"><fetchIndex name="i"/>
      <uniquenessConstraints><uniquenessConstraint/></uniquenessConstraints></entity>
      """)
    #expect(parsed.diagnostics.map(\.line) == [3, 4])
    #expect(!parsed.hasErrors)
    #expect(parsed.model.entities == [EntityDescription(name: "E")])
  }

  @Test(
    "A fetch index that a model holds twice is a warning if the two are equal, and an error if not",
    arguments: [("a", Diagnostic.Severity.warning), ("b", .error)])
  func repeatedIndex(property: String, severity: Diagnostic.Severity) throws {
    func index(_ property: String) -> String {
      #"<fetchIndex name="i"><fetchIndexElement property="\#(property)" type="Binary" order="ascending"/></fetchIndex>"#
    }
    let parsed = try parse(
      #"<entity name="E"><attribute name="a" attributeType="Date"/><attribute name="b" attributeType="Date"/>"#
        + index("a") + "\n" + index(property) + "</entity>")
    #expect(parsed.diagnostics.map(\.severity) == [severity])
    #expect(parsed.diagnostics.map(\.line) == [4])
  }

  @Test("Lines of entities and properties are kept for later messages")
  func locations() throws {
    let locations = try parse(
      "<entity name=\"E\">\n<attribute\nname=\"a\" attributeType=\"Date\"/>\n</entity><entity name=\"F\"/>"
    ).locations
    #expect(locations.line(ofEntity: "E") == 3)
    #expect(locations.line(ofEntity: "E", property: "a") == 5)
    #expect(locations.line(ofEntity: "E", property: "b") == 3)
    #expect(locations.line(ofEntity: "F") == 6)
    #expect(locations.line(ofEntity: "G") == 1)
  }
}
