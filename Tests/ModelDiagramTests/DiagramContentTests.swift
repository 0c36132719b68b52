import ManagedModel
import Testing

@testable import ModelDiagram

@Suite("Diagrams: what is drawn") struct DiagramContentTests {
  typealias End = DiagramContent.End

  private func relationship(
    _ name: String, to destination: String, inverse: String? = nil, isMany: Bool = false, isOptional: Bool = true
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name: name, destinationEntityName: destination, inverseName: inverse,
        inverseEntityName: inverse.map { _ in destination }, isOptional: isOptional, maximumCount: isMany ? 0 : 1))
  }

  @Test("A relationship and its inverse are one link, with a multiplicity at each end") func inverses() {
    let model = ModelDescription(entities: [
      EntityDescription(
        name: "Author",
        properties: [
          relationship("books", to: "Book", inverse: "author", isMany: true),
          .attribute(AttributeDescription(name: "name", type: .string)),
        ]),
      EntityDescription(
        name: "Book", properties: [relationship("author", to: "Author", inverse: "books", isOptional: false)]),
    ])
    let content = DiagramContent(model, title: "")
    #expect(content.boxes[0].rows.map(\.name) == ["name", "books"])
    #expect(content.links.count == 1)
    #expect(content.links[0].from == End(box: 0, row: 1))
    #expect(content.links[0].to == End(box: 1, row: 0))
    #expect(content.links[0].toMultiplicity?.text == "0..*")
    #expect(content.links[0].fromMultiplicity?.text == "1")
  }

  @Test("A link without inverse ends at the box, and one that is its own inverse at its own row") func loneSides() {
    let model = ModelDescription(entities: [
      EntityDescription(
        name: "Member",
        properties: [
          relationship("friends", to: "Member", inverse: "friends", isMany: true),
          relationship("card", to: "Card"),
        ]),
      EntityDescription(name: "Card"),
    ])
    let links = DiagramContent(model, title: "").links
    #expect(links.map(\.to) == [End(box: 0, row: 0), End(box: 1)])
    #expect(links[1].fromMultiplicity == nil)
  }

  @Test("An inverse that a superentity declares is found there") func inheritedInverse() {
    let model = ModelDescription(entities: [
      EntityDescription(name: "Item", properties: [relationship("loans", to: "Loan", inverse: "item", isMany: true)]),
      EntityDescription(name: "Book", superentityName: "Item"),
      EntityDescription(name: "Loan", properties: [relationship("item", to: "Book", inverse: "loans")]),
    ])
    let links = DiagramContent(model, title: "").links
    #expect(links.count == 2)
    #expect(links[0].from == End(box: 0, row: 0))
    #expect(links[0].to == End(box: 2, row: 0))
    #expect(links[1].kind == .inheritance)
    #expect(links[1].from == End(box: 1) && links[1].to == End(box: 0))
  }

  @Test("A model that is not sound is drawn without what leads nowhere") func unsound() {
    let model = ModelDescription(entities: [
      EntityDescription(
        name: "A", superentityName: "A", properties: [relationship("b", to: "Nowhere", inverse: "x")]),
      EntityDescription(name: "A", superentityName: "B"),
      EntityDescription(name: "B", superentityName: "A"),
    ])
    for format in DiagramFormat.allCases {
      #expect(EntityDiagram(model, title: "").text(in: format).contains("B"))
    }
    #expect(DiagramContent(model, title: "").links.allSatisfy { $0.kind == .inheritance })
  }

  @Test("Multiplicities say what the model allows") func multiplicities() {
    func text(_ minimum: Int, _ maximum: Int, isOptional: Bool) -> String {
      DiagramContent.Multiplicity(
        RelationshipDescription(
          name: "r", destinationEntityName: "E", isOptional: isOptional, minimumCount: minimum, maximumCount: maximum)
      ).text
    }
    #expect(text(0, 1, isOptional: true) == "0..1")
    #expect(text(0, 1, isOptional: false) == "1")
    #expect(text(0, 0, isOptional: true) == "0..*")
    #expect(text(2, 5, isOptional: false) == "2..5")
    #expect(text(2, 5, isOptional: true) == "0..5")
    #expect(text(1, 0, isOptional: false) == "1..*")
  }
}
