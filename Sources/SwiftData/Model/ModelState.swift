internal import CoreDataStore
internal import Foundation
public import Observation
internal import Synchronization

/// An object's place in its context: who keeps it, which row it is, and what of it has changed.
///
/// One value inside every model object, 40 bytes, not copyable, so that it is always used where it is; what few objects need
/// stands in ``ModelExtras``. Its size counts: most of what making an object costs is touching its memory.
public struct _ModelState: ~Copyable {
  /// The context the object is in; `nil` while it is detached. Objects hold it strongly, it holds them back (CONTRIBUTING.md).
  var owner: ContextCore?
  @usableFromInline var extras: ModelExtras?
  /// `Z_PK` of the object's row; 0 while it has none.
  var key: Int64 = 0
  /// The version, or `Int32.min` for one that stands in ``ModelExtras/wideVersion``.
  private var narrowVersion: Int32 = 0
  /// `Z_ENT` of the object's entity in the container's model; 0 while it is detached.
  var entity: Int32 = 0
  /// Where the object stands in the list of inserted, changed or deleted ones that it is in.
  var place: Int32 = 0
  @usableFromInline var status: ModelStatus = .detached
  /// Never used: it makes the state a type that has an address, so that reading one field through the protocol gives the compiler
  /// no reason to copy the whole state into a coroutine's frame on the heap.
  private let anchor = Atomic<Bool>(false)

  /// The state of an object that is in no context.
  public init() {}

  /// Takes a place: that of a new object, or of one being made for a row.
  public mutating func _take(_ place: _ModelPlace) {
    owner = place.owner
    entity = place.entity
    status = place.status
    key = place.key
    version = place.version
  }

  /// Whether changes of the object have to be told to a context.
  @inlinable
  public var _isAttached: Bool { status != .detached && status != .orphaned }

  /// `Z_OPT` as last read or written; 0 while the object has no row.
  var version: Int64 {
    get { narrowVersion == .min ? extras?.wideVersion ?? 0 : Int64(narrowVersion) }
    set {
      if let version = Int32(exactly: newValue), version != .min {
        narrowVersion = version
      } else {
        narrowVersion = .min
        needExtras().wideVersion = newValue
      }
    }
  }

  /// Bit per changed property; property 63 and those after it share the last bit, see ``ModelExtras/changedBeyondMask``.
  var changedMask: UInt64 { extras?.changedMask ?? 0 }

  /// The observation registrar, if anyone has ever observed the object.
  public var _registrar: ObservationRegistrar? { extras?.registrar }

  /// Whether anyone has ever observed the object.
  @inlinable
  public var _isObserved: Bool { extras != nil && _registrar != nil }

  /// The observation registrar, made on first need.
  public mutating func _makeRegistrar() -> ObservationRegistrar {
    let extras = needExtras()
    if let registrar = extras.registrar { return registrar }
    let registrar = ObservationRegistrar()
    extras.registrar = registrar
    return registrar
  }

  /// The rarely needed part, made on first need.
  mutating func needExtras() -> ModelExtras {
    if let extras { return extras }
    let made = ModelExtras()
    extras = made
    return made
  }

  /// The object's row, if it has one.
  var objectKey: ObjectKey? { key == 0 ? nil : ObjectKey(entity: entity, key: key) }
}

/// Where an object is in its life (CONTRIBUTING.md).
@usableFromInline
enum ModelStatus: UInt8, Sendable {
  /// In no context: an ordinary object.
  case detached
  /// In a context, not in the store.
  case inserted
  /// Its row is known, its values are not loaded, or only some of them.
  case fault
  /// As last read or saved.
  case clean
  /// At least one property differs from what was read or saved.
  case changed
  /// Will go at the next save; its values stay readable.
  case deleted
  /// Its row is gone; its last values stay readable.
  case orphaned
}

/// What only observed, changed or unsaved objects need.
@usableFromInline
final class ModelExtras {
  /// Notes the reads of an object that a key path is tried on.
  var recorder: PathRecorder?
  var registrar: ObservationRegistrar?
  /// Storages as they were before the first change since the last read or save, by property index.
  var originals: [Int: any _PropertyStorage] = [:]
  var wideVersion: Int64 = 0
  /// See ``_ModelState/changedMask``.
  var changedMask: UInt64 = 0
  /// Indexes of changed properties from 63 on.
  var changedBeyondMask: Set<Int> = []
  /// The identity of an object that has no row yet; kept after its first save, so that code that holds it is understood.
  var temporaryIdentity: TemporaryIdentity?
  /// What was added to and removed from to-many relationships since the last save, by property index.
  var links: [Int: LinkChanges] = [:]
  /// See ``_ModelState/isUnread``.
  var isUnread = false
  /// Properties whose getter gave a default because the row could not be read, with the cause.
  var unreadable: [Int: String] = [:]
  /// Properties that were assigned after that, with the cause: no save may write them.
  var assignedUnread: [Int: String] = [:]
  /// Whether somebody else has deleted the row of an object that keeps its changes, see ``SaveConflictPolicy/fail``.
  var isRowGone = false
}

extension _ModelState {
  /// Whether a property differs from what was read or saved.
  func isChanged(_ property: Int) -> Bool {
    property < 63
      ? changedMask & (1 << UInt64(property)) != 0 : extras?.changedBeyondMask.contains(property) ?? false
  }

  /// Notes that a property differs; says whether it did not before.
  mutating func markChanged(_ property: Int) -> Bool {
    guard !isChanged(property) else { return false }
    let extras = needExtras()
    extras.changedMask |= 1 << UInt64(min(property, 63))
    if property >= 63 { extras.changedBeyondMask.insert(property) }
    return true
  }

  /// Indexes of the properties that differ, ascending.
  var changedProperties: [Int] {
    let changedMask = changedMask
    guard changedMask != 0 else { return [] }
    let low = (0..<63).filter { changedMask & (1 << UInt64($0)) != 0 }
    return low + (extras?.changedBeyondMask.sorted() ?? [])
  }

  /// Whether the values of the object's row are not loaded: it is a fault, or was one that could not be read when it was
  /// changed or deleted.
  var isUnread: Bool {
    get { status == .fault || extras?.isUnread == true }
    set { if newValue || extras != nil { needExtras().isUnread = newValue } }
  }

  /// A new object has a row now.
  mutating func settle(entity: Int32, key: Int64, _ identifier: PersistentIdentifier) {
    self.entity = entity
    self.key = key
    extras?.temporaryIdentity?.permanent = identifier
  }

  /// The object is in the store as it is here.
  mutating func settle(version: Int64) {
    self.version = version
    clearChanges()
    status = .clean
  }

  /// Forgets what has changed and the original values.
  mutating func clearChanges() {
    guard let extras else { return }
    extras.changedMask = 0
    extras.changedBeyondMask.removeAll()
    extras.originals.removeAll()
    extras.links.removeAll()
    extras.unreadable.removeAll()
    extras.assignedUnread.removeAll()
    extras.isRowGone = false
  }
}
