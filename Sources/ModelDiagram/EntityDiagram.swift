package import ManagedModel

/// The entities and relationships of a model as a picture, in memory.
///
/// Two stages, each a function from value to value: the model becomes boxes and links, which say what is drawn; and a
/// format's writer makes text of them. Equal models give equal bytes. Names are untrusted and are escaped for each
/// format; a model of any size is drawn in time near linear in its size.
package struct EntityDiagram: Sendable {
  private let content: DiagramContent

  /// - Parameter title: what the picture is called, such as the name of the model's version.
  package init(_ model: ModelDescription, title: String) {
    content = DiagramContent(model, title: title)
  }

  /// The picture as text, with a line feed at its end.
  package func text(in format: DiagramFormat) -> String {
    switch format {
    case .mermaid: MermaidWriter(content).text
    case .dot: DotWriter(content).text
    case .svg: SVGWriter(content).text
    }
  }
}

/// A language that a picture is written in.
package enum DiagramFormat: String, Sendable, CaseIterable {
  /// A class diagram in Mermaid, which GitHub and many wikis draw in Markdown.
  case mermaid
  /// A graph for Graphviz.
  case dot
  /// A picture that is drawn already.
  case svg
}
