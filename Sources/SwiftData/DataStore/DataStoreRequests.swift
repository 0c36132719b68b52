public import Foundation

/// A fetch of a context from a custom store. Apple: `DataStoreFetchRequest`.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// The context that fetches.
  public let editingState: EditingState
  /// The objects to fetch.
  public let descriptor: FetchDescriptor<T>

  /// A request; a store that passes requests on to another store makes them, too. Apple's initializer is not public.
  public init(editingState: EditingState, descriptor: FetchDescriptor<T>) {
    self.editingState = editingState
    self.descriptor = descriptor
  }
}

/// The answer of a custom store to a fetch. Apple: `DataStoreFetchResult`.
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>: Sendable {
  /// The descriptor of the request.
  public let descriptor: FetchDescriptor<ModelType>
  /// The fetched objects in the descriptor's order.
  public let fetchedSnapshots: [SnapshotType]
  /// Objects to which relationships of the fetched objects lead; the context needs no further fetch for them.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// A result.
  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// The changes of a save, for a custom store to write. Apple: `DataStoreSaveChangesRequest`.
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
  /// New objects; their identifiers, and those in their relationships to other new objects, are temporary.
  public let inserted: [SnapshotType]
  /// Changed objects with all their values. An object is changed, too, if an object left or joined a relationship of it.
  public let updated: [SnapshotType]
  /// Deleted objects, as the store has them.
  public let deleted: [SnapshotType]
  /// The context that saves.
  public let editingState: EditingState

  /// A request; a store that passes requests on to another store makes them, too. Apple's initializer is not public.
  public init(
    inserted: [SnapshotType] = [], updated: [SnapshotType] = [], deleted: [SnapshotType] = [],
    editingState: EditingState
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.editingState = editingState
  }
}

/// The answer of a custom store to a save. Apple: `DataStoreSaveChangesResult`.
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
  /// The permanent identifier of each inserted object by its temporary one.
  ///
  /// If the permanent identifier is that of an object in the store, the inserted object becomes that object.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// The store's identifier.
  public let storeIdentifier: String
  /// Objects whose values the store changed as it saved them; their context reads these values.
  public let snapshotsToReregister: [PersistentIdentifier: T]
  /// The position in the store's history after the save; `nil` if the store has no history, or does not say. Apple: iOS 27.
  ///
  /// The context announces it in ``ModelContext/didSave``, and ``HistoryObserver`` counts the save.
  public let historyToken: (any HistoryToken)?

  /// A result without a position in a history.
  public convenience init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:]
  ) {
    self.init(
      for: storeIdentifier, remappedIdentifiers: remappedIdentifiers, snapshotsToReregister: snapshotsToReregister,
      historyToken: nil)
  }

  /// A result with a position in the store's history.
  ///
  /// Apple: `DataStoreSaveChangesResult.init(for:remappedIdentifiers:snapshotsToReregister:historyToken:)` (iOS 27).
  public init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)?
  ) {
    self.historyToken = historyToken
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
  }
}

/// A deletion of all objects that a predicate selects. Apple: `DataStoreBatchDeleteRequest`.
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: Sendable {
  /// The context that deletes.
  public let editingState: EditingState
  /// Selects the objects; all of them if `nil`.
  public let predicate: Predicate<T>?
  /// Whether objects of subclasses are deleted, too.
  public let includeSubclasses: Bool

  /// A request; a store that passes requests on to another store makes them, too. Apple's initializer is not public.
  public init(editingState: EditingState, predicate: Predicate<T>? = nil, includeSubclasses: Bool = true) {
    self.editingState = editingState
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
  }
}

extension DataStoreBatchDeleteRequest: CustomStringConvertible, CustomReflectable {
  /// The request with its predicate as it may have been written; captured values are left out.
  ///
  /// Foundation's own description of a predicate may end the program; see ``FetchDescriptor/description``.
  public var description: String {
    let parts = customMirror.children.map { "\($0.label ?? ""): \($0.value)" }
    return "DataStoreBatchDeleteRequest<\(T.self)>(\(parts.joined(separator: ", ")))"
  }

  /// The properties of the request; the predicate as text.
  public var customMirror: Mirror {
    var children: [Mirror.Child] = [("editingState", editingState)]
    if let predicate { children.append(("predicate", SwiftData.sketch(predicate.expression))) }
    children.append(("includeSubclasses", includeSubclasses))
    return Mirror(self, children: children, displayStyle: .struct)
  }
}

/// The reason why a custom store cannot carry out a request. Apple: `DataStoreError`.
public enum DataStoreError: Error, Hashable, Sendable {
  /// The store does not have the feature.
  case unsupportedFeature
  /// The store cannot evaluate the predicate: it is asked again without it, and the context filters.
  case preferInMemoryFilter
  /// The store cannot sort in the order: it is asked again without it, and the context sorts.
  case preferInMemorySort
  /// The predicate makes no sense to the store; the fetch fails.
  case invalidPredicate
}
