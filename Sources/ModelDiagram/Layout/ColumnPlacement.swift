/// Assigns each box a column and a position in it, so that linked boxes are near one another.
///
/// The boxes are placed one by one. The next box has the most links to placed boxes, and goes where its links are
/// shortest. Then boxes move and exchange places while that shortens the links. The work is bounded: more than 250
/// boxes are only placed, in the order of their links.
struct ColumnPlacement {
  /// The boxes of each column from top to bottom; no column is empty unless there are no boxes at all.
  private(set) var columns: [[Int]]

  private let heights: [Int]
  private let neighbors: [[Int]]
  private let columnPitch: Int
  private let columnHeight: Int
  private var columnOf: [Int]
  private var centers: [Int]
  /// The number of link lengths that may still be measured.
  private var budget = 3_000_000

  /// - Parameters:
  ///   - heights: the heights of the boxes, each with the gap below it.
  ///   - columnPitch: the width of a column with its gutter.
  ///   - links: pairs of boxes; a repeated pair attracts twice as strongly.
  init(heights: [Int], columnPitch: Int, links: [(Int, Int)]) {
    self.heights = heights
    self.columnPitch = columnPitch
    var neighbors = Array(repeating: [Int](), count: heights.count)
    for (first, second) in links where first != second {
      neighbors[first].append(second)
      neighbors[second].append(first)
    }
    self.neighbors = neighbors
    let total = heights.reduce(0, +)
    let count = Self.columnCount(total: total, pitch: columnPitch, boxes: heights.count)
    columnHeight = max(heights.max() ?? 0, (total + count - 1) / max(1, count) * 21 / 20)
    columns = Array(repeating: [], count: count)
    columnOf = Array(repeating: -1, count: heights.count)
    centers = Array(repeating: 0, count: heights.count)
    if heights.count > 250 {
      fill()
    } else {
      insertAll()
      improve()
    }
    columns.removeAll(where: \.isEmpty)
  }

  /// The number of columns that makes the picture 1.5 times as wide as high.
  private static func columnCount(total: Int, pitch: Int, boxes: Int) -> Int {
    var count = 1
    while count < boxes, 2 * count * pitch * count < 3 * total { count += 1 }
    return count
  }

  /// The boxes in the order of their placement.
  private func order() -> [Int] {
    var placed = Array(repeating: false, count: heights.count)
    var strength = Array(repeating: 0, count: heights.count)
    var order: [Int] = []
    for _ in heights.indices {
      var best: Int?
      for box in heights.indices where !placed[box] {
        guard let current = best else {
          best = box
          continue
        }
        if (strength[box], neighbors[box].count) > (strength[current], neighbors[current].count) { best = box }
      }
      guard let box = best else { break }
      placed[box] = true
      order.append(box)
      for neighbor in neighbors[box] { strength[neighbor] += 1 }
    }
    return order
  }

  /// The fast way: places boxes breadth first along the links, from the top of the first column to the foot of the
  /// last.
  private mutating func fill() {
    var seen = Array(repeating: false, count: heights.count)
    var queue: [Int] = []
    for start in heights.indices where !seen[start] {
      seen[start] = true
      var next = queue.count
      queue.append(start)
      while next < queue.count {
        for neighbor in neighbors[queue[next]] where !seen[neighbor] {
          seen[neighbor] = true
          queue.append(neighbor)
        }
        next += 1
      }
    }
    var (column, height) = (0, 0)
    for box in queue {
      if height + heights[box] > columnHeight, column + 1 < columns.count { (column, height) = (column + 1, 0) }
      columns[column].append(box)
      height += heights[box]
    }
  }

