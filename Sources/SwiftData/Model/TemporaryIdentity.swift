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
    var place = 0
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

  /// Where the object was last seen among the insertions of its context. Another object may be there by now.
  var place: Int {
    get { state.withLock { $0.place } }
    set { state.withLock { $0.place = newValue } }
  }

  /// The identifier after the first save; set once, by the save.
  var permanent: PersistentIdentifier? {
    get { state.withLock { $0.permanent } }
    set { state.withLock { $0.permanent = newValue } }
  }
}
