import ManagedModel
import Testing

@testable import CoreDataModel

@Suite("Fetch requests, fetched properties and configurations")
struct FetchRequestTests {
  @Test("What a fetch request does not say is as in a new NSFetchRequest")
  func defaults() throws {
    let model = try cleanModel(#"<entity name="E"/><fetchRequest name="all" entity="E"/>"#)
    #expect(model.fetchRequestTemplates == [FetchRequestDescription(name: "all", entityName: "E")])
  }

  @Test("A fetched property has its own fetch request")
  func fetchedProperty() throws {
    let entity = try cleanEntity(
      """
      <entity name="E"><fetchedProperty name="others" optional="YES">
        <fetchRequest name="f" entity="E" predicateString="name == $FETCH_SOURCE.name"/>
        <userInfo><entry key="k" value="v"/></userInfo>
      </fetchedProperty></entity>
      """)
    #expect(
      entity.properties == [
        .fetchedProperty(
          FetchedPropertyDescription(
            name: "others",
            fetchRequest: FetchRequestDescription(
              name: "f", entityName: "E", predicateFormat: "name == $FETCH_SOURCE.name"),
            userInfo: ["k": .string("v")]))
      ])
  }

  @Test("A configuration names its entities in declared order")
  func configurations() throws {
    let model = try cleanModel(
      """
      <entity name="A"/><entity name="B"/>
      <configuration name="Cloud" usedWithCloudKit="YES"><memberEntity name="B"/><memberEntity name="A"/></configuration>
      <configuration name="None"/>
      """)
    #expect(
      model.configurations == [
        ConfigurationDescription(name: "Cloud", entityNames: ["B", "A"], usedWithCloudKit: true),
        ConfigurationDescription(name: "None", entityNames: []),
      ])
  }
}
