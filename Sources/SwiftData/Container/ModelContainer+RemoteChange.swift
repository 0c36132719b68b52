public import Foundation
internal import Synchronization

extension ModelContainer {
  /// Posted after somebody has saved to a store of a container: a context of this container or of another one, or another
  /// process.
  ///
  ///     NotificationCenter.default.addObserver(forName: ModelContainer.remoteChange, object: container, queue: nil) { … }
  ///
  /// The object is the container. The user info has, under ``ModelContext/NotificationKey/historyTokens``, the
  /// ``DefaultHistoryToken`` of the stores' present state; if all stores are custom ones, the token that a save of this container
  /// returned. It is posted on a private thread, 20 milliseconds after the save at the
  /// earliest; several saves may lead to one notification.
  ///
  /// Whoever reads this name starts the observation of all containers of the process, for as long as they live. Until then
  /// nothing is watched. A store in a file costs three watches of the kernel, and four checks of two short queries after the last
  /// of several saves. On a remote file system, where the kernel cannot tell of other machines' saves, a timer checks once in
  /// a second. Apple: `ModelContainer.remoteChange`.
  public static var remoteChange: Notification.Name {
    RemoteChangeNotifications.start()
    return RemoteChangeNotifications.name
  }
}

/// Posts ``ModelContainer/remoteChange`` for all containers of the process, once somebody has asked for its name.
enum RemoteChangeNotifications {
  static let name = Notification.Name("ModelContainerRemoteChangeNotification")

  private struct State: Sendable {
    var isStarted = false
    var containers: [WeakContainer] = []
  }

  private struct WeakContainer: Sendable {
    weak var core: ContainerCore?
  }

  private static let state = Mutex(State())

  /// Notes a new container.
  static func register(_ core: ContainerCore) {
    let isStarted = state.withLock { state in
      state.containers.removeAll { $0.core == nil }
      state.containers.append(WeakContainer(core: core))
      return state.isStarted
    }
    if isStarted { listen(to: core) }
  }

  /// Starts the observation of all containers; later calls have no effect.
  static func start() {
    let cores = state.withLock { state -> [ContainerCore] in
      guard !state.isStarted else { return [] }
      state.isStarted = true
      return state.containers.compactMap(\.core)
    }
    for core in cores { listen(to: core) }
  }

  private static func listen(to core: ContainerCore) {
    core.keepListening { [weak core] event in
      let custom = event.numbers.isEmpty ? event.customSaves.last?.token : nil
      NotificationCenter.default.post(
        name: name, object: core?.publicContainer,
        userInfo: [
          ModelContext.NotificationKey.historyTokens.rawValue: custom ?? DefaultHistoryToken(event.numbers)
        ])
    }
  }
}
