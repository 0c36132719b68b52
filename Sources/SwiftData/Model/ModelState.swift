internal import Foundation
public import Observation
internal import StoreRequests
internal import Synchronization

/// An object's state in its context: the context, the row, and the changed properties.
///
/// Every model object contains this value of 40 bytes. It is not copyable, so it is always used in place.
/// ``ModelExtras`` holds the state that few objects need. The size counts, since most of the cost of making an object
/// is touching its memory.
public struct _ModelState: ~Copyable {
  /// The object's context; `nil` for a detached object. Both hold each other strongly (CONTRIBUTING.md).
  var owner: ContextCore?
  @usableFromInline var extras: ModelExtras?
  /// `Z_PK` of the object's row; 0 while it has none.
  var key: Int64 = 0
  /// The version, or `Int32.min` if ``ModelExtras/wideVersion`` holds it.
  private var narrowVersion: Int32 = 0
  /// `Z_ENT` of the object's entity in the container's model; 0 while it is detached.
  var entity: Int32 = 0
  /// The object's index in the context's list of inserted, changed or deleted objects.
  var place: Int32 = 0
  @usableFromInline var status: ModelStatus = .detached
  /// Never used; it gives the state an address. Without it, the compiler may copy the whole state into a coroutine's
  /// frame on the heap to read one field through the protocol.
  private let anchor = Atomic<Bool>(false)

  /// The state of an object that is in no context.
  public init() {}

  /// Takes a place: of a new object, or of an object made for a row.
  public mutating func _take(_ place: _ModelPlace) {
    owner = place.owner
    entity = place.entity
    status = place.status
    key = place.key
    version = place.version
  }

  /// Whether a context must know the object's changes.
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

  /// One bit per changed property; properties from 63 on share the last bit, see ``ModelExtras/changedBeyondMask``.
  var changedMask: UInt64 { extras?.changedMask ?? 0 }

  /// The observation registrar; `nil` until the object is first observed.
  public var _registrar: ObservationRegistrar? { extras?.registrar }

  /// Whether the object was ever observed.
  @inlinable
  public var _isObserved: Bool { extras != nil && _registrar != nil }

  /// The observation registrar; made if there is none.
  public mutating func _makeRegistrar() -> ObservationRegistrar {
    let extras = needExtras()
    if let registrar = extras.registrar { return registrar }
    let registrar = ObservationRegistrar()
    extras.registrar = registrar
    return registrar
  }

  /// The rarely needed state; made if there is none.
  mutating func needExtras() -> ModelExtras {
    if let extras { return extras }
    let made = ModelExtras()
    extras = made
    return made
  }

  /// The object's row, if it has one.
  var objectKey: ObjectKey? { key == 0 ? nil : ObjectKey(entity: entity, key: key) }
}

/// The phases of an object's life (CONTRIBUTING.md).
@usableFromInline
enum ModelStatus: UInt8, Sendable {
  /// In no context.
  case detached
  /// In a context, without a row.
  case inserted
  /// Has a row, whose values are not loaded, or only partly.
  case fault
  /// Equal to its row as last read or saved.
  case clean
  /// At least one property was changed since the last read or save.
  case changed
  /// Its row is deleted at the next save; its values stay readable.
  case deleted
  /// Its row is deleted; its last values stay readable.
  case orphaned
}

