package import Foundation

/// An engine that can make its part of a save over several stores again. A kill between two commits leaves such a part unwritten.
///
/// The store that commits first keeps a record of the parts of all later stores, in its own transaction. Each later store
/// notes the save, in its own transaction. So a process that finds a record knows which stores lack their part. A
/// complete save removes its record.
package protocol RecoverableEngine: TransactionalEngine {
  /// Whether what a save writes outlives the process, and the store can be written.
  var isRecoverable: Bool { get }

  /// Like ``TransactionalEngine/save(_:beforeCommit:)``, with a note in the same transaction.
  ///
  /// - Throws: ``JointSaveNote/Refusal`` as well.
  func save(
    _ changes: ChangeSet, note: JointSaveNote, beforeCommit: (SaveResult) throws -> Void
  ) throws -> SaveResult

  /// The records of saves that are not known to be complete, the oldest first. Their bytes are not to be trusted.
  func jointSaveRecords() throws -> [JointSaveRecord]

  /// Removes a record, if the store has it.
  func removeJointSaveRecord(_ identifier: String) throws

  /// Allows records of another store to change this store. A record of any other store is refused.
  func allowJointSaves(with store: String) throws
}

/// What a store notes of a save over several stores, in its part of the save.
package enum JointSaveNote: Sendable {
  /// The store that commits first keeps the parts of the others.
  case record(identifier: String, Data)
  /// A later store notes that it has its part of a save whose record is in another store.
  case part(identifier: String, recordedIn: String)

  /// The reason why a part is not written.
  package enum Refusal: Error, Sendable, Hashable {
    /// The store has this part of the save already.
    case isWritten
    /// The store was never saved together with the store that has the record.
    case unknownStore
  }
}

/// A record that a store keeps; see ``RecoverableEngine``.
package struct JointSaveRecord: Sendable {
  package let identifier: String
  /// The number of the save in the history of the store that has the record; `nil` if it keeps no history.
  package let transaction: Int64?
  /// An array of ``RecordedPart``.
  package let data: Data

  package init(identifier: String, transaction: Int64?, data: Data) {
    self.identifier = identifier
    self.transaction = transaction
    self.data = data
  }
}
