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
/// Rows are 18 pixels high, and every other column starts half a row lower. Lines therefore leave the two sides of a
/// gutter at different heights, so horizontal lines in one gutter cross other lines but never lie on one another.
enum Grid {
  static let row = 18
  static let header = 27
  /// The distance between two parallel lines.
  static let lane = 9
  /// The distance from a box to the first line beside it. The sign of a multiplicity fits into it.
  static let margin = 24
  /// The height of links to the box itself, from its top: inheritance, and relationships without inverse.
  static let inheritancePort = 13
  static let boxPort = 20

  static func height(rows: Int) -> Int { header + rows * row + row / 2 }
  static func rowPort(_ index: Int) -> Int { header + row / 2 + index * row }
  /// The vertical offset of the boxes of a column.
  static func offset(column: Int) -> Int { column.isMultiple(of: 2) ? 0 : row / 2 }
  /// The vertical offset of lines that pass through a column, modulo ``lane``.
  static func laneOffset(column: Int) -> Int { column.isMultiple(of: 2) ? 3 : 6 }
}
