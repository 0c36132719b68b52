import Foundation
package import SQLite
package import StoreRequests

/// The functions that Core Data's triggers call to tell the program which values they changed (CD-8).
package enum TriggerFunctions {
  package static let updatedDerived = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
  package static let insertedDerived = "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"
  package static let updated = "NSCoreDataTriggerUpdateAffectedObjectValue"
  /// The moment of a save, in triggers of `now()`; told of by Core Data's users, in no store at hand.
  static let now = "NSCoreDataNow"

  static let all = [updatedDerived, insertedDerived, updated, now]

  /// Makes the functions known to a connection; without them every write to a table with such triggers fails.
  ///
  /// - Parameter report: hears of each row of which a trigger changed a value.
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
