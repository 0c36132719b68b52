internal import Dispatch
internal import Foundation

/// Runs a closure in which queries without a context of their own use a container.
///
///     withModelContainer(container) { print(Report().books.count) }
///
/// On the main actor they use its main context. Elsewhere all queries of the closure share one context of the closure's task; in
/// another task that the closure starts each query has a context of its own. These contexts belong to no actor: changes of others
/// arrive when a query is read. Not in Apple's framework, whose queries take the container from SwiftUI's environment.
public func withModelContainer<Result>(
  _ container: ModelContainer, operation: () throws -> Result
) rethrows -> Result {
  try ModelScope.$current.withValue(ModelScope(container), operation: operation)
}

/// Runs an asynchronous closure in which queries without a context of their own use a container.
///
/// See ``withModelContainer(_:operation:)-(_,()->Result)``.
public func withModelContainer<Result>(
  _ container: ModelContainer, isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Result
) async rethrows -> Result {
  try await ModelScope.$current.withValue(ModelScope(container), operation: operation, isolation: isolation)
}

/// The container of a scope, and the context that queries of its own task share.
final class ModelScope: @unchecked Sendable {  // only the task that opened the scope uses its context
  @TaskLocal static var current: ModelScope?

  private let container: ModelContainer
  private let owner = Owner()
  private var shared: ModelContext?

  init(_ container: ModelContainer) { self.container = container }

  /// The context for a query that is made or read now.
  func context() -> ModelContext {
    if Self.isOnMainActor { return container.context(on: MainActor.shared) }
    guard owner == Owner() else { return ModelContext(container, isolation: nil) }
    if let shared { return shared }
    let made = ModelContext(container, isolation: nil)
    shared = made
    return made
  }

  /// Whether the main actor runs this code.
  ///
  /// On Linux its jobs run on the main queue, which leaves the main thread once the program waits for the queue.
  private static var isOnMainActor: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mainQueue) != nil
  }

  private static let mainQueue = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// The task that runs, or the thread outside of a task.
  private enum Owner: Equatable {
    case task(Int)
    case thread(ObjectIdentifier)

    init() {
      self = withUnsafeCurrentTask { $0.map { .task($0.hashValue) } } ?? .thread(ObjectIdentifier(Thread.current))
    }
  }
}
