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
/// Rows are 18 pixels high, and the boxes of every other column are moved down by half a row. With the offsets below,
/// no horizontal line that enters a gutter from the left has the height of one that enters it from the right, so
/// lines cross and never run along one another.
enum Grid {
  static let row = 18
  static let header = 27
  /// From one line to the next beside it.
  static let lane = 9
  /// Between a box and the first line beside it: room for the sign of a multiplicity.
  static let margin = 24
  /// The height of links to a box as such, from its top: of inheritance, and of relationships without inverse.
  static let inheritancePort = 13
  static let boxPort = 20

  static func height(rows: Int) -> Int { header + rows * row + row / 2 }
  static func rowPort(_ index: Int) -> Int { header + row / 2 + index * row }
  /// Where boxes of a column may begin.
  static func offset(column: Int) -> Int { column.isMultiple(of: 2) ? 0 : row / 2 }
  /// Where lines that pass through a column may lie, modulo ``lane``.
  static func laneOffset(column: Int) -> Int { column.isMultiple(of: 2) ? 3 : 6 }
}
