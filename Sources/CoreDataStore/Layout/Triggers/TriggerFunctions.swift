import Foundation
package import SQLite
package import StoreRequests

/// The functions with which Core Data's triggers report changed values to the program (CD-8).
package enum TriggerFunctions {
  package static let updatedDerived = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
  package static let insertedDerived = "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"
  package static let updated = "NSCoreDataTriggerUpdateAffectedObjectValue"
  /// The time of a save, in triggers of `now()`. Core Data users report it; no store at hand has it.
  static let now = "NSCoreDataNow"

  static let all = [updatedDerived, insertedDerived, updated, now]

  /// Registers the functions with a connection. Without them every write to a table with such triggers fails.
  ///
  /// - Parameter report: receives each row with a value that a trigger changed.
  /// - Throws: `SQLiteError`
  package static func register(
    on connection: Connection, report: (@Sendable (ObjectKey) -> Void)? = nil
  ) throws {
    for name in [updatedDerived, insertedDerived, updated] {
      try connection.registerFunction(name, argumentCount: 5, isDeterministic: false, isInnocuous: true) { arguments in
        report?(ObjectKey(entity: Int32(clamping: arguments.integer(1)), key: arguments.integer(2)))
        return .null
      }
    }
    try connection.registerFunction(now, argumentCount: 0, isDeterministic: false, isInnocuous: true) { _ in
      .double(Date().timeIntervalSinceReferenceDate)
    }
  }
}
