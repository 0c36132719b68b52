struct Point: Sendable, Equatable {
  var x: Int
  var y: Int
}

/// A box's place, in pixels from the top left corner of the picture.
struct Frame: Sendable, Equatable {
  var x: Int
  var y: Int
  var width: Int
  var height: Int
}

/// The grid on which boxes, rows and lines lie.
///
/// Rows are 18 pixels high, and the boxes of every other column are half a row lower. With the offsets below, a
/// horizontal line that enters a gutter from the left never has the height of a line from the right. So lines cross,
/// and never run along one another.
enum Grid {
  static let row = 18
  static let header = 27
  /// The distance between two parallel lines.
  static let lane = 9
  /// The distance from a box to the first line beside it, which leaves room for the sign of a multiplicity.
  static let margin = 24
  /// The height, from the top of a box, of links to the box itself: inheritance, and relationships without inverse.
  static let inheritancePort = 13
  static let boxPort = 20

  static func height(rows: Int) -> Int { header + rows * row + row / 2 }
  static func rowPort(_ index: Int) -> Int { header + row / 2 + index * row }
  /// The vertical offset of the boxes of a column.
  static func offset(column: Int) -> Int { column.isMultiple(of: 2) ? 0 : row / 2 }
  /// The vertical offset, modulo ``lane``, of lines that pass through a column.
  static func laneOffset(column: Int) -> Int { column.isMultiple(of: 2) ? 3 : 6 }
}