/// State that only observed, changed or unsaved objects need.
@usableFromInline
final class ModelExtras {
  /// Records the reads of a probe, see ``PathRecorder``.
  var recorder: PathRecorder?
  var registrar: ObservationRegistrar?
  /// The storages before their first change since the last read or save, by property index.
  var originals: [Int: any _PropertyStorage] = [:]
  var wideVersion: Int64 = 0
  /// See ``_ModelState/changedMask``.
  var changedMask: UInt64 = 0
  /// Indexes of changed properties from 63 on.
  var changedBeyondMask: Set<Int> = []
  /// Changed properties whose next change a ``ValueIndex`` has to know.
  var indexedMask: UInt64 = 0
  /// The identity of an object without a row; kept after the first save, so that old identifiers still lead to the object.
  var temporaryIdentity: TemporaryIdentity?
  /// The identifier that the object had until its deletion was saved, if undo has brought it back: its next row gets the same key.
  var formerIdentifier: PersistentIdentifier?
  /// The members added to and removed from to-many relationships since the last save, by property index.
  var links: [Int: LinkChanges] = [:]
  /// The links that the context added since the last save.
  var given = GivenLinks()
  var referrers = Referrers()
  /// The updates by predicates among the unsaved changes, in their order.
  var updates: [ObjectUpdate] = []
  /// See ``_ModelState/isUnread``.
  var isUnread = false
  /// Properties whose getter returned a default because the row could not be read, with the cause.
  var unreadable: [Int: String] = [:]
  /// Properties assigned after such a read of the object, with the cause; a save refuses to write them.
  var assignedUnread: [Int: String] = [:]
  /// Whether the row was deleted elsewhere while the object keeps its changes, see ``SaveConflictPolicy/fail``.
  var isRowGone = false
  /// Whether others have saved the row since the object was read; without its changes, the object is read again.
  var isOutdated = false
  /// The row's version in the last settled conflict; the next attempt expects it. See ``SaveConflictPolicy``.
  var settledVersion: Int64?
}

extension _ModelState {
  /// Whether a property was changed since the last read or save.
  func isChanged(_ property: Int) -> Bool {
    property < 63
      ? changedMask & (1 << UInt64(property)) != 0 : extras?.changedBeyondMask.contains(property) ?? false
  }

  /// Marks a property as changed; returns whether it was unchanged before.
  mutating func markChanged(_ property: Int) -> Bool {
    guard !isChanged(property) else { return false }
    let extras = needExtras()
    extras.changedMask |= 1 << UInt64(min(property, 63))
    if property >= 63 { extras.changedBeyondMask.insert(property) }
    return true
  }

  /// Marks a property as equal to its row again.
  mutating func unmarkChanged(_ property: Int) {
    guard let extras, isChanged(property) else { return }
    if property >= 63 { extras.changedBeyondMask.remove(property) }
    if property < 63 || extras.changedBeyondMask.isEmpty { extras.changedMask &= ~(1 << UInt64(min(property, 63))) }
    extras.originals[property] = nil
    extras.links[property] = nil
    extras.assignedUnread[property] = nil
    extras.forgetUpdates(of: property)
  }

  /// Indexes of the changed properties, ascending.
  var changedProperties: [Int] {
    guard let extras, extras.changedMask != 0 else { return [] }
    var properties: [Int] = []
    var rest = extras.changedMask & ~(1 << 63)
    while rest != 0 {
      properties.append(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
    return properties + extras.changedBeyondMask.sorted()
  }

  /// Whether the values of the object's row are not loaded.
  ///
  /// `true` for a fault, and for an object whose row could not be read when it was changed or deleted.
  var isUnread: Bool {
    get { status == .fault || extras?.isUnread == true }
    set { if newValue || extras != nil { needExtras().isUnread = newValue } }
  }

  /// Whether an object without a row has the last values of its row.
  var hasRowValues: Bool { status == .orphaned && version != 0 }

  /// Sets the row of a new object after its first save.
  mutating func settle(entity: Int32, key: Int64, _ identifier: PersistentIdentifier) {
    self.entity = entity
    self.key = key
    extras?.temporaryIdentity?.permanent = identifier
    extras?.formerIdentifier = nil
  }

  /// Marks the object as equal to its row.
  mutating func settle(version: Int64) {
    self.version = version
    clearChanges()
    status = .clean
  }

  /// Drops the changes and the original values.
  mutating func clearChanges() {
    guard let extras else { return }
    extras.changedMask = 0
    extras.changedBeyondMask.removeAll()
    extras.indexedMask = 0
    extras.originals.removeAll()
    extras.links.removeAll()
    extras.given.removeAll()
    extras.updates.removeAll()
    extras.unreadable.removeAll()
    extras.assignedUnread.removeAll()
    extras.isRowGone = false
    extras.isOutdated = false
    extras.settledVersion = nil
  }
}
