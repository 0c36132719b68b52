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
  /// returned. It is posted on a private thread, some 20 milliseconds after the save, or with a fetch that notices the save
  /// earlier; several saves may lead to one notification.
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

  private static let isStarted = Mutex(false)

  /// Observes a new container, if somebody has asked for the name.
  static func register(_ core: ContainerCore) { if isStarted.withLock({ $0 }) { listen(to: core) } }

  /// Starts the observation of all containers; later calls have no effect.
  static func start() {
    let isFirst = isStarted.withLock { isStarted in
      defer { isStarted = true }
      return !isStarted
    }
    // A container that opens meanwhile may be observed twice: its second registration replaces the first.
    if isFirst { OpenContainers.forEach { listen(to: $0) } }
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
