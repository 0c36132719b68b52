package import Foundation

/// Which transactions of a store's history to read, and in which order (CD-7).
///
/// All conditions have to hold. A text to be compared may be `nil`: the transactions that name none.
package struct HistoryRequest: Sendable, Hashable {
  /// Only transactions after this one, which a token names by its number.
  package var after: Int64?
  /// Only transactions up to this one.
  package var through: Int64?
  /// Only transactions at this moment or later.
  package var since: Date?
  /// Only transactions before this moment.
  package var before: Date?
  package var author = TextFilter.any
  package var bundleIdentifier = TextFilter.any
  package var contextName = TextFilter.any
  package var processName = TextFilter.any
  /// Only changes of objects of these entities, by number, and transactions that have some; `nil` for all.
  package var entities: Set<Int32>?
  /// The latest transaction first; within one, changes always come in the order in which they were recorded.
  package var isDescending = false
  /// At most as many transactions.
  package var limit: Int?

  /// A condition on a text of the transaction.
  package enum TextFilter: Sendable, Hashable {
    case any
    case equal(String?)
    case notEqual(String?)
  }

  package init() {}

  /// Everything after a token.
  package init(after: Int64?) { self.after = after }
}

/// One save, as history has it.
package struct HistoryTransaction: Sendable, Hashable {
  /// `ATRANSACTION.Z_PK`: the number in a history token.
  package var number: Int64
  /// When it was saved; the reference date where the store has none.
  package var date: Date
  package var author: String?
  package var bundleIdentifier: String?
  package var contextName: String?
  package var processName: String?

  package init(
    number: Int64, date: Date, author: String?, bundleIdentifier: String?, contextName: String?, processName: String?
  ) {
    self.number = number
    self.date = date
    self.author = author
    self.bundleIdentifier = bundleIdentifier
    self.contextName = contextName
    self.processName = processName
  }
}

/// What a save did to one object, as history has it.
package struct HistoryChange: Sendable, Hashable {
  /// `ACHANGE.Z_PK`.
  package var number: Int64
  package var transaction: Int64
  package var kind: Kind
  package var object: ObjectKey
  /// The properties an update changed, those of superentities first; `nil` for other kinds, and where the bits were recorded
  /// for another version of the model, so that nobody can say what they mean.
  package var changedProperties: [String]?
  /// What a deleted object leaves behind, by attribute; those that had no value are not listed.
  package var tombstone: [String: StoreValue]

  package init(
    number: Int64, transaction: Int64, kind: Kind, object: ObjectKey, changedProperties: [String]?,
    tombstone: [String: StoreValue]
  ) {
    self.number = number
    self.transaction = transaction
    self.kind = kind
    self.object = object
    self.changedProperties = changedProperties
    self.tombstone = tombstone
  }

  package enum Kind: Int64, Sendable, Hashable {
    case insert, update, delete
  }
}
