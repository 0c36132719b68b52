import ErrorReporting

/// A self-contained picture in SVG: boxes in columns, lines with crow's feet, a legend, light and dark colors.
struct SVGWriter {
  private let content: DiagramContent
  private let labels: [BoxLabels]
  private let layout: DiagramLayout

  /// The border around the picture, and the height of the title above it.
  private static let border = 24
  private static let titleHeight = 54

  init(_ content: DiagramContent) {
    self.content = content
    labels = content.boxes.map(BoxLabels.init)
    layout = DiagramLayout(content, widths: labels.map(\.width))
  }

  var text: String {
    let legend = SVGLegend(width: max(layout.width, 640))
    let width = max(layout.width, 640) + 2 * Self.border
    let height = Self.titleHeight + layout.height + legend.height + 2 * Self.border
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" height=\"\(height)\" role=\"img\">",
      "<title>\(XMLText.escaped(content.title))</title>",
      "<desc>\(summary)</desc>",
      "<style>", SVGStyle.text, "</style>",
      "<rect class=\"page\" width=\"\(width)\" height=\"\(height)\"/>",
      "<text class=\"title\" x=\"\(Self.border)\" y=\"\(Self.border + 14)\">\(XMLText.escaped(content.title))</text>",
      "<text class=\"note\" x=\"\(Self.border)\" y=\"\(Self.border + 32)\">\(summary)</text>",
    ]
    let inset = (width - 2 * Self.border - layout.width) / 2
    lines.append("<g transform=\"translate(\(Self.border + inset) \(Self.border + Self.titleHeight))\">")
    for index in content.links.indices { lines += link(index) }
    for index in content.boxes.indices { lines += box(index) }
    lines.append("</g>")
    lines.append("<g transform=\"translate(\(Self.border) \(Self.border + Self.titleHeight + layout.height))\">")
    lines += legend.lines
    lines += ["</g>", "</svg>"]
    return lines.joined(separator: "\n") + "\n"
  }

  private var summary: String {
    let relationships = content.links.count { $0.kind == .relationship }
    return "\(counted(content.boxes.count, "entity", "entities")), \(counted(relationships, "relationship"))"
  }

  // MARK: Boxes

  private func box(_ index: Int) -> [String] {
    let (box, frame, label) = (content.boxes[index], layout.frames[index], labels[index])
    let hue = "h\(index % SVGStyle.hueCount)"
    let style = box.isAbstract ? "abstract " : ""
    var lines = [
      "<g class=\"\(style)entity \(hue)\" transform=\"translate(\(frame.x) \(frame.y))\">",
      "<title>\(XMLText.escaped(box.name))\(box.isAbstract ? " (abstract)" : "")</title>",
      "<rect class=\"body\" width=\"\(frame.width)\" height=\"\(frame.height)\" rx=\"5\"/>",
      "<path class=\"head\" d=\"M0 \(Grid.header - 3)V5a5 5 0 0 1 5-5H\(frame.width - 5)a5 5 0 0 1 5 5V\(Grid.header - 3)z\"/>",
      "<text class=\"name\" x=\"\(frame.width / 2)\" y=\"17\">\(XMLText.escaped(label.name))</text>",
    ]
    for (position, row) in box.rows.enumerated() {
      let texts = label.rows[position]
      let y = Grid.rowPort(position) + 4
      if row.kind == .relationship, position > 0, box.rows[position - 1].kind != .relationship {
        lines.append("<path class=\"rule\" d=\"M0 \(y - 13)H\(frame.width)\"/>")
      }
      let style = row.isTransient ? " class=\"transient\"" : ""
      let tip =
        texts.isCut
        ? "<title>\(XMLText.escaped("\(row.name): \(row.type) \(row.remarks.joined(separator: ", "))"))</title>" : ""
      lines.append("<text\(style) x=\"\(BoxLabels.inset)\" y=\"\(y)\">\(tip)\(XMLText.escaped(texts.name))</text>")
      let remarks = texts.remarks.map {
        "<tspan class=\"\(Self.style(ofRemark: $0))\" dx=\"6\">\(XMLText.escaped($0))</tspan>"
      }
      lines.append(
        "<text class=\"type\" x=\"\(frame.width - BoxLabels.inset)\" y=\"\(y)\">\(XMLText.escaped(texts.type))"
          + remarks.joined() + "</text>")
    }
    return lines + ["</g>"]
  }

  private static func style(ofRemark remark: String) -> String {
    switch remark {
    case "cascade": "cascade"
    case "deny": "deny"
    case "unique", "unique together": "unique"
    default: "remark"
    }
  }

  // MARK: Lines

  private func link(_ index: Int) -> [String] {
    let link = content.links[index]
    let route = layout.routes[index]
    guard let first = route.first, let last = route.last, route.count > 2 else { return [] }
    var path = Self.path(route)
    switch link.kind {
    case .inheritance:
      let end = Direction(from: last, to: route[route.count - 2])
      return [
        "<g class=\"link inheritance\"><title>\(XMLText.escaped(caption(link)))</title><path d=\"\(path)\"/>"
          + "<path class=\"arrow\" d=\"\(end.triangle(at: last))\"/></g>"
      ]
    case .relationship:
      path += link.fromMultiplicity.map { Direction(from: first, to: route[1]).sign($0, at: first) } ?? ""
      let end = Direction(from: last, to: route[route.count - 2])
      path += link.toMultiplicity.map { end.sign($0, at: last, isArrow: link.to.row == nil) } ?? ""
      return [
        "<g class=\"link h\(link.from.box % SVGStyle.hueCount)\"><title>\(XMLText.escaped(caption(link)))</title>"
          + "<path d=\"\(path)\"/></g>"
      ]
    }
  }

  /// The text that a browser shows when the pointer rests on a line: `Author.books 0..* ↔ 1 Book.author`.
  private func caption(_ link: DiagramContent.Link) -> String {
    func name(_ end: DiagramContent.End) -> String {
      let box = content.boxes[end.box]
      return box.name + (end.row.map { ".\(box.rows[$0].name)" } ?? "")
    }
    switch link.kind {
    case .inheritance: return "\(name(link.from)) is a kind of \(name(link.to))"
    case .relationship:
      let from = link.fromMultiplicity.map { " \($0.text)" } ?? ""
      let to = link.toMultiplicity.map { "\($0.text) " } ?? ""
      return "\(name(link.from))\(from) \(link.fromMultiplicity == nil ? "→" : "↔") \(to)\(name(link.to))"
    }
  }

  /// The path of a line with rounded corners.
  private static func path(_ points: [Point]) -> String {
    var text = "M\(points[0].x) \(points[0].y)"
    for index in points.indices.dropFirst().dropLast() {
      let (before, corner, after) = (points[index - 1], points[index], points[index + 1])
      let entry = Direction(from: corner, to: before)
      let exit = Direction(from: corner, to: after)
      let radius = min(5, entry.length / 2, exit.length / 2)
      if radius == 0 {
        text += "L\(corner.x) \(corner.y)"
        continue
      }
      let (start, end) = (entry.point(corner, radius), exit.point(corner, radius))
      text += "L\(start.x) \(start.y)Q\(corner.x) \(corner.y) \(end.x) \(end.y)"
    }
    return text + "L\(points[points.count - 1].x) \(points[points.count - 1].y)"
  }
}

