/// Finds the lines of links between boxes in columns.
///
/// A line leaves a box sideways into a gutter, the space between two columns. It runs up or down there on a track of
/// its own. It passes other columns through the gaps between their boxes, and each gap grows by a lane for each line.
/// So no line crosses a box, and no two lines share a segment, except inheritance lines to one superentity.
struct LinkRouter {
  enum Side: Sendable {
    case left, right
  }

  /// An end of a line at the side of a box.
  struct Port: Sendable {
    var box: Int
    var side: Side
    var y: Int
  }

  /// The segment of a line in one gutter.
  struct Step: Sendable {
    /// The gutter to the left of the column with this number; the last gutter is to the right of the last column.
    var gutter: Int
    var start: Int
    var end: Int
    /// The distance from the gutter's left edge; known after all tracks are assigned.
    var x = 0
  }

  struct Path: Sendable {
    var from: Port
    var to: Port
    var steps: [Step]
  }

  /// The top of each box.
  private(set) var tops: [Int]
  private(set) var paths: [Path] = []
  private(set) var height = 0

  private let links: [DiagramContent.Link]
  private let columns: [[Int]]
  private let heights: [Int]
  private var columnOf: [Int]
  private var gutters: [GutterTracks]
  /// For each link, the gap that it passes in each column between its ends, from left to right.
  private var passages: [[Int]]
  /// For each column and gap, the lines that pass through, from top to bottom.
  private var lanes: [[[Lane]]]

  /// Lines of links with the same key may overlap: the inheritance lines to one superentity.
  struct Key: Hashable {
    var isInheritance: Bool
    var number: Int
  }

  private struct Lane {
    var key: Key
    var y: Int
    /// The height before the column plus the height after it. It orders the lanes of a gap.
    var pull: Int
    var count: Int
  }

  init(_ links: [DiagramContent.Link], columns: [[Int]], heights: [Int]) {
    self.links = links
    self.columns = columns
    self.heights = heights
    tops = Array(repeating: 0, count: heights.count)
    columnOf = Array(repeating: 0, count: heights.count)
    for (column, boxes) in columns.enumerated() {
      for box in boxes { columnOf[box] = column }
    }
    gutters = Array(repeating: GutterTracks(), count: columns.count + 1)
    passages = Array(repeating: [], count: links.count)
    lanes = columns.map { Array(repeating: [], count: $0.count + 1) }
  }

  mutating func route() {
    stack()
    for index in links.indices { choosePassages(index) }
    orderLanes()
    stack()
    for index in links.indices { paths.append(path(index)) }
    assignTracks()
  }

  func gutterWidth(_ gutter: Int, isOuter: Bool) -> Int {
    let count = gutters[gutter].trackCount
    if count == 0 { return isOuter ? 0 : 2 * Grid.margin }
    let width = (isOuter ? Grid.margin : 2 * Grid.margin) + (count - 1) * Grid.lane
    return isOuter ? width + Grid.lane : width
  }

  private func key(_ index: Int) -> Key {
    links[index].kind == .inheritance
      ? Key(isInheritance: true, number: links[index].to.box) : Key(isInheritance: false, number: index)
  }

  /// The vertical position of an end of a link.
  private func y(_ end: DiagramContent.End, of link: DiagramContent.Link) -> Int {
    tops[end.box] + (end.row.map(Grid.rowPort) ?? (link.kind == .inheritance ? Grid.inheritancePort : Grid.boxPort))
  }

  // MARK: Boxes in columns

  private func gapHeight(_ column: Int, _ gap: Int) -> Int {
    let isOuter = gap == 0 || gap == columns[column].count
    let needed = lanes[column][gap].isEmpty ? 0 : (lanes[column][gap].count + 1) * Grid.lane
    let height = max(needed, isOuter ? 0 : 2 * Grid.row)
    return (height + Grid.row - 1) / Grid.row * Grid.row
  }

  /// Stacks the boxes of each column, and the lanes between them; columns are centered.
  private mutating func stack() {
    let columnHeights = columns.indices.map { column in
      columns[column].reduce(0) { $0 + heights[$1] } + lanes[column].indices.reduce(0) { $0 + gapHeight(column, $1) }
    }
    let tallest = columnHeights.max() ?? 0
    height = tallest + Grid.row
    for (column, boxes) in columns.enumerated() {
      let start = (tallest - columnHeights[column]) / 2 / Grid.row * Grid.row
      var top = start + Grid.offset(column: column)
      for gap in 0...boxes.count {
        let slack = max(0, gapHeight(column, gap) - lanes[column][gap].count * Grid.lane) / 2
        let first = top + slack / Grid.lane * Grid.lane + Grid.laneOffset(column: column)
        for lane in lanes[column][gap].indices { lanes[column][gap][lane].y = first + lane * Grid.lane }
        top += gapHeight(column, gap)
        if gap < boxes.count {
          tops[boxes[gap]] = top
          top += heights[boxes[gap]]
        }
      }
    }
  }

  // MARK: Ways through other columns

  /// The link's ends, the left end first.
  private func ends(_ link: DiagramContent.Link) -> (left: DiagramContent.End, right: DiagramContent.End) {
    columnOf[link.from.box] <= columnOf[link.to.box] ? (link.from, link.to) : (link.to, link.from)
  }

