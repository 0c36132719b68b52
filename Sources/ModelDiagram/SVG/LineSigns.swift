/// The direction of a horizontal or vertical segment of a line.
struct Direction {
  var x: Int
  var y: Int
  var length: Int

  init(from start: Point, to end: Point) {
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    x = dx.signum()
    y = dy.signum()
    length = max(abs(dx), abs(dy))
  }

  func point(_ start: Point, _ distance: Int) -> Point {
    Point(x: start.x + x * distance, y: start.y + y * distance)
  }
}

/// The signs at the end of a line, which leaves a box sideways.
extension Direction {
  /// The sign of a multiplicity. The part at the box is a crow's foot for many, or a bar for one. The part beyond it is
  /// a ring if zero objects are allowed, or else a bar.
  ///
  /// A line to the box itself, not to one of its relationships, also has an arrow in front of the sign.
  func sign(_ multiplicity: DiagramContent.Multiplicity, at end: Point, isArrow: Bool = false) -> String {
    var text = ""
    var start = end
    if isArrow {
      text += "M\(end.x + x * 7) \(end.y - 4)L\(end.x) \(end.y)L\(end.x + x * 7) \(end.y + 4)"
      start.x += x * 4
    }
    if multiplicity.isMany {
      text += "M\(start.x) \(start.y - 5)L\(start.x + x * 9) \(start.y)L\(start.x) \(start.y + 5)"
    } else {
      text += bar(at: start.x + x * 6, start.y)
    }
    if multiplicity.minimum == 0 {
      let center = start.x + x * 13
      text += "M\(center - 3) \(start.y)a3 3 0 1 0 6 0a3 3 0 1 0 -6 0"
    } else {
      text += bar(at: start.x + x * 12, start.y)
    }
    return text
  }

  /// The hollow arrow head of inheritance.
  func triangle(at end: Point) -> String {
    "M\(end.x) \(end.y)L\(end.x + x * 11) \(end.y - 6)V\(end.y + 6)z"
  }

  private func bar(at x: Int, _ y: Int) -> String { "M\(x) \(y - 4)V\(y + 4)" }
}
