import Foundation

/// A lock that the thread which holds it may take again, and that any thread may give back.
///
/// A recursive mutex of the system must be unlocked by the thread that locked it. A cursor over a store in memory keeps the
/// lock as long as it lives, and may be closed or released by another thread.
final class StoreLock: @unchecked Sendable {  // guarded by `condition`
  private let condition = NSCondition()
  private var owner: pthread_t?
  /// How often the lock has been taken and not given back.
  private var depth = 0

  /// Waits until no other thread holds the lock, and takes it.
  func lock() {
    let thread = pthread_self()
    condition.lock()
    while depth > 0, owner != thread { condition.wait() }
    owner = thread
    depth += 1
    condition.unlock()
  }

  /// Gives the lock back, on whatever thread.
  func unlock() {
    condition.lock()
    depth -= 1
    if depth == 0 {
      owner = nil
      condition.signal()
    }
    condition.unlock()
  }

  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Whether any thread holds the lock.
  var isHeld: Bool { condition.withLock { depth > 0 } }
}
