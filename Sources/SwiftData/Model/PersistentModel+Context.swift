internal import CoreDataStore
internal import Foundation

extension PersistentModel {
  /// The context the object is in; `nil` before its insertion, after its deletion was saved, and once the context is gone.
  ///
  /// Apple: `PersistentModel.modelContext`.
  public var modelContext: ModelContext? {
    switch _$state.status {
    case .detached, .orphaned: nil
    case .inserted, .fault, .clean, .changed, .deleted: _$state.owner?.modelContext
    }
  }

  /// What identifies the object in its store; a temporary identity until its first save.
  ///
  /// Apple: `PersistentModel.persistentModelID`.
  public var persistentModelID: PersistentIdentifier {
    if let recorder = _$state.extras?.recorder { recorder.noteIdentifier(of: self) }
    if let key = _$state.objectKey, let owner = _$state.owner { return owner.identifier(of: key) }
    let extras = _$state.needExtras()
    if let identity = extras.temporaryIdentity { return PersistentIdentifier(identity) }
    let identity = TemporaryIdentity(entityName: ModelClass.of(Self.self).entityName)
    extras.temporaryIdentity = identity
    return PersistentIdentifier(identity)
  }

  /// The object's persistent identifier. Apple: `PersistentModel.id`.
  public var id: PersistentIdentifier { persistentModelID }

  /// Whether the object is new, changed or to be deleted at the next save. Apple: `PersistentModel.hasChanges`.
  public var hasChanges: Bool {
    switch _$state.status {
    case .inserted, .changed, .deleted: true
    case .detached, .fault, .clean, .orphaned: false
    }
  }

  /// Whether the object will go at the next save, or its row is gone. Apple: `PersistentModel.isDeleted`.
  public var isDeleted: Bool {
    switch _$state.status {
    case .deleted, .orphaned: true
    case .detached, .inserted, .fault, .clean, .changed: false
    }
  }

  /// Whether two variables hold the same object; a context has one object per row. Apple: `PersistentModel.==`.
  public static func == (left: Self, right: Self) -> Bool { left === right }

  /// Hashes the object's identity, which, unlike its identifier, stays when it is saved. Apple: `PersistentModel.hash(into:)`.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
