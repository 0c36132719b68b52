package import Foundation

/// A fetch of transactions from a store's history (CD-7).
///
/// A transaction must meet all conditions. A text condition with `nil` selects the transactions without that text.
package struct HistoryRequest: Sendable, Hashable {
  /// Only transactions after the transaction of this number, which is the number in a token.
  package var after: Int64?
  /// Only transactions up to the transaction of this number.
  package var through: Int64?
  /// Only transactions at this moment or later.
  package var since: Date?
  /// Only transactions before this moment.
  package var before: Date?
  package var author = TextFilter.any
  package var bundleIdentifier = TextFilter.any
  package var contextName = TextFilter.any
  package var processName = TextFilter.any
  /// Only changes of objects of these entities, and transactions with such changes; `nil` for all.
  package var entities: Set<Int32>?
  /// The order of the transactions. The changes of a transaction always come in the order of recording.
  package var order = Order.number
  /// The latest transaction first.
  package var isDescending = false
  /// The largest number of transactions.
  package var limit: Int?

  /// A condition on a text of the transaction.
  package enum TextFilter: Sendable, Hashable {
    case any
    case equal(String?)
    case notEqual(String?)
  }

  /// An order of transactions.
  package enum Order: Sendable, Hashable {
    /// By number: the order of the commits.
    case number
    /// By time, then by number. A clock that was set back makes this differ from the order of the commits.
    case date
  }

  package init() {}

  /// Everything after a token.
  package init(after: Int64?) { self.after = after }
}

/// One save, as history records it.
package struct HistoryTransaction: Sendable, Hashable {
  /// The number in a history token; in Core Data's layout the key of the transaction's row.
  package var number: Int64
  /// The time of the save; the reference date if the store has no time.
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

/// The change of one object in a save, as history records it.
package struct HistoryChange: Sendable, Hashable {
  /// The change's own number.
  package var number: Int64
  package var transaction: Int64
  package var kind: Kind
  package var object: ObjectKey
  /// The properties that an update changed, properties of superentities first. `nil` for other kinds, and if the change was
  /// recorded for another version of the model, whose properties are unknown.
  package var changedProperties: [String]?
  /// The preserved values of a deleted object by ``StoreAttribute/tombstoneKeys``, without values that were missing.
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
