/// The positions of all boxes and lines of a diagram.
struct DiagramLayout: Sendable {
  /// The frame of each box of the content.
  let frames: [Frame]
  /// The corners of each link's line, from start to end. Lines are horizontal or vertical.
  let routes: [[Point]]
  let width: Int
  let height: Int

  /// - Parameter widths: the width that each box needs for its text.
  init(_ content: DiagramContent, widths: [Int]) {
    let heights = content.boxes.map { Grid.height(rows: $0.rows.count) }
    let placement = ColumnPlacement(
      heights: heights.map { $0 + 2 * Grid.row },
      columnPitch: (widths.reduce(0, +) / max(1, widths.count)) + 120,
      links: content.links.map { ($0.from.box, $0.to.box) })
    var router = LinkRouter(content.links, columns: placement.columns, heights: heights)
    router.route()
    var frames = Array(repeating: Frame(x: 0, y: 0, width: 0, height: 0), count: heights.count)
    var x = 0
    var gutterStarts: [Int] = []
    for (column, boxes) in placement.columns.enumerated() {
      gutterStarts.append(x)
      x += router.gutterWidth(column, isOuter: column == 0)
      let width = boxes.map { widths[$0] }.max() ?? 0
      for box in boxes { frames[box] = Frame(x: x, y: router.tops[box], width: width, height: heights[box]) }
      x += width
    }
    gutterStarts.append(x)
    x += router.gutterWidth(placement.columns.count, isOuter: true)
    self.frames = frames
    routes = router.paths.map { path in path.corners(frames: frames, gutterStarts: gutterStarts) }
    width = x
    height = router.height
  }
}

extension LinkRouter.Path {
  /// The corners of the line, once the columns have their positions.
  fileprivate func corners(frames: [Frame], gutterStarts: [Int]) -> [Point] {
    func edge(_ box: Int, _ side: LinkRouter.Side) -> Int {
      side == .left ? frames[box].x : frames[box].x + frames[box].width
    }
    var points = [Point(x: edge(from.box, from.side), y: from.y)]
    for step in steps {
      let x = gutterStarts[step.gutter] + step.x
      points += [Point(x: x, y: step.start), Point(x: x, y: step.end)]
    }
    points.append(Point(x: edge(to.box, to.side), y: to.y))
    return points
  }
}
