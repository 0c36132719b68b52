internal import Synchronization

/// Work of a container's contexts that a program may count.
///
///     container.activityHandler = { activity, amount in print(activity.rawValue, amount) }
///
/// The product `SwiftDataMetrics` counts it with swift-metrics: `container.reportMetrics()`.
/// See ``ModelContainer/activityHandler``. Not in Apple's framework.
public enum ContextActivity: String, Sendable, Hashable, CaseIterable {
  /// A save that changed a store.
  case saves
  /// The objects that a save inserted, changed and deleted, as ``ModelContext/didSave`` names them.
  case savedObjects = "saved_objects"
  /// A fetch of objects, of a count, of identifiers, or of batches.
  case fetches
  /// The objects that a fetch returned; none for a count and for identifiers.
  case fetchedObjects = "fetched_objects"
  /// Objects whose values were loaded on first access; one query loads many.
  case faults
}

extension ModelContainer {
  /// Called with the work of all contexts of the container, and its amount; `nil` by default.
  ///
  /// The handler runs on the thread of the context, in the middle of its work: it must be quick, and use no context. Without a
  /// handler the cost is one atomic load for each save, fetch and load of faults. Not in Apple's framework.
  public var activityHandler: (@Sendable (_ activity: ContextActivity, _ amount: Int) -> Void)? {
    get { core.activity.handler }
    set { core.activity.handler = newValue }
  }
}

/// The handler of a container's activities.
final class ActivityCounting: Sendable {
  typealias Handler = @Sendable (ContextActivity, Int) -> Void

  private let isOn = Atomic(false)
  private let current = Mutex<Handler?>(nil)

  var handler: Handler? {
    get { current.withLock { $0 } }
    set {
      current.withLock { $0 = newValue }
      isOn.store(newValue != nil, ordering: .relaxed)
    }
  }

  /// Passes an amount of work to the handler, if there is one. An amount of zero is not passed.
  @inline(__always)
  func count(_ activity: ContextActivity, _ amount: @autoclosure () -> Int = 1) {
    if isOn.load(ordering: .relaxed) { tell(activity, amount()) }
  }

  private func tell(_ activity: ContextActivity, _ amount: Int) {
    if amount > 0 { handler?(activity, amount) }
  }
}