  /// Chooses the gaps that give the line the shortest vertical way, and prefers gaps with few lines.
  private mutating func choosePassages(_ index: Int) {
    let link = links[index]
    let (left, right) = ends(link)
    let (first, last) = (columnOf[left.box], columnOf[right.box])
    guard last - first > 1 else { return }
    let goal = y(right, of: link)
    let way = shortestWay(from: y(left, of: link), to: goal, through: first + 1..<last, key: key(index))
    passages[index] = way
    for (offset, gap) in way.enumerated() {
      let column = first + 1 + offset
      let before = offset == 0 ? y(left, of: link) : gapCenter(column - 1, way[offset - 1])
      let after = offset + 1 == way.count ? goal : gapCenter(column + 1, way[offset + 1])
      if let lane = sharedLane(column, gap, key(index)) {
        lanes[column][gap][lane].pull += before + after
        lanes[column][gap][lane].count += 1
      } else {
        lanes[column][gap].append(Lane(key: key(index), y: 0, pull: before + after, count: 1))
      }
    }
  }

  /// The gap to pass in each column, found column by column in time linear in the number of gaps.
  private func shortestWay(from start: Int, to goal: Int, through range: Range<Int>, key: Key) -> [Int] {
    var places = [start]
    var costs = [0]
    var origins: [[Int]] = []
    for column in range {
      let centers = lanes[column].indices.map { gapCenter(column, $0) }
      let nearest = Self.nearest(to: centers, from: places, costs: costs)
      costs = nearest.enumerated().map { gap, origin in
        let crowd = sharedLane(column, gap, key) == nil ? lanes[column][gap].count * 4 + 4 : 0
        return costs[origin] + abs(places[origin] - centers[gap]) + crowd
      }
      places = centers
      origins.append(nearest)
    }
    var gap = Self.nearest(to: [goal], from: places, costs: costs)[0]
    var way: [Int] = []
    for column in origins.reversed() {
      way.append(gap)
      gap = column[gap]
    }
    return way.reversed()
  }

  /// For each target, the origin that reaches it at the lowest cost. Both lists are in ascending order.
  private static func nearest(to targets: [Int], from places: [Int], costs: [Int]) -> [Int] {
    var result = Array(repeating: 0, count: targets.count)
    var best: Int?
    var next = 0
    for (target, place) in targets.enumerated() {
      while next < places.count, places[next] <= place {
        if best.map({ costs[next] - places[next] < costs[$0] - places[$0] }) ?? true { best = next }
        next += 1
      }
      result[target] = best ?? next
    }
    (best, next) = (nil, places.count - 1)
    for (target, place) in targets.enumerated().reversed() {
      while next >= 0, places[next] > place {
        if best.map({ costs[next] + places[next] <= costs[$0] + places[$0] }) ?? true { best = next }
        next -= 1
      }
      guard let above = best else { continue }
      let known = result[target]
      if costs[above] + places[above] - place < costs[known] + abs(places[known] - place) { result[target] = above }
    }
    return result
  }

  /// The lane of another line that this line may overlap.
  private func sharedLane(_ column: Int, _ gap: Int, _ key: Key) -> Int? {
    key.isInheritance ? lanes[column][gap].firstIndex { $0.key == key } : nil
  }

  private func gapCenter(_ column: Int, _ gap: Int) -> Int {
    let boxes = columns[column]
    if gap == 0 { return boxes.first.map { tops[$0] - Grid.lane } ?? 0 }
    let end = tops[boxes[gap - 1]] + heights[boxes[gap - 1]]
    return gap == boxes.count ? end + Grid.lane : (end + tops[boxes[gap]]) / 2
  }

  private mutating func orderLanes() {
    for column in lanes.indices {
      for gap in lanes[column].indices {
        lanes[column][gap].sort { ($0.pull / $0.count, $0.key.number) < ($1.pull / $1.count, $1.key.number) }
      }
    }
  }

  // MARK: Lines

  private func path(_ index: Int) -> Path {
    let link = links[index]
    let (first, last) = (columnOf[link.from.box], columnOf[link.to.box])
    var (start, end) = (y(link.from, of: link), y(link.to, of: link))
    if first == last {
      if link.from == link.to { (start, end) = (start - 5, end + 5) }
      let side: Side = first == columns.count - 1 && first > 0 ? .left : .right
      return Path(
        from: Port(box: link.from.box, side: side, y: start), to: Port(box: link.to.box, side: side, y: end),
        steps: [Step(gutter: side == .left ? first : first + 1, start: start, end: end)])
    }
    let isForward = first < last
    let leftmost = min(first, last)
    var heights = passages[index].enumerated().map { offset, gap in
      lanes[leftmost + 1 + offset][gap].first { $0.key == key(index) }?.y ?? 0
    }
    if !isForward { heights.reverse() }
    let stops = [start] + heights + [end]
    let steps = zip(stops, stops.dropFirst()).enumerated().map { offset, stop in
      Step(gutter: isForward ? first + 1 + offset : first - offset, start: stop.0, end: stop.1)
    }
    return Path(
      from: Port(box: link.from.box, side: isForward ? .right : .left, y: start),
      to: Port(box: link.to.box, side: isForward ? .left : .right, y: end), steps: steps)
  }

  private mutating func assignTracks() {
    for (index, path) in paths.enumerated() {
      for (number, step) in path.steps.enumerated() {
        let isFirst = number == 0
        let isLast = number == path.steps.count - 1
        // A line comes from the side of its box, or from the column that it passed last.
        let isForward = path.from.side == .right
        let origin: Side = isFirst ? (path.from.side == .right ? .left : .right) : isForward ? .left : .right
        let goal: Side = isLast ? (path.to.side == .right ? .left : .right) : isForward ? .right : .left
        gutters[step.gutter].add(key(index), from: step.start, on: origin, to: step.end, on: goal)
      }
    }
    for gutter in gutters.indices { gutters[gutter].assign() }
    for index in paths.indices {
      for number in paths[index].steps.indices {
        let gutter = paths[index].steps[number].gutter
        let track = gutters[gutter].track(of: key(index))
        let margin = gutter == 0 ? Grid.lane : Grid.margin
        paths[index].steps[number].x = margin + track * Grid.lane
      }
    }
  }
}