  private mutating func insertAll() {
    for box in order() {
      var best: (cost: Int, column: Int, position: Int)?
      for column in columns.indices {
        for position in 0...columns[column].count {
          columns[column].insert(box, at: position)
          columnOf[box] = column
          let cost = cost(of: column) + abs(2 * column - columns.count + 1)
          columns[column].remove(at: position)
          columnOf[box] = -1
          let before = self.cost(of: column)
          if best.map({ cost - before < $0.cost }) ?? true { best = (cost - before, column, position) }
        }
      }
      guard let best else { continue }
      columns[best.column].insert(box, at: best.position)
      columnOf[box] = best.column
      settle(best.column)
    }
  }

  private mutating func improve() {
    for _ in 0..<30 {
      var isBetter = false
      for box in heights.indices {
        guard budget > 0 else { return }
        if move(box) { isBetter = true }
        if exchange(box) { isBetter = true }
      }
      if !isBetter { return }
    }
  }

  /// Moves a box to the position with the shortest links; returns `false` if no position is better.
  private mutating func move(_ box: Int) -> Bool {
    let home = columnOf[box]
    guard let place = columns[home].firstIndex(of: box) else { return false }
    var best: (gain: Int, column: Int, position: Int)?
    for column in columns.indices {
      let before = cost(of: home) + (column == home ? 0 : cost(of: column))
      columns[home].remove(at: place)
      for position in 0...columns[column].count where column != home || position != place {
        columns[column].insert(box, at: position)
        columnOf[box] = column
        let gain = before - cost(of: home) - (column == home ? 0 : cost(of: column))
        if gain > (best?.gain ?? 0) { best = (gain, column, position) }
        columns[column].remove(at: position)
      }
      columns[home].insert(box, at: place)
      columnOf[box] = home
      settle(home)
      settle(column)
    }
    guard let best else { return false }
    columns[home].remove(at: place)
    columns[best.column].insert(box, at: best.position)
    columnOf[box] = best.column
    settle(home)
    settle(best.column)
    return true
  }

  /// Exchanges a box with the box of another column that shortens the links most; returns `false` if none does.
  private mutating func exchange(_ box: Int) -> Bool {
    var best: (gain: Int, other: Int)?
    for other in heights.indices where other != box && columnOf[other] != columnOf[box] {
      let columns = [columnOf[box], columnOf[other]]
      let before = cost(of: columns[0]) + cost(of: columns[1])
      swap(box, other)
      let gain = before - cost(of: columns[0]) - cost(of: columns[1])
      if gain > (best?.gain ?? 0) { best = (gain, other) }
      swap(box, other)
      settle(columns[0])
      settle(columns[1])
    }
    guard let best else { return false }
    swap(box, best.other)
    settle(columnOf[box])
    settle(columnOf[best.other])
    return true
  }

  private mutating func swap(_ box: Int, _ other: Int) {
    let (column, otherColumn) = (columnOf[box], columnOf[other])
    guard let place = columns[column].firstIndex(of: box),
      let otherPlace = columns[otherColumn].firstIndex(of: other)
    else { return }
    columns[column][place] = other
    columns[otherColumn][otherPlace] = box
    columnOf[box] = otherColumn
    columnOf[other] = column
  }

  /// Computes the centers of the boxes in a column, which is centered itself.
  private mutating func settle(_ column: Int) {
    var top = columns[column].reduce(0) { $0 - heights[$1] } / 2
    for box in columns[column] {
      centers[box] = top + heights[box] / 2
      top += heights[box]
    }
  }

  /// The cost of a column: the lengths of its boxes' links, and its excess height.
  private mutating func cost(of column: Int) -> Int {
    settle(column)
    let height = columns[column].reduce(0) { $0 + heights[$1] }
    var cost = max(0, height - columnHeight) * 20
    for box in columns[column] {
      for neighbor in neighbors[box] where columnOf[neighbor] >= 0 {
        let distance = abs(columnOf[neighbor] - column)
        let detour = distance == 0 ? 120 : (distance - 1) * 200
        cost += abs(centers[box] - centers[neighbor]) + distance * columnPitch + detour
      }
      budget -= neighbors[box].count + 1
    }
    return cost
  }
}
