internal import Synchronization

/// The open containers of the process.
enum OpenContainers {
  private struct WeakContainer: Sendable {
    weak var core: ContainerCore?
  }

  private static let containers = Mutex<[WeakContainer]>([])

  /// Adds a new container, which ``forEach(_:)`` finds as long as it lives.
  static func add(_ core: ContainerCore) {
    containers.withLock { containers in
      containers.removeAll { $0.core == nil }
      containers.append(WeakContainer(core: core))
    }
    RemoteChangeNotifications.register(core)
  }

  /// Calls a closure for each open container.
  ///
  /// It holds one container at a time, so that no other one outlives its last owner meanwhile.
  static func forEach(_ body: (ContainerCore) -> Void) {
    for container in containers.withLock({ $0 }) { container.core.map(body) }
  }
}
