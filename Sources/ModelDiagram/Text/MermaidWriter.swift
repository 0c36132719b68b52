import ErrorReporting

/// Writes a class diagram in Mermaid's language.
///
/// Classes are called `E0`, `E1`, … and labelled with the names of their entities, so that no name can be a Mermaid
/// keyword.
/// Both ends of a line show multiplicities; the row of a relationship shows its delete rule.
struct MermaidWriter {
  private let content: DiagramContent

  init(_ content: DiagramContent) { self.content = content }

  var text: String {
    var lines = ["---", "title: \"\(Self.escaped(content.title))\"", "---", "classDiagram", "direction LR"]
    for (index, box) in content.boxes.enumerated() {
      lines.append("class E\(index)[\"\(Self.escaped(box.name))\"] {")
      if box.isAbstract { lines.append("  <<abstract>>") }
      for row in box.rows { lines.append("  \(member(row))") }
      lines.append("}")
    }
    for link in content.links { lines.append(line(link)) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func member(_ row: DiagramContent.Row) -> String {
    let remarks = row.remarks.isEmpty ? "" : " «\(Self.escaped(row.remarks.joined(separator: ", ")))»"
    return "\(Self.escaped(row.name)) : \(Self.escaped(row.type))\(remarks)"
  }

  private func line(_ link: DiagramContent.Link) -> String {
    switch link.kind {
    case .inheritance: return "E\(link.to.box) <|-- E\(link.from.box)"
    case .relationship:
      let from = link.fromMultiplicity.map { "\"\($0.text)\" " } ?? ""
      let to = link.toMultiplicity.map { "\"\($0.text)\" " } ?? ""
      let arrow = link.fromMultiplicity == nil ? "-->" : "--"
      return "E\(link.from.box) \(from)\(arrow) \(to)E\(link.to.box) : \(Self.escaped(names(link)))"
    }
  }

  /// `authors / books`: the relationship and its inverse.
  private func names(_ link: DiagramContent.Link) -> String {
    let ends = [link.from, link.to].compactMap { end in end.row.map { content.boxes[end.box].rows[$0].name } }
    return Set(ends).count == 1 ? ends[0] : ends.joined(separator: " / ")
  }

  /// Keeps letters, numbers and harmless punctuation. Writes all other characters as character entities, because
  /// Mermaid may interpret them.
  ///
  /// Mermaid treats the word `direction` before a space as a command, even between quotation marks.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in onOneLine(text).unicodeScalars {
      let properties = scalar.properties
      if properties.isAlphabetic || properties.numericType != nil || " _-.,?/=@'+!*".unicodeScalars.contains(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result += "#\(scalar.value);"
      }
    }
    return result.replacing("direction ", with: "direction#32;")
  }
}
