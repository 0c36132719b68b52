package import ManagedModel

/// The entities and relationships of a model as a picture, in memory.
///
/// The work has two stages, each a function from value to value. First the model becomes boxes and links. Then the
/// writer of a format turns them into text.
/// Equal models give equal bytes. Names are untrusted, so each writer escapes them. The time is near linear in the size
/// of the model.
package struct EntityDiagram: Sendable {
  private let content: DiagramContent

  /// - Parameter title: the title of the picture, for example the name of the model's version.
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

/// The language of the picture's text.
package enum DiagramFormat: String, Sendable, CaseIterable {
  /// A class diagram in Mermaid, which GitHub and many wikis draw in Markdown.
  case mermaid
  /// A graph for Graphviz.
  case dot
  /// A finished picture.
  case svg
}
