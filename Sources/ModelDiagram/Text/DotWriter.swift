import ErrorReporting

/// Writes a graph in Graphviz's language for `dot`: tables with a port per property, and crow's feet.
struct DotWriter {
  private let content: DiagramContent

  init(_ content: DiagramContent) { self.content = content }

  var text: String {
    var lines = [
      "digraph model {",
      "  graph [rankdir=LR, label=\(Self.quoted(content.title)), labelloc=t, fontname=\"Helvetica\", nodesep=0.4, ranksep=1]",
      "  node [shape=plain, fontname=\"Helvetica\", fontsize=11]",
      "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#556677\"]",
    ]
    for (index, box) in content.boxes.enumerated() { lines.append("  e\(index) [label=<\(table(box))>]") }
    for link in content.links { lines.append("  \(edge(link))") }
    lines.append("}")
    return lines.joined(separator: "\n") + "\n"
  }

  private func table(_ box: DiagramContent.Box) -> String {
    let name = "<b>\(Self.escaped(box.name))</b>"
    var text = "<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\" color=\"#556677\">"
    text += "<tr><td port=\"h\" colspan=\"2\" bgcolor=\"#dde6f0\">\(box.isAbstract ? "<i>\(name)</i>" : name)</td></tr>"
    for (index, row) in box.rows.enumerated() {
      let remarks = row.remarks.isEmpty ? "" : " <i>\(Self.escaped(row.remarks.joined(separator: ", ")))</i>"
      text += "<tr><td port=\"l\(index)\" align=\"left\">\(Self.escaped(row.name))</td>"
      text += "<td port=\"r\(index)\" align=\"left\">\(Self.escaped(row.type))\(remarks)</td></tr>"
    }
    return text + "</table>"
  }

  private func edge(_ link: DiagramContent.Link) -> String {
    switch link.kind {
    case .inheritance: return "e\(link.from.box):h -> e\(link.to.box):h [arrowhead=onormal, style=bold]"
    case .relationship:
      let tail = link.fromMultiplicity.map(arrow) ?? "none"
      let head =
        link.to.row == nil ? "vee" + (link.toMultiplicity.map(arrow) ?? "") : link.toMultiplicity.map(arrow) ?? "none"
      // A line from a box to itself starts and ends on the right. Other lines end on the left of their destination.
      let isLoop = link.from.box == link.to.box
      let (from, to) = (port(link.from, "r"), port(link.to, isLoop ? "r" : "l"))
      let compass = isLoop ? ":e" : ""
      return "\(from)\(compass) -> \(to)\(compass) [dir=both, arrowtail=\(tail), arrowhead=\(head)]"
    }
  }

  private func port(_ end: DiagramContent.End, _ side: String) -> String {
    "e\(end.box):\(end.row.map { "\(side)\($0)" } ?? "h")"
  }

  /// The sign at the box comes first, then the sign beyond it.
  private func arrow(_ multiplicity: DiagramContent.Multiplicity) -> String {
    (multiplicity.isMany ? "crow" : "tee") + (multiplicity.minimum == 0 ? "odot" : "tee")
  }

  private static func quoted(_ text: String) -> String {
    // A mark before a combining character is no `Character` of its own, but `dot` reads it alone.
    let scalars = onOneLine(text).unicodeScalars.flatMap { $0 == "\\" || $0 == "\"" ? ["\\", $0] : [$0] }
    return "\"" + String(String.UnicodeScalarView(scalars)) + "\""
  }

  private static func escaped(_ text: String) -> String { text.isEmpty ? " " : XMLText.escaped(onOneLine(text)) }
}
