import ManagedModel
import Testing

@testable import ModelDiagram

@Suite("Diagrams: what is drawn") struct DiagramContentTests {
  @Test("A relationship and its inverse are one link") func inverses() {
    let model = ModelDescription(entities: [
      EntityDescription(
        name: "Author",
        properties: [
          .attribute(AttributeDescription(name: "name", type: .string)),
          .relationship(
            RelationshipDescription(
              name: "books", destinationEntityName: "Book", inverseName: "author", inverseEntityName: "Book",
              maximumCount: 0)),
        ]),
      EntityDescription(
        name: "Book",
        properties: [
          .relationship(
            RelationshipDescription(
              name: "author", destinationEntityName: "Author", inverseName: "books", isOptional: false))
        ]),
    ])
    let content = DiagramContent(model, title: "")
    #expect(content.links.count == 1)
    #expect(content.links[0].from == DiagramContent.End(box: 0, row: 1))
    #expect(content.links[0].to == DiagramContent.End(box: 1, row: 0))
    #expect(content.links[0].toMultiplicity?.text == "0..*")
    #expect(content.links[0].fromMultiplicity?.text == "1")
  }
}
