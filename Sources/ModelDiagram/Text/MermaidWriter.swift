/// A class diagram in Mermaid's language.
///
/// Classes are called `E0`, `E1`, … and labelled with the entities' names, so that no name can be a keyword of the
/// language. Multiplicities stand at both ends of a line; delete rules stand with the relationship.
struct MermaidWriter {
  private let content: DiagramContent

  init(_ content: DiagramContent) { self.content = content }

  var text: String {
    var lines = ["---", "title: \(Self.quotedTitle(content.title))", "---", "classDiagram", "direction LR"]
    for (index, box) in content.boxes.enumerated() {
      lines.append("class E\(index)[\"\(Self.label(box.name))\"] {")
      if box.isAbstract { lines.append("  <<abstract>>") }
      for row in box.rows { lines.append("  \(member(row))") }
      lines.append("}")
    }
    for link in content.links { lines.append(line(link)) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func member(_ row: DiagramContent.Row) -> String {
    let remarks = row.remarks.isEmpty ? "" : " «\(Self.plain(row.remarks.joined(separator: ", ")))»"
    return "\(Self.plain(row.name)) : \(Self.plain(row.type))\(remarks)"
  }

  private func line(_ link: DiagramContent.Link) -> String {
    switch link.kind {
    case .inheritance: return "E\(link.to.box) <|-- E\(link.from.box)"
    case .relationship:
      let from = link.fromMultiplicity.map { "\"\($0.text)\" " } ?? ""
      let to = link.toMultiplicity.map { "\"\($0.text)\" " } ?? ""
      let arrow = link.fromMultiplicity == nil ? "-->" : "--"
      return "E\(link.from.box) \(from)\(arrow) \(to)E\(link.to.box) : \(Self.plain(names(link)))"
    }
  }

  /// `authors / books`: the relationship and its inverse.
  private func names(_ link: DiagramContent.Link) -> String {
    let ends = [link.from, link.to].compactMap { end in end.row.map { content.boxes[end.box].rows[$0].name } }
    return Set(ends).count == 1 ? ends[0] : ends.joined(separator: " / ")
  }

  /// Text in quotation marks: those, and line ends, are written as entities.
  private static func label(_ text: String) -> String {
    escaped(text) { !"\"#;`<>&\\[]".unicodeScalars.contains($0) }
  }

  /// Text of a member or a label of a line, where Mermaid gives many signs a meaning of their own.
  private static func plain(_ text: String) -> String {
    escaped(text) { scalar in
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || " _-.,?/=@'+!%|*".unicodeScalars.contains(scalar)
    }
  }

  private static func quotedTitle(_ text: String) -> String {
    "\"" + escaped(text) { !"\"\\#;<>&".unicodeScalars.contains($0) } + "\""
  }

  private static func escaped(_ text: String, isSafe: (Unicode.Scalar) -> Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: result += " "
      default: if isSafe(scalar) { result.unicodeScalars.append(scalar) } else { result += "#\(scalar.value);" }
      }
    }
    return result
  }
}
