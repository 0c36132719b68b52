/// The meaning of the picture's signs, in lines below the picture.
struct SVGLegend {
  let lines: [String]
  let height: Int

  private struct Item {
    var sign: String
    var text: String
    var signWidth = 40
  }

  private static let lineHeight = 24

  init(width: Int) {
    var (x, y) = (0, 36)
    var lines: [String] = []
    for item in Self.items {
      let signWidth = item.signWidth
      let itemWidth = signWidth + TextMetrics.width(item.text, size: 12) + 28
      if x > 0, x + itemWidth > width { (x, y) = (0, y + Self.lineHeight) }
      lines.append("<g transform=\"translate(\(x) \(y))\">\(item.sign)")
      lines.append("<text class=\"note\" x=\"\(signWidth)\" y=\"4\">\(XMLText.escaped(item.text))</text></g>")
      x += itemWidth
    }
    self.lines = lines
    height = y + Self.lineHeight
  }

  private static var items: [Item] {
    [
      Item(sign: multiplicity(0, nil), text: "0..* any number"),
      Item(sign: multiplicity(1, nil), text: "1..* one or more"),
      Item(sign: multiplicity(0, 1), text: "0..1 one or none"),
      Item(sign: multiplicity(1, 1), text: "1 exactly one"),
      Item(sign: arrow, text: "no inverse"),
      Item(sign: inheritance, text: "inherits from"),
      word("Name", "abstract entity (dashed)", style: "name"),
      word("String?", "may be nil", style: "type"),
      word("cascade", "deletes what it leads to", style: "cascade"),
      word("deny", "forbids deletion while it leads anywhere", style: "deny"),
      Item(sign: "", text: "other relationships nullify their inverse", signWidth: 0),
    ]
  }

  private static let start = Point(x: 2, y: 0)
  private static let end = Point(x: 30, y: 0)

  private static func multiplicity(_ minimum: Int, _ maximum: Int?) -> String {
    let sign = DiagramContent.Multiplicity(minimum: minimum, maximum: maximum)
    let direction = Direction(from: end, to: start)
    return "<path class=\"link h0\" d=\"M2 0H30\(direction.sign(sign, at: end))\"/>"
  }

  private static var arrow: String {
    "<path class=\"link h0\" d=\"M2 0H30M23 -4L30 0L23 4\"/>"
  }

  private static var inheritance: String {
    "<g class=\"link inheritance\"><path d=\"M2 0H20\"/><path class=\"arrow\" d=\""
      + "\(Direction(from: end, to: start).triangle(at: end))\"/></g>"
  }

  private static func word(_ text: String, _ meaning: String, style: String) -> Item {
    let width = TextMetrics.width(text, size: 13, isBold: true)
    let x = style == "name" ? width / 2 : style == "type" ? width : 0
    let opening = style == "name" ? "<g class=\"abstract\">" : "<g>"
    return Item(
      sign: "\(opening)<text class=\"\(style)\" x=\"\(x)\" y=\"4\">\(text)</text></g>", text: meaning,
      signWidth: width + 8)
  }
}
