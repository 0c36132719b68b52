internal import Dispatch

/// Runs work with a model context. Apple: `ModelExecutor`.
public protocol ModelExecutor: Executor {
  /// The context that the executor's work uses, and no other work.
  var modelContext: ModelContext { get }
}

/// Runs one piece of work with a model context at a time. Apple: `SerialModelExecutor`.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// Runs the work of a model actor on a serial queue of its own.
///
/// The queue is private: never the main queue, and no thread of Swift's own pool. Work that waits keeps the executor
/// alive. From its making on, the context belongs to the executor: the changes that other contexts save, and automatic
/// saves, reach it on this queue. Apple: `DefaultSerialModelExecutor`, which takes the queue of the thread that makes it.
public class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {  // only the queue uses the context
  /// The context of the executor's work.
  public let modelContext: ModelContext
  private let queue = DispatchQueue(label: "SwiftData.DefaultSerialModelExecutor")

  /// Takes over a context, which its caller must not use any more.
  public init(modelContext: ModelContext) {
    self.modelContext = modelContext
    modelContext.belong(to: ContextIsolation(queue, modelContext))
  }

  /// Runs a job on the queue, after the jobs before it.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The closure holds the executor: the job may release the actor, and the actor its executor.
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// The reference to the executor that the runtime uses; the actor keeps the executor alive.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// Ends the program unless it runs on the executor's queue; `assumeIsolated` asks here.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// Runs the actors whose model executor is not serial.
final class SharedSerialExecutor: SerialExecutor {
  static let shared = SharedSerialExecutor()
  private let queue = DispatchQueue(label: "SwiftData.SharedSerialExecutor")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
