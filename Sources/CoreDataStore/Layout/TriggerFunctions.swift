package import SQLite

/// The functions that Core Data's triggers call to tell the program which values they changed (CD-8).
package enum TriggerFunctions {
  static let updatedDerived = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
  static let insertedDerived = "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"
  static let updated = "NSCoreDataTriggerUpdateAffectedObjectValue"

  /// A value that a trigger changed in a row other than by the statement itself.
  package struct AffectedValue: Sendable, Hashable {
    package let table: String
    package let entityNumber: Int64
    package let key: Int64
    package let property: String
  }

  /// Makes the functions known to a connection; without them every write to a table with such triggers fails.
  ///
  /// - Parameter report: hears of each value that a trigger changed.
  /// - Throws: `SQLiteError`
  package static func register(
    on connection: Connection, report: (@Sendable (AffectedValue) -> Void)? = nil
  ) throws {
    for name in [updatedDerived, insertedDerived, updated] {
      try connection.registerFunction(name, argumentCount: 5, isDeterministic: false, isInnocuous: true) { arguments in
        report?(
          AffectedValue(
            table: arguments.text(0) ?? "", entityNumber: arguments.integer(1), key: arguments.integer(2),
            property: arguments.text(3) ?? ""))
        return .null
      }
    }
  }
}
