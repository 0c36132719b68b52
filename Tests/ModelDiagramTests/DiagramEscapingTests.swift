import Foundation
import ManagedModel
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@testable import ModelDiagram

@Suite("Diagrams: names are untrusted") struct DiagramEscapingTests {
  static let names = [
    "</title><script>alert(1)</script>", "a\"b' & <c>", "}", "%%{init: {}}%%", "direction LR", "#quot;", "\\", "[x](y)",
    "名前 😀", "a\nb\u{7}", String(repeating: "x", count: 500), "`", "~T~", "\u{202E}gnp", "---", ";",
  ]

  private var model: ModelDescription {
    ModelDescription(
      entities: Self.names.map { name in
        EntityDescription(
          name: name,
          properties: [
            .attribute(AttributeDescription(name: name, type: .transformable, valueClassName: name)),
            .relationship(RelationshipDescription(name: "to" + name, destinationEntityName: Self.names[0])),
          ], uniquenessConstraints: [[name]])
      })
  }

  @Test("An SVG picture stays well-formed and holds nothing that runs") func svg() throws {
    let text = EntityDiagram(model, title: Self.names[0]).text(in: .svg)
    let elements = ElementNames()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = elements
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    #expect(elements.names == ["svg", "title", "desc", "style", "rect", "text", "tspan", "g", "path"])
  }

  @Test("Mermaid gets no sign that it gives a meaning to, outside of its own lines") func mermaid() {
    let text = EntityDiagram(model, title: Self.names[1]).text(in: .mermaid)
    for line in text.split(separator: "\n").dropFirst(5) {
      #expect(!line.contains("%%"))
      #expect(!line.contains("direction LR"))
      let members = line.hasPrefix("  ")
      if members { #expect(!line.contains { "{}<>`~\"()[]".contains($0) }, "\(line)") }
    }
    #expect(text.contains("class E0[\"#60;/title#62;"))
    #expect(text.split(separator: "\n").count { $0.hasPrefix("class E") } == Self.names.count)
  }

  @Test("Graphviz gets names as text of its tables") func dot() {
    let text = EntityDiagram(model, title: "a\"\\ \n").text(in: .dot)
    #expect(text.contains("label=\"a\\\"\\\\  \""))
    #expect(!text.contains("<script>"))
    // `dot` sees a quotation mark also where a combining character makes it a part of a longer `Character`.
    let combined = EntityDiagram(model, title: "a\"\u{301}b").text(in: .dot)
    #expect(combined.unicodeScalars.contains("label=\"a\\\"\u{301}b\"".unicodeScalars))
    #expect(text.contains("a&quot;b' &amp; &lt;c&gt;"))
  }
}

private final class ElementNames: NSObject, XMLParserDelegate {
  var names: Set<String> = []

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) { names.insert(name) }
}
