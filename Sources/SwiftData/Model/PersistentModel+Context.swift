internal import Foundation
internal import StoreRequests

extension PersistentModel {
  /// The object's context; `nil` before its insertion, after its deletion was saved, and after the context was released.
  ///
  /// Apple: `PersistentModel.modelContext`.
  public var modelContext: ModelContext? {
    switch _$state.status {
    case .detached, .orphaned: nil
    case .inserted, .fault, .clean, .changed, .deleted: _$state.owner?.modelContext
    }
  }

  /// The object's identifier in its store; temporary until the first save.
  ///
  /// Apple: `PersistentModel.persistentModelID`.
  public var persistentModelID: PersistentIdentifier {
    if let recorder = _$state.extras?.recorder { recorder.noteIdentifier(of: self) }
    if let key = _$state.objectKey, let owner = _$state.owner { return owner.identifier(of: key) }
    let extras = _$state.needExtras()
    if let identity = extras.temporaryIdentity { return PersistentIdentifier(identity) }
    let identity = TemporaryIdentity(entityName: ModelClass.of(type(of: self)).entityName)
    identity.place = Int(_$state.place)
    extras.temporaryIdentity = identity
    return PersistentIdentifier(identity)
  }

  /// The object's persistent identifier. Apple: `PersistentModel.id`.
  public var id: PersistentIdentifier { persistentModelID }

  /// Whether the next save inserts, updates or deletes the object. Apple: `PersistentModel.hasChanges`.
  public var hasChanges: Bool {
    switch _$state.status {
    case .inserted, .changed, .deleted: true
    case .detached, .fault, .clean, .orphaned: false
    }
  }

  /// Whether the next save deletes the object, or its row is deleted. Apple: `PersistentModel.isDeleted`.
  public var isDeleted: Bool {
    switch _$state.status {
    case .deleted, .orphaned: true
    case .detached, .inserted, .fault, .clean, .changed: false
    }
  }

  /// Whether two variables hold the same object; a context has one object per row. Apple: `PersistentModel.==`.
  public static func == (left: Self, right: Self) -> Bool { left === right }

  /// Hashes the object's identity, which does not change at a save, unlike its identifier. Apple:
  /// `PersistentModel.hash(into:)`.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
