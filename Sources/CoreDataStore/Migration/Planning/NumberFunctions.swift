import SQLite

/// SQL functions that convert numbers. For a number that the other type cannot hold they are NULL.
enum NumberFunctions {
  /// The nearest number of single precision.
  static let float = "OSD_FLOAT"

  /// The condition for values of which a function is NULL.
  static func misfits(_ function: String) -> (String) -> String {
    { "(\($0) IS NOT NULL AND \(function)(\($0)) IS NULL)" }
  }

  static func register(on connection: Connection) throws {
    try connection.registerFunction(float, argumentCount: 1) { arguments in
      guard arguments.isInteger(0) || arguments.isFloatingPoint(0) else { return .null }
      let number = arguments.double(0)
      let single = Float(number)
      guard single.isFinite == number.isFinite, (single == 0) == (number == 0) else { return .null }
      return .double(Double(single))
    }
  }
}
