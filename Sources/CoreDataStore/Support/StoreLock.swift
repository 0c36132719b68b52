import Foundation

/// A lock that its holding thread may take again, and that any thread may give back.
///
/// The thread that locks a recursive mutex of the system must also unlock it. But a cursor over a store in memory
/// keeps the lock as long as it lives, and another thread may close or release the cursor.
final class StoreLock: @unchecked Sendable {  // guarded by `condition`
  private let condition = NSCondition()
  private var owner: pthread_t?
  /// The number of times that the holding thread has taken the lock and not given it back.
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

  /// Gives the lock back, on any thread.
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

  /// Runs a closure under the lock; returns `nil`, without waiting, if another thread holds it.
  func withLockIfFree<Result>(_ body: () throws -> Result?) rethrows -> Result? {
    let thread = pthread_self()
    let isFree = condition.withLock {
      guard depth == 0 || owner == thread else { return false }
      owner = thread
      depth += 1
      return true
    }
    guard isFree else { return nil }
    defer { unlock() }
    return try body()
  }

  /// Whether any thread holds the lock.
  var isHeld: Bool { condition.withLock { depth > 0 } }
}