/// The texts of a box, with very long texts cut, and the width that they need.
struct BoxLabels: Sendable {
  static let inset = 10
  private static let size = 12
  private static let longest = 260

  struct Row: Sendable {
    var name: String
    var type: String
    var remarks: [String]
    var isCut: Bool
  }

  let name: String
  let rows: [Row]
  let width: Int

  init(_ box: DiagramContent.Box) {
    func cut(_ text: String, _ isBold: Bool = false) -> String {
      TextMetrics.fitted(onOneLine(text), size: Self.size, limit: Self.longest, isBold: isBold)
    }
    name = cut(box.name, true)
    rows = box.rows.map { row in
      let label = Row(name: cut(row.name), type: cut(row.type), remarks: row.remarks.map { cut($0) }, isCut: false)
      let isCut = label.name != row.name || label.type != row.type || label.remarks != row.remarks
      return Row(name: label.name, type: label.type, remarks: label.remarks, isCut: isCut)
    }
    let widest = rows.map { row in
      TextMetrics.width(row.name, size: Self.size)
        + TextMetrics.width(row.type, size: Self.size) + 18
        + row.remarks.reduce(0) { $0 + TextMetrics.width($1, size: Self.size) + 6 }
    }
    width = max(110, TextMetrics.width(name, size: Self.size + 1, isBold: true), widest.max() ?? 0) + 2 * Self.inset
  }
}
