internal import Synchronization

/// The open containers of the process.
enum OpenContainers {
  private struct WeakContainer: Sendable {
    weak var core: ContainerCore?
  }

  private static let containers = Mutex<[WeakContainer]>([])

  /// Adds a new container, which is in ``all`` as long as it lives.
  static func add(_ core: ContainerCore) {
    containers.withLock { containers in
      containers.removeAll { $0.core == nil }
      containers.append(WeakContainer(core: core))
    }
    RemoteChangeNotifications.register(core)
  }

  static var all: [ContainerCore] { containers.withLock { $0 }.compactMap(\.core) }

  static func others(than container: ContainerCore) -> [ContainerCore] { all.filter { $0 !== container } }
}
