import Foundation
import SQLite
import StoreRequests

/// SQL functions that convert numbers. For a number that the other type cannot hold they are NULL.
enum NumberFunctions {
  /// The nearest number of single precision.
  static let float = "OSD_FLOAT"
  /// A number that reads as a decimal number, unchanged.
  static let decimal = "OSD_DECIMAL"

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
    try connection.registerFunction(decimal, argumentCount: 1) { arguments in
      if arguments.isInteger(0) { return .integer(arguments.integer(0)) }
      let number = arguments.double(0)
      guard arguments.isFloatingPoint(0), let decimal = Decimal(.real(number)),
        (try? RowBinder.stored(decimal)) != nil
      else { return .null }
      return .double(number)
    }
  }
}
