internal import Foundation
internal import Synchronization

/// Notices, in debug builds, that two threads are inside one context at once; costs nothing in release builds.
struct ExclusiveUse {
  #if DEBUG
    private let user = ThreadMark()
  #endif

  /// Notices another thread's use, outside of an operation.
  func check() {
    #if DEBUG
      user.check()
    #endif
  }

  /// Runs one operation of the context.
  func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    #if DEBUG
      let outer = user.enter()
      defer { user.leave(outer) }
    #endif
    return try body()
  }
}

#if DEBUG
  /// The thread that is inside a context.
  private final class ThreadMark: Sendable {
    private let thread = Atomic<UInt>(0)

    private static var current: UInt { UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue) | 1 }

    func enter() -> UInt {
      let outer = thread.exchange(Self.current, ordering: .relaxed)
      complain(outer)
      return outer
    }

    func leave(_ outer: UInt) { thread.store(outer, ordering: .relaxed) }

    func check() { complain(thread.load(ordering: .relaxed)) }

    private func complain(_ other: UInt) {
      assert(
        other == 0 || other == Self.current,
        """
        SwiftData: a ModelContext is used by two threads at once (\(other) and \(Self.current)). A context belongs to one \
        executor: make one per actor or task, and pass persistentModelIDs between them.
        """)
    }
  }
#endif
