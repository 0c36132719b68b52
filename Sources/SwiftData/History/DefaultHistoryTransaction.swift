public import Foundation

/// A transaction of a store of Core Data's layout (CD-7). Apple: `DefaultHistoryTransaction`.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// A number per store.
  public typealias TokenType = DefaultHistoryToken
  /// A number that grows with each transaction of the store.
  public typealias TransactionIdentifier = Int64

  /// ``transactionIdentifier``.
  public var id: Int64 { transactionIdentifier }
  /// The time of the save.
  public let timestamp: Date
  /// The changes of objects whose class is in the container's schema, in the order of recording.
  public let changes: [HistoryChange]
  /// The position after this transaction.
  ///
  /// If the container has several stores, it also has the numbers of the other stores' transactions that come earlier in the same
  /// result. So the token of a result's last transaction is the position after the result.
  public internal(set) var token: DefaultHistoryToken
  /// The transaction's number in its store.
  public let transactionIdentifier: Int64
  /// The identifier of the store, as in ``PersistentIdentifier/storeIdentifier``.
  public let storeIdentifier: String
  /// The bundle identifier of the program that saved; empty if the store has none.
  public let bundleIdentifier: String
  /// The name of the process that saved; empty if the store has none.
  public let processIdentifier: String
  /// ``ModelContext/author`` of the context that saved; `nil` if it had none.
  public let author: String?

  /// Whether two values describe the same transaction of the same store.
  public static func == (left: Self, right: Self) -> Bool {
    left.transactionIdentifier == right.transactionIdentifier && left.storeIdentifier == right.storeIdentifier
      && left.timestamp == right.timestamp
  }

  /// Hashes the store and the number.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(storeIdentifier)
    hasher.combine(transactionIdentifier)
  }
}

/// The insertion of an object in a store of Core Data's layout. Apple: `DefaultHistoryInsert`.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert {
  /// A number that grows with each transaction of the store.
  public typealias TransactionIdentifier = Int64
  /// A number that grows with each change of the store.
  public typealias ChangeIdentifier = Int64

  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of the change's transaction.
  public let transactionIdentifier: Int64
  /// The identifier of the object.
  public let changedPersistentIdentifier: PersistentIdentifier

  /// Whether two values describe the same change.
  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }

  /// Hashes the change's number and the object.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}

/// The update of an object in a store of Core Data's layout. Apple: `DefaultHistoryUpdate`.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate {
  /// A number that grows with each transaction of the store.
  public typealias TransactionIdentifier = Int64
  /// A number that grows with each change of the store.
  public typealias ChangeIdentifier = Int64

  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of the change's transaction.
  public let transactionIdentifier: Int64
  /// The identifier of the object.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The attributes and relationships that the transaction changed, each once.
  ///
  /// Empty for a change that another version of the model recorded, whose bits name unknown properties (CD-7). The key path of
  /// an inherited property is that of the superclass: ``includes(_:)`` knows both.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]

  /// Whether the transaction changed a property; the key path may be written for the class or for a superclass.
  ///
  /// Not in Apple's framework.
  public func includes(_ keyPath: PartialKeyPath<Model>) -> Bool {
    if updatedAttributes.contains(where: { $0 == keyPath }) { return true }
    let model = ModelClass.of(Model.self)
    guard let property = model.property(for: keyPath) else { return false }
    return updatedAttributes.contains { ($0 as AnyKeyPath) == property.keyPath }
  }

  /// Whether two values describe the same change.
  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }

  /// Hashes the change's number and the object.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}

/// The deletion of an object in a store of Core Data's layout. Apple: `DefaultHistoryDelete`.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete {
  /// A number that grows with each transaction of the store.
  public typealias TransactionIdentifier = Int64
  /// A number that grows with each change of the store.
  public typealias ChangeIdentifier = Int64

  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of the change's transaction.
  public let transactionIdentifier: Int64
  /// The identifier that the object had.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The values of the attributes that are marked `.preserveValueOnDeletion`.
  ///
  /// In a file, enumerations and structures leave no value: no real store shows how a tombstone keeps a composite (CD-7). They leave their
  /// value if they are marked `.codable`, too. On a server they leave it in any case.
  public let tombstone: HistoryTombstone<Model>

  /// Whether two values describe the same change.
  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }

  /// Hashes the change's number and the object.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}
