/// The change of one object in a transaction. Apple: `HistoryChange`.
public enum HistoryChange: Sendable {
  /// The transaction inserted the object.
  case insert(any HistoryInsert)
  /// The transaction updated the object.
  case update(any HistoryUpdate)
  /// The transaction deleted the object.
  case delete(any HistoryDelete)

  /// The identifier of the changed object. It stays valid as a value after the object is deleted.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let change): change.changedPersistentIdentifier
    case .update(let change): change.changedPersistentIdentifier
    case .delete(let change): change.changedPersistentIdentifier
    }
  }
}

/// The insertion of an object. Apple: `HistoryInsert`.
public protocol HistoryInsert<Model>: Sendable {
  /// The object's class.
  associatedtype Model: PersistentModel
  /// The type of transaction numbers.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of change numbers.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The number of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The number of the change's transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the object.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// The update of an object. Apple: `HistoryUpdate`.
public protocol HistoryUpdate<Model>: Sendable {
  /// The object's class.
  associatedtype Model: PersistentModel
  /// The type of transaction numbers.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of change numbers.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// The key path of a property.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// The number of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The number of the change's transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the object.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The attributes and relationships that the transaction changed.
  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// The deletion of an object. Apple: `HistoryDelete`.
public protocol HistoryDelete<Model>: Sendable {
  /// The object's class.
  associatedtype Model: PersistentModel
  /// The type of transaction numbers.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of change numbers.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The number of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The number of the change's transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier that the object had.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The values of the attributes that are marked `.preserveValueOnDeletion`.
  var tombstone: HistoryTombstone<Model> { get }
}
