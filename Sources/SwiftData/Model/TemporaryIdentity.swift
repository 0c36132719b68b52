internal import Foundation
internal import Synchronization

/// The identity of an object before its first save, and its permanent identifier after it.
///
/// A coded identifier that is decoded in the same process has the same identity, as long as the object or an identifier of it
/// lives. So it leads to the object after the save, too.
final class TemporaryIdentity: Sendable {
  let entityName: String
  private let state: Mutex<State>
  private let isDecoded: Bool

  private struct State {
    var uuid: UUID?
    var permanent: PersistentIdentifier?
    var isCoded = false
    var holder: Holder?
  }

  /// The unsaved object of a context. Only that context, in its isolation, asks for it.
  ///
  /// It refers to the object by its extras: a weak reference to the object itself would slow down its reference counting.
  private struct Holder: @unchecked Sendable {
    let context: ObjectIdentifier
    weak var extras: ModelExtras?
  }

  /// The identities of coded identifiers, by UUID. An identity takes itself out when it is released.
  private static let coded = Mutex<[UUID: Coded]>([:])

  private struct Coded {
    weak var identity: TemporaryIdentity?
  }

  /// - Parameter uuid: the UUID of a decoded identifier; if `nil`, the first read of ``uuid`` makes one.
  init(entityName: String, uuid: UUID? = nil) {
    self.entityName = entityName
    isDecoded = uuid != nil
    state = Mutex(State(uuid: uuid))
  }

  deinit {
    guard let uuid = state.withLock({ $0.isCoded ? $0.uuid : nil }) else { return }
    Self.coded.withLock { $0[uuid] = nil }
  }

  /// The identity of a decoded identifier.
  static func decoded(entityName: String, uuid: UUID) -> TemporaryIdentity {
    if let known = coded.withLock({ $0[uuid]?.identity }), known.entityName == entityName { return known }
    return TemporaryIdentity(entityName: entityName, uuid: uuid)
  }

  /// Notes that an identifier is coded, so that ``decoded(entityName:uuid:)`` finds the identity.
  func noteCoding() {
    // Only one identity of a UUID is in the list: the one that has made it.
    guard !isDecoded else { return }
    let uuid = uuid
    state.withLock { $0.isCoded = true }
    Self.coded.withLock { $0[uuid] = Coded(identity: self) }
  }

  var uuid: UUID {
    state.withLock { state in
      if let uuid = state.uuid { return uuid }
      let uuid = UUID()
      state.uuid = uuid
      return uuid
    }
  }

  /// Notes the object that a context is to insert.
  func note(_ object: any PersistentModel, in context: ContextCore) {
    let extras = object._$state.needExtras()
    extras.object = object
    let holder = Holder(context: ObjectIdentifier(context), extras: extras)
    state.withLock { $0.holder = holder }
  }

  /// The object that a context is to insert; `nil` if it has no such object.
  func object(in context: ContextCore) -> (any PersistentModel)? {
    guard let holder = state.withLock(\.holder), holder.context == ObjectIdentifier(context),
      let object = holder.extras?.object, object._$state.status == .inserted, object._$state.owner === context
    else { return nil }
    return object
  }

  /// The identifier after the first save; set once, by the save.
  var permanent: PersistentIdentifier? {
    get { state.withLock { $0.permanent } }
    set { state.withLock { $0.permanent = newValue } }
  }
}
